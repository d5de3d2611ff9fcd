"""A thousand tables reconnecting at once: until each has its assignment again, and the receipt of a waiting result.

    python -m benchmarks.hub.reconnect [--short]

Through the hub's own broker, its child: both share the two cores with the generator.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import closing

from benchmarks.load.room import LoadTable, seated
from benchmarks.load.table_results import KINDS
from benchmarks.load.venue import Venue, more_files, used
from benchmarks.report.figures import RUNS, Figure, Found, at_most, beside_loop, run

GONE_S = 1.0


async def come_back(table: LoadTable, port: int) -> tuple[float, float]:
    """Return the seconds until the table's assignment, and until the receipt of its result."""
    (result,) = table.prepared(1)
    table.assigned.clear()
    begun = time.perf_counter()
    await table.connect(port)
    await table.assigned.wait()
    assigned_s = time.perf_counter() - begun
    table.report()
    await table.send([result])
    return assigned_s, time.perf_counter() - begun


async def all_at_once(venue: Venue, runs: int) -> list[tuple[float, float]]:
    """Return the slowest table's seconds, for each run."""
    tables = await seated(venue.devices, venue.broker_port)
    for table in tables:
        table.play(KINDS[1])
    slowest = []
    for _ in range(runs):
        for table in tables:
            table.close()
        await asyncio.sleep(GONE_S)
        times = await asyncio.gather(*(come_back(table, venue.broker_port) for table in tables))
        slowest.append((max(at for at, _ in times), max(at for _, at in times)))
    for table in tables:
        table.close()
    return slowest


def measure(short: bool) -> Iterator[Found]:
    more_files()
    tables, runs = (20, 1) if short else (1000, RUNS)
    with closing(Venue()) as venue:
        venue.round(tables)
        slowest = asyncio.run(all_at_once(venue, runs))
        memory_mb = used(venue.hub_pid).resident_mb
    aim, loop = at_most(800, "10 s"), beside_loop("s")
    yield Figure(
        f"all {tables:,} have their assignment again", "s", tuple(at for at, _ in slowest), aim, beside=loop
    )
    yield Figure(
        f"all {tables:,} have the receipt of their waiting result too",
        "s",
        tuple(at for _, at in slowest),
        aim,
        note="whole games of sixty moves, each judged again by the hub",
        beside=loop,
    )
    yield Figure("the hub's memory afterwards, with its broker", "MB", (memory_mb,))


if __name__ == "__main__":
    run(measure, __doc__)

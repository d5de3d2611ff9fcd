"""Durable results a second: tables -> broker -> hub -> ledger -> receipt, and what the broker alone can do.

    python -m benchmarks.hub.results [--short]

Every table sends its next result when it has the receipt of the one before. The aim is a share of what mosquitto alone
answers: the same tables send it as many of the same results, and a client without any work answers each in place of
the hub. Both are measured in turn, as what a machine can do changes from minute to minute.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

from benchmarks.load.lean_mqtt import LeanClient
from benchmarks.load.room import LoadTable, seated
from benchmarks.load.table_results import KINDS
from benchmarks.load.venue import Venue, answers, installed, more_files, mosquitto, until, used
from benchmarks.report.figures import RUNS, Figure, Found, Remark, Yardstick, at_least, p99, run
from flagfall.link.topics import Kind
from simulator.program import free_port

# Broker, store, and the first aim, in results a second on one machine.
SETUPS = (("embedded", "sqlite", 1500), ("mosquitto", "sqlite", 5000), ("mosquitto", "redis", 4000))
SHARE = 0.25
ALONE = "mosquitto alone, the same results to a client that only answers"
# Size of a receipt, as the hub's.
RECEIPT_BYTES = 340
# Results that each table sends in a run; a game may have 200 revisions.
EACH = 8
NAMES = {
    "embedded": "embedded broker",
    "mosquitto": "mosquitto",
    "sqlite": "SQLite",
    "redis": "Redis, every write synced",
}
NEEDED = {"mosquitto": "mosquitto", "redis": "redis-server"}


async def one_run(tables: list[LoadTable], results_each: int) -> tuple[float, list[float]]:
    """Return the results a second, and the seconds that each waited for its receipt."""
    prepared = [table.prepared(results_each) for table in tables]
    for table in tables:
        table.receipts.clear()
    begun = time.perf_counter()
    await asyncio.gather(*(table.send(results) for table, results in zip(tables, prepared, strict=True)))
    rate = len(tables) * results_each / (time.perf_counter() - begun)
    return rate, [waited for table in tables for waited in table.receipts]


async def load(venue: Venue, kind: str, results_each: int, runs: int) -> dict[str, Any]:
    tables = await seated(venue.devices, venue.broker_port)
    for table in tables:
        table.play(kind)
    measured: dict[str, Any] = {"rates": [], "waits": [], "shares": [], "alone": []}
    async with beside_mosquitto_alone(tables, kind) as twins:
        for _ in range(runs):
            if twins:
                measured["alone"].append((await one_run(twins, results_each))[0])
            before, begun = used(venue.hub_pid).processor_s, time.perf_counter()
            rate, waited = await one_run(tables, results_each)
            used_s = used(venue.hub_pid).processor_s - before
            measured["shares"].append(100 * used_s / (time.perf_counter() - begun))
            measured["rates"].append(rate)
            measured["waits"].append(p99(waited))
    measured["again"] = sum(table.again for table in tables)
    for table in (*tables, *twins):
        table.close()
    return measured


@asynccontextmanager
async def beside_mosquitto_alone(tables: Sequence[LoadTable], kind: str) -> AsyncIterator[list[LoadTable]]:
    """Yield the same tables once more, at a mosquitto behind which a client answers; none where the aim does not
    ask.
    """
    if kind != KINDS[1] or not installed("mosquitto"):
        yield []
        return
    port, spawn = free_port(), multiprocessing.get_context("spawn")
    ready = spawn.Event()
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="flagfall-bench-")))
        broker = ending.enter_context(subprocess.Popen(mosquitto(folder, port), stderr=subprocess.DEVNULL))
        ending.callback(broker.terminate)
        until(lambda: answers(port), "mosquitto alone")
        answering = spawn.Process(target=answer_everything, args=(port, ready), daemon=True)
        answering.start()
        ending.callback(answering.terminate)
        until(ready.is_set, "the client that answers")
        twins = [LoadTable(table.identity) for table in tables]
        for table, twin in zip(tables, twins, strict=True):
            await twin.connect(port)
            twin.assignment = table.assignment
            twin.play(kind)
        yield twins


def answer_everything(port: int, ready: Event) -> None:
    """Answer every result, in a process of its own, until it is ended."""
    asyncio.run(_answer(port, ready))


async def _answer(port: int, ready: Event) -> None:
    def heard(topic: str, payload: bytes) -> None:
        result = payload.partition(b'"id":"')[2].partition(b'"')[0]
        receipt = b'{"id":"%b","accepted":true}' % result
        client.publish(topic.removesuffix(Kind.RESULT) + Kind.RECEIPT, receipt.ljust(RECEIPT_BYTES))

    client = await LeanClient.connected(port, "answering", "", ("flagfall/1/+/table/+/result",), heard)
    ready.set()
    await client.lost.wait()


def measure(short: bool) -> Iterator[Found]:
    more_files()
    tables, each, runs = (6, 2, 1) if short else (250, EACH, RUNS)
    for broker, store, once in SETUPS:
        missing = [NEEDED[part] for part in (broker, store) if part in NEEDED and not installed(NEEDED[part])]
        if missing:
            yield Remark(f"Left out, not installed here: {', '.join(missing)}.")
            continue
        for kind in KINDS[1:] if short else KINDS:
            with closing(Venue(broker, store)) as venue:
                venue.round(tables)
                measured = asyncio.run(load(venue, kind, each, runs))
            where = f"{NAMES[broker]} + {NAMES[store]}: {kind}"
            aim, alone = None, None
            if measured["alone"]:
                aim = at_least(SHARE, f"{once:,} results/s once")
                alone = Yardstick(ALONE, tuple(measured["alone"]))
            yield Figure(where, "results/s", tuple(measured["rates"]), aim, beside=alone)
            yield Figure(f"{where}, receipt after, p99", "s", tuple(measured["waits"]))
            yield Figure(f"{where}, the hub's share of a core", "%", tuple(measured["shares"]))
            if measured["again"]:
                yield Remark(f"{where}: {measured['again']} results were sent a second time.")


if __name__ == "__main__":
    run(measure, __doc__)

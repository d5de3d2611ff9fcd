"""Durable results a second: tables -> broker -> hub -> ledger -> receipt, and what the broker alone can do.

    python -m benchmarks.hub.results [--short]

Every table sends its next result when it has the receipt of the one before. The aim is a share of what mosquitto alone
answers in the same run: the same code takes 1,500 results a second on one machine and 4,000 on another.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.load.lean_mqtt import LeanClient
from benchmarks.load.room import LoadTable, seated
from benchmarks.load.table_results import KINDS
from benchmarks.load.venue import Venue, installed, more_files, used
from benchmarks.report.figures import RUNS, Figure, Found, Remark, Yardstick, at_least, p99, run

SETUPS = (("embedded", "sqlite", 1500), ("mosquitto", "sqlite", 5000), ("mosquitto", "redis", 4000))
"""Broker, store, and what was aimed at once, in results a second on one machine."""
SHARE = 0.35
ALONE = "mosquitto alone, the same messages to a client that only answers"
NAMES = {
    "embedded": "embedded broker",
    "mosquitto": "mosquitto",
    "sqlite": "SQLite",
    "redis": "Redis, every write synced",
}
NEEDED = {"mosquitto": "mosquitto", "redis": "redis-server"}


async def one_run(tables: list[LoadTable], results_each: int) -> tuple[float, list[float]]:
    """Results a second, and the seconds that each waited for its receipt."""
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
    rates, waits, shares = [], [], []
    for _ in range(runs):
        before, begun = used(venue.hub_pid), time.perf_counter()
        rate, waited = await one_run(tables, results_each)
        shares.append(
            100 * (used(venue.hub_pid).processor_s - before.processor_s) / (time.perf_counter() - begun)
        )
        rates.append(rate)
        waits.append(p99(waited))
    again = sum(table.again for table in tables)
    for table in tables:
        table.close()
    return {"rates": rates, "waits": waits, "shares": shares, "again": again}


def measure(short: bool) -> Iterator[Found]:
    more_files()
    tables, each, runs = (
        (6, dict.fromkeys(KINDS, 2), 1) if short else (250, dict(zip(KINDS, (8, 4), strict=True)), RUNS)
    )
    for broker, store, once in SETUPS:
        missing = [NEEDED[part] for part in (broker, store) if part in NEEDED and not installed(NEEDED[part])]
        if missing:
            yield Remark(f"Left out, not installed here: {', '.join(missing)}.")
            continue
        for kind in KINDS[1:] if short else KINDS:
            with Venue(broker, store) as venue:
                venue.round(tables)
                found = asyncio.run(load(venue, kind, each[kind], runs))
            where = f"{NAMES[broker]} + {NAMES[store]}: {kind}"
            aim, alone = None, None
            if kind == KINDS[1] and installed("mosquitto"):
                aim = at_least(SHARE, f"{once:,} results/s once")
                alone = Yardstick(ALONE, tuple(broker_alone(tables, 2 if short else 40, runs)))
            yield Figure(where, "results/s", tuple(found["rates"]), aim, beside=alone)
            yield Figure(f"{where}, receipt after, p99", "s", tuple(found["waits"]))
            yield Figure(f"{where}, the hub's share of a core", "%", tuple(found["shares"]))
            if found["again"]:
                yield Remark(f"{where}: {found['again']} results were sent a second time.")


def broker_alone(tables: int, each: int, runs: int) -> list[float]:
    """Messages of a whole game's size, each answered by a client without any work, in place of the hub."""
    with Venue("mosquitto") as venue:
        answering = multiprocessing.get_context("spawn").Process(
            target=answer_everything, args=(venue.broker_port,), daemon=True
        )
        answering.start()
        try:
            return asyncio.run(_asked(venue.broker_port, tables, each, runs))
        finally:
            answering.terminate()
            answering.join()


def answer_everything(port: int) -> None:
    asyncio.run(_answer(port))


async def _answer(port: int) -> None:
    def heard(topic: str, payload: bytes) -> None:
        client.publish(topic.removesuffix("asked") + "answer", b"x" * 200)

    client = await LeanClient.connected(port, "answering", "", ("bench/+/asked",), heard)
    client.publish("bench/ready", b"", retain=True)
    await client.lost.wait()


async def _asked(port: int, tables: int, each: int, runs: int) -> list[float]:
    ready = asyncio.Event()
    await LeanClient.connected(port, "waiting", "", ("bench/ready",), lambda *_: ready.set())
    await asyncio.wait_for(ready.wait(), 60)

    async def ask(number: int) -> LeanClient:
        return await LeanClient.connected(
            port, f"t{number}", "", (f"bench/{number}/answer",), lambda *_: answered[number].set()
        )

    answered = [asyncio.Event() for _ in range(tables)]
    clients = [await ask(number) for number in range(tables)]

    async def all_of(number: int) -> None:
        for _ in range(each):
            answered[number].clear()
            clients[number].publish(f"bench/{number}/asked", b"x" * 5000)
            await asyncio.wait_for(answered[number].wait(), 60)

    rates = []
    for _ in range(runs):
        begun = time.perf_counter()
        await asyncio.gather(*map(all_of, range(tables)))
        rates.append(tables * each / (time.perf_counter() - begun))
    return rates


if __name__ == "__main__":
    run(measure, __doc__)

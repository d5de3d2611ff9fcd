"""A hundred live tables and two hundred browsers that listen: how late an update is, and what it costs the hub.

    python -m benchmarks.hub.live [--short]

Late is the time from a table's message about a press to the arrival of the table's card in each browser. What the
table itself needs from the press to its message is in `benchmarks.table.latency`.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import re
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from multiprocessing.connection import Connection
from random import Random

from benchmarks.load.live_clock import LiveGame
from benchmarks.load.room import LoadTable, seated
from benchmarks.load.venue import TOURNAMENT, Venue, more_files, used
from benchmarks.report.figures import RUNS, Figure, Found, Remark, at_most, p99, paced, run
from flagfall.link.topics import Kind

# Average time between a table's moves: far faster than people play.
PRESS_EVERY_S = 10.0
SETTLE_S = 5.0
# Time after which the live page listens again (`hub/web/static/line.js`).
RETRY_S = 3.0
_CARD = re.compile(rb'"id": "table-(\d+)"')
# (instant, table).
Press = tuple[float, int]


async def listen(port: int, seen: dict[int, list[float]], there: asyncio.Event) -> None:
    """Listen to the page's events as one browser does, for as long as it runs, from `there` on.

    `seen` records by table when its card came. The browser comes again where all come at once and the hub has no turn
    left, as the page's script does.
    """
    while True:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
        writer.write(
            f"GET /events/{TOURNAMENT}?tables=all HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        )
        if b" 200 " in await reader.readline():
            break
        writer.close()
        await asyncio.sleep(RETRY_S)
    there.set()
    while line := await reader.readline():
        if line.startswith(b"data: "):
            now = time.monotonic()
            for table in _CARD.findall(line):
                seen.setdefault(int(table), []).append(now)


def browsers(port: int, count: int, pipe: Connection) -> None:
    """Run all browsers, in a process of their own. Say when all are there; answer any message with what they
    have seen.
    """
    more_files()
    seen: list[dict[int, list[float]]] = [{} for _ in range(count)]

    async def listen_all() -> None:
        there = [asyncio.Event() for _ in seen]
        listening = [asyncio.create_task(listen(port, *pair)) for pair in zip(seen, there, strict=True)]
        await asyncio.gather(*(event.wait() for event in there))
        pipe.send("there")
        await asyncio.get_running_loop().run_in_executor(None, pipe.recv)
        for task in listening:
            task.cancel()
        await asyncio.gather(*listening, return_exceptions=True)

    asyncio.run(listen_all())
    pipe.send(seen)


async def play(table: LoadTable, until_s: float, seed: int, presses: list[Press]) -> None:
    """Send clock messages once a second and at each press."""
    assert table.assignment is not None and table.client is not None
    chance, topic = Random(seed), table.topic(Kind.CLOCK)
    game, number = LiveGame(table.assignment["game"]), int(table.assignment["seat"])
    game.press(time.monotonic_ns())
    tick_s = time.monotonic() + chance.random()
    press_s = time.monotonic() + chance.uniform(0.2, 2.0)
    while (now := time.monotonic()) < until_s:
        if now >= press_s:
            game.press(time.monotonic_ns())
            press_s = now + chance.uniform(1.0, 2 * PRESS_EVERY_S - 1.0)
            presses.append((time.monotonic(), number))
            table.client.publish(topic, game.message(time.monotonic_ns()), 0, retain=True)
            tick_s = now + 1.0
        elif now >= tick_s:
            tick_s = now + 1.0
            table.client.publish(topic, game.message(time.monotonic_ns()), 0, retain=True)
        await asyncio.sleep(max(0.0, min(press_s, tick_s) - time.monotonic()))


async def load(
    venue: Venue, window_s: float, windows: int
) -> tuple[list[list[Press]], list[float], list[float]]:
    """Return presses, the hub's share of a core in per cent and its memory in MB, for each window."""
    tables = await seated(venue.devices, venue.broker_port)
    pressed, shares, memory = [], [], []
    for window in range(windows):
        presses: list[Press] = []
        before, begun = used(venue.hub_pid), time.monotonic()
        playing = (
            play(table, begun + window_s, 1000 * window + at, presses) for at, table in enumerate(tables)
        )
        await asyncio.gather(*playing)
        after = used(venue.hub_pid)
        shares.append(100 * (after.processor_s - before.processor_s) / (time.monotonic() - begun))
        memory.append(after.resident_mb)
        pressed.append(presses)
        await asyncio.sleep(SETTLE_S)  # what was sent last must arrive before it is counted
    for table in tables:
        table.close()
    return pressed, shares, memory


def lateness(presses: list[Press], seen: list[dict[int, list[float]]]) -> tuple[list[float], int]:
    """Return the seconds from each press to each browser, and how many never saw one."""
    late, missed = [], 0
    for at, table in presses:
        for browser in seen:
            cards = browser.get(table, [])
            index = bisect_left(cards, at)
            if index < len(cards) and cards[index] - at < SETTLE_S:
                late.append(cards[index] - at)
            else:
                missed += 1
    return late, missed


def measure(short: bool) -> Iterator[Found]:
    more_files()
    tables, count, window_s, windows = (4, 5, 2.5, 1) if short else (100, 200, 20.0, RUNS)
    with closing(Venue()) as venue:
        venue.round(tables)
        ours, theirs = multiprocessing.Pipe()
        spawn = multiprocessing.get_context("spawn")
        watching = spawn.Process(target=browsers, args=(venue.web_port, count, theirs), daemon=True)
        watching.start()
        try:
            ours.recv()
            pressed, shares, memory = asyncio.run(load(venue, window_s, windows))
            ours.send("enough")
            seen = ours.recv()
        finally:
            watching.join(10)
            watching.kill()
    results = [lateness(presses, seen) for presses in pressed]
    room = f"{tables} tables, {count} browsers"
    yield paced(
        f"update to browser, p99: {room}",
        "ms",
        tuple(1000 * p99(late) for late, _ in results if late),
        at_most(20, "250 ms"),
    )
    yield Figure(
        f"update to browser, median: {room}",
        "ms",
        tuple(1000 * sorted(late)[len(late) // 2] for late, _ in results if late),
    )
    yield paced(f"the hub's share of a core: {room}", "%", tuple(shares), at_most(25, "30 %"))
    yield Figure(
        f"the hub's memory: {room}", "MB", tuple(memory), at_most(120, "memory does not depend on speed")
    )
    yield Figure(
        f"updates that did not come within {SETTLE_S:g} s: {room}",
        "",
        tuple(float(missed) for _, missed in results),
        at_most(0, "every browser sees every press"),
    )
    yield Remark(
        f"{sum(len(late) for late, _ in results):,} updates came. A press every {PRESS_EVERY_S:g} s at each table on "
        f"average, a message a second besides; {windows} windows of {window_s:g} s."
    )


if __name__ == "__main__":
    run(measure, __doc__)

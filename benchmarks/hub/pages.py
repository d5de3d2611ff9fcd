"""Standings of 10,000 players after 13 rounds, and the page of 200 players from a real hub process.

python -m benchmarks.hub.pages [--short]
"""

from __future__ import annotations

import asyncio
import http.client
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import closing

from benchmarks.load.live_clock import LiveGame
from benchmarks.load.room import seated
from benchmarks.load.venue import TOURNAMENT, Venue, more_files
from benchmarks.report.figures import RUNS, Found, at_most, paced, paced_processor_s, run
from flagfall.link.topics import Kind
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.standings import standings


def played(players: int, rounds: int) -> Tournament:
    """Return a tournament in which neighbours in a random order play each other; their results are random."""
    dice = random.Random(1)
    ids = [str(number) for number in range(players)]
    done = []
    for _ in range(rounds):
        dice.shuffle(ids)
        games = []
        for black, white in zip(ids[::2], ids[1::2], strict=True):
            discs = dice.randrange(65)
            games.append(Game(black, white, (discs, 64 - discs)))
        done.append(Round(tuple(games)))
    return Tournament(
        "woc-2019", tuple(Player(name) for name in sorted(ids)), tuple(done), seed=1, rounds_planned=rounds
    )


async def show_clocks(venue: Venue) -> None:
    """Make every table be there and show a running clock."""
    for table in await seated(venue.devices, venue.broker_port):
        assert table.assignment is not None and table.client is not None
        game = LiveGame(table.assignment["game"])
        game.press(time.monotonic_ns())
        table.client.publish(table.topic(Kind.CLOCK), game.message(time.monotonic_ns()), 0, retain=True)
    await asyncio.sleep(1)


def page_seconds(venue: Venue, times: int) -> tuple[float, int]:
    """Return the median seconds of a page over one open connection, and its bytes."""
    connection = http.client.HTTPConnection("127.0.0.1", venue.web_port)
    taken, size = [], 0
    for _ in range(times):
        begun = time.perf_counter()
        connection.request("GET", f"/t/{TOURNAMENT}")
        answer = connection.getresponse()
        size = len(answer.read())
        taken.append(time.perf_counter() - begun)
        assert answer.status == 200
    connection.close()
    return statistics.median(taken), size


def measure(short: bool) -> Iterator[Found]:
    more_files()
    players, rounds, runs, tables = (100, 3, 1, 4) if short else (10_000, 13, RUNS, 100)
    tournament = played(players, rounds)
    yield paced_processor_s(
        f"standings of {players:,} players after {rounds} rounds",
        "ms",
        lambda: standings(tournament),
        at_most(5, "150 ms"),
        runs,
    )
    with closing(Venue()) as venue:
        venue.round(tables)
        asyncio.run(show_clocks(venue))
        pages = [page_seconds(venue, 3 if short else 40) for _ in range(runs)]
    yield paced(
        f"page of {2 * tables} players, {tables} tables with clocks, over HTTP",
        "ms",
        tuple(1000 * taken for taken, _ in pages),
        at_most(1.6, "20 ms"),
        note=f"{pages[0][1] // 1024} KB, median of {3 if short else 40} a run",
    )


if __name__ == "__main__":
    run(measure, __doc__)

"""The longest that any page of a large event holds the hub's loop: receipts, clocks and streams wait for so long.

    python -m benchmarks.hub.holds [--short]

A director is signed in, and two pages of each kind of address are asked for, from the console to the sheets for
printing, as links lead to them. What counts is processor time of one turn of the loop.
"""

from __future__ import annotations

import random
import re
import shutil
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

from benchmarks.hub.stopwatch import Hands, make_account, page_of
from benchmarks.load.venue import TOURNAMENT, Venue
from benchmarks.load.watched_hub import HELD
from benchmarks.report.figures import (
    LOOP,
    Figure,
    Found,
    Remark,
    Table,
    Yardstick,
    at_most,
    processor_loop_s,
    run,
)
from simulator.director import swiss

PLAYERS, ROUNDS = 300, 5
OF_EACH_KIND = 2
SHOWN = 8
_LINK = re.compile(r'(?:href|action)="([^"#]+)')
# Nobody is signed out, and no file is asked for that is the same for every event.
_LEFT_OUT = ("/desk/leave", "/static/", "/desk/static/")


def kind_of(address: str) -> str:
    """Return an address without what names one player, game, round or language."""
    parts = urlsplit(address)
    path = re.sub(r"[^/]*\d[^/]*", "*", parts.path)
    return f"{path}?{'&'.join(sorted(name for name, _ in parse_qsl(parts.query)))}"


def play(venue: Venue, players: int) -> None:
    """Create an event, and play all its rounds but the last whole."""
    dice = random.Random(1)
    venue.director.create(swiss("A bench", [f"p{n}" for n in range(1, players + 1)], rounds=11))
    for round_ in range(1, ROUNDS + 1):
        games = venue.director.publish(round_)
        venue.director.start()
        for game in games if round_ < ROUNDS else games[: len(games) // 2]:
            discs = dice.randrange(65)
            venue.director.enter(game.game, (discs, 64 - discs))


def holds_s(venue: Venue, page: Any) -> dict[str, float]:
    """Return the longest turn of the loop by kind of page."""
    log = venue.folder / "hub.log"
    ahead = deque([f"/t/{TOURNAMENT}", f"/desk/t/{TOURNAMENT}/players", "/desk"])
    asked: set[str] = set()
    of_kind: Counter[str] = Counter()
    longest: dict[str, float] = {}
    while ahead:
        address = ahead.popleft()
        kind = kind_of(address)
        if address in asked or of_kind[kind] >= OF_EACH_KIND or address.startswith(_LEFT_OUT):
            continue
        asked.add(address)
        of_kind[kind] += 1
        before = log.stat().st_size
        answer = page.context.request.get(venue.page + address, timeout=60_000)
        turns = [line for line in log.read_bytes()[before:].decode().splitlines() if line.startswith(HELD)]
        longest[kind] = max([longest.get(kind, 0.0), *(float(line.removeprefix(HELD)) for line in turns)])
        if "html" in answer.headers.get("content-type", ""):
            links = (urljoin(address, unescape(link)) for link in _LINK.findall(answer.text()))
            ahead.extend(link for link in links if link.startswith("/"))
    return longest


def measure(short: bool) -> Iterator[Found]:
    if shutil.which("chromium-headless-shell") is None:
        yield Remark("Left out, not installed here: chromium-headless-shell.")
        return
    players = 8 if short else PLAYERS
    with closing(Venue(program="benchmarks.load.watched_hub")) as venue, page_of(venue) as page:
        play(venue, players)
        make_account(Hands(page), page, venue)
        longest = holds_s(venue, page)
    kinds = sorted(longest, key=longest.__getitem__, reverse=True)
    yield Figure(
        f"longest turn of the loop, any page of an event of {players} players",
        "ms",
        (1000 * longest[kinds[0]],),
        at_most(2.5, "50 ms"),
        note=f"{len(kinds)} kinds of pages",
        beside=Yardstick(LOOP, (1000 * processor_loop_s(),)),
    )
    yield Table(
        "The pages that hold it longest",
        ("page", "ms"),
        tuple((f"`{kind.strip('?')}`", f"{1000 * longest[kind]:.1f}") for kind in kinds[:SHOWN]),
    )


if __name__ == "__main__":
    run(measure, __doc__)

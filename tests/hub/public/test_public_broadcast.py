"""Nothing of a game in play is told where the director does not let it be broadcast, at whatever address one asks."""

from __future__ import annotations

import asyncio
import html
import re
import time
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_served import Shown
from samples.exhibition import NOW, TOURNAMENT, Scene

from flagfall.link.messages import ClockShown
from flagfall.othello.game import State
from flagfall.othello.side import Both
from hub.api.openapi import OPERATIONS
from hub.public.outside.static_site import moment_of
from hub.public.overlaid_game import stream_name
from hub.public.prints import PRINTS
from hub.public.site import Audience

QUIET = Scene(players=9, rounds_planned=4, rounds_played=1, broadcast=False)
OPEN = Scene(players=9, rounds_planned=4, rounds_played=1, broadcast=True)
TRANSCRIPT = "f5d6c3d3c4f4f6f3e6e7d7c5b6d8"
POSITION = "X" * 9 + "O" * 30 + "-" * 25
KEPT_FOR_S = 30


def play_on(shown: Any) -> list[str]:
    """Let every game at the tables go on (moves, another running clock, a flag, a correction) and return their ids."""
    exhibition = shown.exhibition
    games = [game for game in exhibition.state.present_games if game.score is None]
    for number, game in enumerate(games):
        clock = ClockShown(
            game=game.id,
            state=(State.RUNNING, State.STOPPED, State.CORRECTING)[number % 3],
            running="white",
            clocks_ns=Both(77_000_000_000, 8_000_000_000),
            flags=Both(0, 1),
            to_move="white",
            moves=14,
            position=POSITION,
            transcript=TRANSCRIPT,
        )
        exhibition.live.hear_clock(game.device, clock, time.monotonic_ns())
    assert games
    return [game.id for game in games]


def public_addresses(shown: Any) -> list[str]:
    games = [game.id for game in shown.exhibition.state.games.values()]
    addresses = [f"/t/{TOURNAMENT}/games/{game}" for game in games]
    addresses += [
        f"/t/{TOURNAMENT}/files/games/{game}.{end}"
        for game in games
        for end in ("txt", "ggf", "wtb", "jsonl")
    ]
    addresses += [f"/print/{TOURNAMENT}/{kind}" for kind in PRINTS]
    addresses += [f"/overlay/game/{game}" for game in games] + [f"/overlay/table/{n}" for n in range(1, 6)]
    addresses += [
        f"/hall/{TOURNAMENT}?show={scene}"
        for scene in ("by_table", "by_name", "boards", "tables", "standings")
    ]
    for operation in OPERATIONS:
        if operation.public and not operation.stream:
            path = operation.path.replace("{tournament}", TOURNAMENT)
            addresses += [path.replace("{game}", game) for game in (games if "{game}" in path else games[:1])]
    return addresses


async def everything(shown: Any) -> dict[str, bytes]:
    """Return the content at every address, also of those that are linked from the first page, the beginning of each
    stream, and the files for the world outside.
    """
    answers: dict[str, bytes] = {}
    waiting = [
        "/",
        f"/t/{TOURNAMENT}",
        f"/t/{TOURNAMENT}/tables",
        f"/print/{TOURNAMENT}",
        *public_addresses(shown),
    ]
    while waiting:
        path = waiting.pop()
        if path in answers or path.startswith("#") or "lang=" in path or "move=" in path:
            continue
        answer = await shown.get(path)
        assert answer.status_code in (200, 404) or path == "/desk", path
        answers[path] = answer.content
        if answer.status_code == 200 and answer.headers["content-type"].startswith("text/html"):
            waiting += map(html.unescape, re.findall(r'(?:href|src)="(/[^"]*)"', answer.text))
    site = shown.site
    for audience in (Audience.FRONT, Audience.TABLES):
        answers[f"events {audience.value}"] = await anext(site.streams["en", audience].listen(TOURNAMENT))
    for kind, name in (("table", "1"), ("game", site.seen[TOURNAMENT].present_games[0].id)):
        stream = site.overlays["en"].listen(stream_name(TOURNAMENT, kind, name))
        answers[f"events overlay {kind}"] = await anext(stream)
    answers["feed"] = await anext(site.feed.listen(TOURNAMENT))
    moment = moment_of(shown.exhibition.state, site.live, 0, NOW)
    async for page in shown.folder_site.changes(moment, {}):
        answers[f"outside {page.path}"] = page.data
    return answers


def differing(before: dict[str, bytes], after: dict[str, bytes]) -> set[str]:
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


@pytest.mark.clause("woc-2019 I.5")
async def test_no_address_tells_anything_of_a_game_that_is_not_broadcast(tmp_path: Path) -> None:
    async with Shown(tmp_path, QUIET) as shown:
        before = await everything(shown)
        games = play_on(shown)
        after = await everything(shown)
        assert len(after) > 150 and {"events front", "events tables", "feed"} <= after.keys()
        assert differing(before, after) == set()
        everywhere = b"".join(after.values())
        assert TRANSCRIPT.encode() not in everywhere and POSITION.encode() not in everywhere
        assert not any(f"games/{game}".encode() in everywhere for game in games)


async def test_the_same_is_told_everywhere_where_it_is_broadcast(tmp_path: Path) -> None:
    # Without this the test above could not fail.
    async with Shown(tmp_path, OPEN) as shown:
        before = await everything(shown)
        (game, *_) = play_on(shown)
        changed = differing(before, await everything(shown))
        for path in (
            "/",
            f"/t/{TOURNAMENT}/games/{game}",
            f"/t/{TOURNAMENT}/files/games/{game}.txt",
            f"/hall/{TOURNAMENT}?show=boards",
            f"/api/1/public/tournaments/{TOURNAMENT}",
            f"/api/1/public/tournaments/{TOURNAMENT}/games/{game}",
            "events front",
            "events tables",
            "events overlay table",
            "events overlay game",
            "/overlay/table/1",
            f"/overlay/game/{game}",
            "feed",
            f"outside {TOURNAMENT}/en/index.html",
            f"outside {TOURNAMENT}/ja/games/{game}.html",
        ):
            assert path in changed, path


async def test_the_halls_key_shows_clocks_and_no_board(tmp_path: Path) -> None:
    async with Shown(tmp_path, QUIET) as shown:
        play_on(shown)
        address = f"/hall/{TOURNAMENT}?key={shown.site.key}&show="
        assert "1:17" in await shown.text(f"{address}tables"), "who is in the hall sees the clocks"
        for scene in ("tables", "boards", "by_table"):
            page = await shown.text(address + scene)
            assert 'class="board"' not in page and TRANSCRIPT not in page
        sheets = await shown.text(f"/print/{TOURNAMENT}/sheets?key={shown.site.key}")
        games = shown.exhibition.state.present_games
        moves = sum(len(game.reported.transcript) // 2 for game in games if game.reported is not None)
        numbered = [sheets.count(f"<td>{number}</td>") for number in range(1, 61)]
        assert sum(numbered) == moves


async def test_a_listener_hears_nothing_until_something_is_told(tmp_path: Path) -> None:
    async with Shown(tmp_path, QUIET) as shown:
        site, exhibition = shown.site, shown.exhibition
        running = asyncio.create_task(site.run())
        pages, feed = site.streams["en", Audience.FRONT].listen(TOURNAMENT), site.feed.listen(TOURNAMENT)
        for stream in (pages, feed):
            await anext(stream)
        waiting = [asyncio.ensure_future(anext(stream)) for stream in (pages, feed)]
        await asyncio.sleep(0)
        game, *_ = play_on(shown)
        exhibition.live.changed()
        await exhibition._finish(exhibition.state.games[game])
        exhibition.live.changed()
        heard = await asyncio.wait_for(asyncio.gather(*waiting), KEPT_FOR_S)
        first, event = (content.decode() for content in heard)
        number = exhibition.state.games[game].table
        assert re.findall(r'"id": "(table-\d+)"', first) == [f"table-{number}"]
        assert event.count("event: game") == 1 and game in event
        site.end()
        running.cancel()

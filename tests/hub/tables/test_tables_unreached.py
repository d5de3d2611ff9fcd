"""Tables that the hub does not reach: what it says of their clocks, and of several at once."""

from __future__ import annotations

from typing import Any

from helpers.hub_files import clock_of, tournament_file
from helpers.hub_in_one import Room

from flagfall.link.messages import Status
from flagfall.othello.side import Side
from hub.console.views.alerts import SILENT_AFTER_S, alerts_of
from hub.overview import Halls
from hub.public.api.views import live_game_view

SECOND_NS = 1_000_000_000
NETWORK = "No table in play is reached"


async def in_play(room: Room) -> tuple[Any, Any]:
    """Start two games, at the tables of t1 and t2."""
    for seat in (1, 2):
        await room.enroll(f"t{seat}", seat)
    await room.create("open", tournament_file(4))
    await room.run("publish-round", broadcast=True)
    await room.run("start-round")
    first, second = room.store.states["open"].present_games
    return first, second


def hears(room: Room, game: Any, *, online: bool) -> None:
    room.live.hear_status(game.device, "open", Status(online=online, fit=True, game=game.id, seat=game.table))


def texts(room: Room, now_ns: int = 0) -> list[tuple[str, str]]:
    state = room.store.states["open"]
    return [(str(alert.where), str(alert.text)) for alert in alerts_of(state, room.live, {}, now_ns=now_ns)]


async def test_a_clock_runs_on_in_every_view_only_while_its_table_is_reached(room: Room) -> None:
    """A minute later the hub knows no more than it did: another press may have been made long ago."""
    game, _ = await in_play(room)
    hears(room, game, online=True)
    room.live.hear_clock("t1", clock_of(game.id, moves=1), 5 * SECOND_NS)
    for online in (True, False, True):
        hears(room, game, online=online)
        state = room.store.states["open"]
        hall = Halls(room.store.states, room.live).of("open")
        assert hall is not None
        card = next(card for card in hall.cards if card.game == game.id)
        assert (card.black.runs, card.white.runs) == (online, False)
        seen = live_game_view(state, state.games[game.id], room.live, 65 * SECOND_NS)
        assert seen.running == (Side.BLACK if online else None)
        assert seen.clocks_ms is not None and seen.clocks_ms.white == 900_000
        assert seen.clocks_ms.black == (694_000 if online else 754_000)


async def test_several_tables_and_none_reached_is_the_network_and_one_line(room: Room) -> None:
    first, second = await in_play(room)
    room.live.hear_link(True, 0)
    assert texts(room) == [], "tables get the time to come back"
    (line,) = texts(room, SILENT_AFTER_S * SECOND_NS)
    assert line[1].startswith(NETWORK) and "their results later" in line[1]
    hears(room, first, online=False)
    hears(room, second, online=False)
    (line,) = texts(room)
    assert line[1].startswith(NETWORK)
    hears(room, second, online=True)
    assert [where for where, _ in texts(room)] == ["1"], "the other one has lost its connection alone"
    hears(room, first, online=True)
    hears(room, second, online=False)
    await room.run("enter-result", game=first.id, score=(40, 24))
    ((where, text),) = texts(room)
    assert where == "2" and "lost its connection" in text, "one table in play is that table"

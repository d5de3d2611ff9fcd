"""A choice of colours at the table: asked for with the assignment, reported in the status, recorded before any
result.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import AsyncIterator
from dataclasses import asdict
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.hub_in_one import taken

from flagfall.link.identity import Identity
from flagfall.link.messages import Assignment, ColourChosen, Status, decode, encode
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.colour_choice import May
from flagfall.othello.gamefile import header_object
from hub.model.games import Game
from hub.ranking.finals import finals_of
from hub.record.fold import fold
from hub.record.header import header_of
from hub.record.state import TournamentState
from hub.role import Role
from hub.rounds.publish import FinalChoice, finals_publication
from hub.text import Refused


def final_file() -> dict[str, Any]:
    """Return the file of an event with six players and two rounds. A playoff for fourth place is due between p4
    and p6.
    """
    played = [
        [("p1", "p6", (44, 20)), ("p2", "p4", (40, 24)), ("p3", "p5", (36, 28))],
        [("p1", "p5", (40, 24)), ("p2", "p3", (32, 32)), ("p4", "p6", (32, 32))],
    ]
    rounds = [
        {"games": [{"black": black, "white": white, "score": list(score)} for black, white, score in games]}
        for games in played
    ]
    return dict(tournament_file(6, rounds=rounds, rounds_planned=2))


class Room:
    """A hub without sockets, and one table's messages to it."""

    def __init__(self, served: Any, sent: list[tuple[Topic, bytes]]) -> None:
        self.served, self.sent = served, sent
        self.lines: list[str] = []

    async def open(self) -> None:
        """Publish a playoff whose colours are asked for at table 1."""
        desk, self.reception = self.served, self.served.hub.inbound
        desk.hub.outbound.send = lambda topic, payload: self.sent.append((topic, payload)) is None
        self.reception.log = lambda level, line: self.lines.append(line)
        self.table: Identity = await desk.enroll("t1", 1)
        await desk.enroll("t2", 2)
        state = await desk.create("open", final_file())
        match = finals_of(state.tournament).due[0]
        assert match.rules.may is May.COLOUR_OR_DRAW_WIN
        chooser = match.chooses()
        assert chooser is not None
        self.chooser, self.other = chooser, match.players[1]
        choice = FinalChoice(match.title, match.stage, match.players[0], match.players[1], 1, at_table=True)
        await desk.run("publish-finals", games=[choice])

    @property
    def state(self) -> TournamentState:
        return self.served.store.states["open"]

    @property
    def game(self) -> Game:
        (game,) = self.state.present_games
        return game

    def assignment(self) -> Assignment:
        """Return the last assignment that went to the table."""
        topic, payload = [message for message in self.sent if message[0].device == "t1"][-1]
        message = decode(topic, payload)
        assert isinstance(message, Assignment)
        return message

    async def say(self, black: str, draw_win: str | None, key: bytes | None = None, by: str = "t1") -> None:
        choice = ColourChosen(self.game.id, black, draw_win)
        status = sign(Status(online=True, game=self.game.id, seat=1, choice=choice), key or self.table.key)
        topic = Topic("open", by, Kind.STATUS)
        await taken(self.reception, [Arrival(str(topic), encode(status))])


@pytest.fixture
async def room(served: Any) -> AsyncIterator[Room]:
    async with served:
        opened = Room(served, [])
        await opened.open()
        yield opened


@pytest.mark.clause("woc-2019 IV.9")
async def test_a_choice_made_at_the_table_is_asked_for_recorded_and_assigned(room: Room) -> None:
    asked = room.assignment()
    assert (asked.chooses, asked.may) == (room.chooser, May.COLOUR_OR_DRAW_WIN)
    assert asked.header is not None and asked.header["draw_win"] is None
    await room.say(black=room.other, draw_win=room.chooser)
    assigned = room.assignment()
    assert assigned.seq > asked.seq and assigned.game == asked.game and assigned.chooses is None
    assert assigned.header is not None
    assert (assigned.header["black"]["id"], assigned.header["draw_win"]) == (room.other, "white")
    assert header_object(header_of(room.state, room.game)) == assigned.header
    final = room.state.tournament.finals[0]
    assert (final.black, final.white, final.draw_win) == (room.other, room.chooser, room.chooser)
    assert asdict(fold(await room.served.store.entries("open"))) == asdict(room.state)


async def test_said_again_it_changes_nothing_and_the_table_is_told_again(room: Room) -> None:
    await room.say(room.chooser, room.other)
    before, sent = room.state, len(room.sent)
    await room.say(room.chooser, room.other)
    assert room.state == before and len(room.sent) > sent


async def test_only_the_table_itself_says_it_and_only_what_may_be_chosen(room: Room) -> None:
    before = room.state
    await room.say(room.chooser, room.other, key=b"0" * 32)
    await room.say(room.chooser, room.other, by="t2")
    await room.say("p1", room.other)
    await room.say(room.chooser, None)
    assert room.state == before
    assert sum("choice put aside" in line for line in room.lines) == 2
    assert sum("bad signature" in line for line in room.lines) == 2


async def test_who_takes_the_publishing_back_takes_the_choice_back(room: Room) -> None:
    await room.say(room.chooser, room.other)
    await room.served.run("undo-entry")
    assert room.state.present_games == () or all(game.final is None for game in room.state.present_games)
    assert room.state.tournament.finals == ()


async def test_nobody_chooses_where_colours_are_reversed(room: Room) -> None:
    desk = room.served
    await room.say(room.chooser, room.other)
    await desk.run("enter-result", game=room.game.id, score=(40, 24), reason="board")
    match = finals_of(room.state.tournament).due[0]
    better, other = match.players
    first = FinalChoice(match.title, match.stage, better, other, 2)
    state = await desk.run("publish-finals", games=[first])
    (game,) = [present for present in state.present_games if present.score is None]
    state = await desk.run("enter-result", game=game.id, score=(40, 24), reason="board")
    second = FinalChoice(match.title, match.stage, other, better, 2, at_table=True)
    with pytest.raises(Refused, match="nobody chooses"):
        finals_publication(state, await desk.store.entries("open"), [second], 9)


@pytest.mark.clause("woc-2019 IV.9", "woc-2017 IV.9")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
async def test_the_director_leaves_the_choice_to_the_table_and_is_told_when_its_five_minutes_are_over(
    served: Any, rulebook: str
) -> None:
    async with served:
        await served.enroll("t1", 1)
        await served.create("open", final_file() | {"rulebook": rulebook})
        client, csrf = await served.entered(Role.DIRECTOR)
        page = (await client.get("/desk/t/open/finals")).text
        assert 'value="table" checked' in page
        match = re.search(r'name="m0-match" value="([^"]+)"', page)
        assert match is not None
        form = {"m0-match": match[1], "m0-play": "1", "m0-way": "table", "m0-table": "1", "csrf": csrf}
        assert (await client.post("/desk/t/open/finals", data=form)).status_code == 303
        (game,) = served.store.states["open"].present_games
        assert game.final is not None and game.final.awaits_choice
        page = (await client.get("/desk/t/open/finals")).text
        assert "has not chosen yet" in page and "The five minutes are over" not in page
        assert "has not chosen its colours in time" not in (await client.get("/desk/t/open/round")).text
        before = served.store.states["open"]
        served.wall += datetime.timedelta(hours=1)
        assert "The five minutes are over" not in (await client.get("/desk/t/open/finals")).text, (
            "a clock put on"
        )
        served.now_ns += 300 * 1_000_000_000
        assert "The five minutes are over" in (await client.get("/desk/t/open/finals")).text
        assert "has not chosen its colours in time" in (await client.get("/desk/t/open/round")).text
        assert served.store.states["open"] == before, "a notice, no penalty"

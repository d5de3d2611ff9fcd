"""Results that the hub could not judge, or judges otherwise.

Each is in question to the operator and in public until it is judged or ruled upon, while no other result waits for it.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import result_of, tournament_file
from helpers.hub_in_one import judged_again, neighbours, taken
from helpers.hub_served import Served
from helpers.waiting import PATIENCE_S
from msgspec.structs import replace

from flagfall.base.message import Message
from flagfall.link.identity import Identity
from flagfall.link.messages import Result, encode
from flagfall.link.packed_file import PackedFile, pack, unpack
from flagfall.link.signature import sign
from flagfall.link.topics import Arrival, Kind, Topic
from flagfall.othello.game import Header
from flagfall.othello.gamefile import format_game, header_object, parse_header
from flagfall.othello.side import Both
from hub.child_process import AsideFailed
from hub.record.header import header_of
from hub.role import Role
from hub.tables.inbound import LARGEST_RESULT_BYTES
from hub.tables.rejudging import RefereeAside, Rejudging


class SlowReferee(RefereeAside):
    """A referee without objections that takes for ever over one game, until it is `let`."""

    def __init__(self, slow: str) -> None:
        self.slow = slow
        self.let = asyncio.Event()
        self.asked_late = asyncio.Event()

    async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Any, ...]:
        if json.loads(message)["game"] == self.slow:
            if longest_s < 10:
                raise AsideFailed("expected an answer within {longest_s} s, got none", longest_s="5")
            self.asked_late.set()
            await self.let.wait()
        return ()


class Room:
    """Two tables at one event, the hub's pages over them, and a referee."""

    def __init__(self, served: Any) -> None:
        self.served = served

    async def begin(self) -> None:
        served = self.served
        self.identities: list[Identity] = []
        await served.create("open", tournament_file(4, rounds_planned=1))
        for seat in (1, 2):
            self.identities.append(await served.enroll(f"t{seat}", seat))
        await served.run("publish-round")
        await served.run("start-round")
        self.games = sorted(served.store.states["open"].games.values(), key=lambda game: game.table)
        self.reception, self.rejudging = served.hub.inbound, served.hub.rejudging

    def refereed(self, referee: Any) -> Rejudging:
        self.rejudging.referee = referee
        return self.rejudging

    def header(self, table: int) -> dict[str, Any]:
        return header_object(header_of(self.served.store.states["open"], self.games[table]))

    async def arrives(self, result: Result, table: int) -> None:
        topic = Topic("open", f"t{table + 1}", Kind.RESULT)
        await taken(self.reception, [Arrival(str(topic), encode(result))])

    async def is_in_question(self, table: int) -> tuple[bool, bool]:
        """Return whether the table's result is in question to the operator, and in public."""
        director, _ = await self.served.entered(Role.DIRECTOR)
        desk = (await director.get("/desk/t/open/round")).text
        answer = (await self.served.browser().get("/api/1/public/tournaments/open/games")).json()
        public = [game["in_question"] for game in answer["games"] if game["table"] == table + 1]
        doubted = "The result is in question" in desk or "own check of the game disagrees" in desk
        return doubted, public == [True]


@pytest.fixture
async def room(tmp_path: Path) -> AsyncIterator[Room]:
    async with (served := Served(tmp_path, pair=neighbours)):
        opened = Room(served)
        await opened.begin()
        yield opened


# Pages on which a score, or points that rest on it, stand.
SHOWN = (
    "/t/open",
    "/t/open/players",
    "/t/open/players/p1",
    "/t/open/standings",
    "/t/open/games",
    "/t/open/games/{game}",
    "/hall/open?show=standings,tables",
    "/print/open/by-table",
    "/print/open/sheets",
    "/print/open/standings",
    "/print/open/cross-table",
)


async def test_wherever_its_score_is_shown_it_is_said_to_be_in_question(room: Room) -> None:
    served = room.served
    rejudging = room.refereed(SlowReferee("none"))
    stranger, game = served.browser(), room.games[0].id

    async def doubted() -> dict[str, int]:
        pages = {path: await stranger.get(path.format(game=game)) for path in SHOWN}
        assert all(page.status_code == 200 for page in pages.values())
        return {path: page.text.count("result in question") for path, page in pages.items()}

    await room.arrives(result_of(room.header(0), game, room.identities[0], (40, 24)), 0)
    await judged_again(rejudging)
    assert not any((await doubted()).values())
    await served.run("enter-result", game=game, score=(24, 40), reason="board")
    doubts = await doubted()
    assert all(doubts.values()), doubts
    assert doubts["/t/open/standings"] == 4, "both players, their points and their games, and nobody else"
    await served.run("decide-result", game=game, score=(24, 40), reason="board", why="seen")
    assert not any((await doubted()).values())


async def test_one_slow_game_delays_no_other_and_is_in_question_until_it_is_judged(room: Room) -> None:
    served = room.served
    referee = SlowReferee(room.games[0].id)
    rejudging = room.refereed(referee)
    running = asyncio.create_task(rejudging.run())
    for table in (0, 1):
        identity = room.identities[table]
        await room.arrives(result_of(room.header(table), room.games[table].id, identity, (40, 24)), table)
    await asyncio.wait_for(referee.asked_late.wait(), PATIENCE_S)
    games = served.store.states["open"].games
    assert games[room.games[0].id].in_question and not games[room.games[1].id].in_question
    assert await room.is_in_question(0) == (True, True)
    assert (await room.is_in_question(1))[1] is False
    # While the slow one is being judged, others are.
    again = result_of(room.header(1), room.games[1].id, room.identities[1], (40, 24), revision=2, signed=True)
    await room.arrives(again, 1)
    referee.let.set()
    async with asyncio.timeout(PATIENCE_S):
        while served.store.states["open"].games[room.games[0].id].in_question:
            await asyncio.sleep(0)
    assert (await room.is_in_question(0))[1] is False
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


@pytest.mark.parametrize("ruled", (False, True))
async def test_a_game_of_400_000_presses_is_in_question_until_the_director_rules(
    room: Room, ruled: bool
) -> None:
    served = room.served
    header, identity = room.header(0), room.identities[0]
    presses = b'{"type":"press","by":"black","at_ns":1}\n' * (100_000 if ruled else 400_000)
    packed = pack(format_game(parse_header(header), []).encode() + presses)
    lie = result_of(header, room.games[0].id, identity, (40, 24))
    lie = replace(
        lie, score=Both(64, 0), winner="black", file=packed.file, sha256=packed.sha256, signature=""
    )
    lie = sign(lie, identity.key)
    assert len(encode(lie)) < LARGEST_RESULT_BYTES
    rejudging = room.refereed(RefereeAside())
    await room.arrives(lie, 0)
    await judged_again(rejudging)
    assert served.store.states["open"].games[room.games[0].id].score == (64, 0)
    assert await room.is_in_question(0) == (True, True)
    if ruled:
        game = room.games[0].id
        await served.run("enter-result", game=game, score=(40, 24), reason="board")
        assert (await room.is_in_question(0))[1] is True
        await served.run("decide-result", game=game, score=(40, 24), reason="board", why="seen")
        assert (await room.is_in_question(0))[1] is False


@pytest.mark.parametrize(
    ("was", "lie"),
    [
        pytest.param(b'"minutes":', b'"minutes":1%s,"was":' % (b"0" * 400), id="a number beyond all floats"),
        pytest.param(b'"type":"start"', rb'"type":"tick","note":"\ud800"', id="half of a surrogate pair"),
    ],
)
async def test_a_game_file_that_nobody_can_read_is_in_question_and_the_next_is_judged(
    room: Room, was: bytes, lie: bytes
) -> None:
    # Each ended the hub, and again at each start, when all results are judged anew.
    rejudging = room.refereed(RefereeAside())
    for table, claimed in ((0, (40, 24)), (1, (64, 0))):
        header, identity = room.header(table), room.identities[table]
        result = result_of(header, room.games[table].id, identity, (40, 24), claimed=claimed)
        if table == 0:
            file = unpack(PackedFile(result.file, result.sha256))
            assert was in file
            packed = pack(file.replace(was, lie))
            result = sign(replace(result, file=packed.file, sha256=packed.sha256), identity.key)
        await room.arrives(result, table)
    await judged_again(rejudging)
    assert await room.is_in_question(0) == await room.is_in_question(1) == (True, True)


async def test_whatever_goes_wrong_with_one_result_the_next_is_judged(room: Room) -> None:
    class Broken(SlowReferee):
        async def differences(self, message: str, assigned: Header, longest_s: float) -> tuple[Any, ...]:
            if self.slow in message:
                raise AssertionError("never thought of")
            return (Message.of("another score"),)

    rejudging = room.refereed(Broken(room.games[0].id))
    for table in (0, 1):
        header, game = room.header(table), room.games[table].id
        await room.arrives(result_of(header, game, room.identities[table], (40, 24)), table)
    await judged_again(rejudging)
    assert (await room.is_in_question(1))[1] is True

"""Examples of every message."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from helpers.link_room import Room

from flagfall.link.messages import (
    AnyMessage,
    Assignment,
    Call,
    ClockShown,
    Move,
    Receipt,
    Result,
    RulingMessage,
    Status,
    Update,
)
from flagfall.link.packed_file import pack
from flagfall.othello.side import Both

GAME_FILE = (
    b'{"type":"game","format":"flagfall-game/1","rulebook":"woc-2019",'
    b'"black":{"id":"11"},"white":{"id":"22"}}\n{"type":"start","at_ns":0}\n'
)


@pytest.fixture
def result() -> Result:
    packed = pack(GAME_FILE)
    return Result(
        id="woc-r1-t1.1",
        game="woc-r1-t1",
        revision=1,
        device="t7",
        hub=(b"h" * 32).hex(),
        tournament="woc",
        players=Both("11", "22"),
        score=Both(40, 24),
        winner="black",
        reason="board",
        transcript="f5d6c3",
        clocks_ns=Both(1_000, 0),
        flags=Both(0, 1),
        incidents=[{"at_ns": 5, "type": "flag", "by": "white", "squares": [], "state": None}],
        signatures=Both(True, False),
        file=packed.file,
        sha256=packed.sha256,
    )


@pytest.fixture
def messages(result: Result) -> list[AnyMessage]:
    return [
        Status(online=True, version="0.1.0", fit=True, answers={"r1": "applied"}, game="g", seat=4),
        Status(online=False),
        Assignment(seq=1, tournament="woc", game="g", seat=4, header={"type": "game", "minutes": 30}),
        Assignment(seq=2),
        ClockShown(
            game="g",
            state="running",
            running="black",
            clocks_ns=Both(1, 2),
            flags=Both(0, 0),
            to_move="black",
            moves=0,
            position="-" * 64,
            transcript="",
        ),
        Move(game="g", transcript="f5d6"),
        Call(wanted=True, why="dispute", game="g"),
        result,
        Receipt(id="g.1", accepted=True, head="0" * 64),
        Receipt(id="g.1", accepted=False, why="unknown game"),
        RulingMessage(
            id="r1", game="g", expires_s=60, rule="adjust_time", fields={"player": "black", "seconds": -60}
        ),
        Update(seq=7, version="0.2.0", size_bytes=1_000_000, sha256="0" * 64, port=8000),
    ]


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.close()

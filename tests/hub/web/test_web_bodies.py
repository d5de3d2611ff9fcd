"""A body that is not as expected is refused in one line: the place, what was expected, what stood there."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from msgspec.structs import fields

from hub.api import bodies
from hub.api.operations import OPERATIONS
from hub.model.games import Conditions
from hub.rounds.event_operations import EventOperations
from hub.text import Refused

KINDS = "result, colours, penalty, award, draw, double-forfeit, tables, players, final"


class Sent:
    def __init__(self, body: object) -> None:
        self._data = json.dumps(body).encode()

    async def stream(self) -> AsyncIterator[bytes]:
        yield self._data


def read(kind: type, body: object) -> Any:
    sent: Any = Sent(body)
    return asyncio.run(bodies.read_body(sent, kind))


@pytest.mark.parametrize(
    ("kind", "body", "line"),
    [
        (bodies.EnrolledDevice, {}, "device: expected a text of 1 to 500 characters, got nothing"),
        (bodies.EnrolledDevice, {"device": "t1", "again": "y"}, 'again: expected true or false, got "y"'),
        (bodies.Seat, {"seat": -1}, "seat: expected a whole number from 1 to 10000, got -1"),
        (bodies.Seat, [], "body: expected an object, got []"),
        (bodies.Pairings, {"minutes": "x"}, 'minutes: expected a number of minutes, got "x"'),
        (bodies.Ruling, {"rule": "x", "tables": 1}, 'tables: expected "all" or a list of numbers, got 1'),
        (
            bodies.Ruling,
            {"rule": "x", "tables": [1, "2"]},
            'tables[1]: expected a whole number from 0 to 1000000, got "2"',
        ),
        (bodies.TypedResult, {"score": [3]}, "score: expected [black, white] in discs, got [3]"),
        (bodies.TypedResult, {"score": [3, 65]}, "score[1]: expected a whole number from 0 to 64, got 65"),
        (bodies.FinalGames, {"games": [7]}, "games[0]: expected an object, got 7"),
        (
            bodies.FinalGames,
            {"games": [{"title": 1}]},
            "games[0].title: expected a text of 1 to 500 characters, got 1",
        ),
        (
            bodies.OfferedUpdate,
            {"sha256": "A" * 64},
            f'sha256: expected 64 hexadecimal digits, got "{"A" * 58}…',
        ),
        (bodies.Correction, {"why": "w"}, "change: expected an object, got nothing"),
        (bodies.Correction, {"change": [], "why": "w"}, "change: expected an object, got []"),
        (bodies.Correction, {"change": {}, "why": "w"}, f"change.kind: expected one of {KINDS}, got nothing"),
        (
            bodies.Correction,
            {"change": {"kind": "weather"}, "why": "w"},
            f'change.kind: expected one of {KINDS}, got "weather"',
        ),
        (
            bodies.Correction,
            {"change": {"kind": "colours", "round": "1", "player": "a"}, "why": "w"},
            'change.round: expected a whole number, got "1"',
        ),
        (
            bodies.Correction,
            {"change": {"kind": "result", "round": 1, "player": "a", "score": [1, None]}, "why": "w"},
            "change.score[1]: expected a whole number, got nothing",
        ),
        (bodies.SetShowing, {"boards": [0]}, "boards[0]: expected a whole number from 1 to 10000, got 0"),
    ],
)
def test_the_line_says_where_and_what(kind: type, body: object, line: str) -> None:
    with pytest.raises(Refused) as refused:
        read(kind, body)
    assert str(refused.value) == line


def test_what_may_be_left_out_has_its_default_and_what_is_not_known_is_passed_over() -> None:
    asked = read(bodies.Pairings, {"minutes": 25, "colour": "red"})
    assert asked.round is None
    assert asked.conditions() == Conditions(minutes=25)


def test_a_command_takes_each_field_of_its_body_and_needs_no_other() -> None:
    of_bodies = [(one.command, one.body) for one in OPERATIONS if one.command is not None]
    assert len(of_bodies) > 6
    for command, body in [*of_bodies, (EventOperations.show, bodies.SetShowing)]:
        taken = [*inspect.signature(command).parameters.values()][1:]
        said = {one.name for one in fields(body)}
        needed = {one.name for one in taken if one.default is one.empty}
        assert needed <= said <= {one.name for one in taken}, body

"""A body that is not as expected is refused in one line: the place, what was expected, what stood there."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from hub.api.addresses import COMMANDS as ADDRESSES
from hub.api.addresses import TOURNAMENT
from hub.api.app import read_body
from hub.api.operations import OPERATIONS
from hub.commands.corrections import Correction
from hub.commands.desk import Nothing
from hub.commands.results import TypedResult
from hub.commands.rounds import FinalGames, Pairings
from hub.commands.rulings import Ruling
from hub.commands.table import COMMANDS
from hub.commands.tables import EnrolledDevice, OfferedUpdate
from hub.model.games import Conditions
from hub.record.acts.at_doors import door
from hub.record.acts.devices import SeatAssigned
from hub.record.acts.event import ShowingSet
from hub.record.acts.table import ACTS
from hub.text import Refused

KINDS = "result, colours, penalty, award, draw, double-forfeit, tables, players, final"


class Sent:
    def __init__(self, body: object) -> None:
        self._data = json.dumps(body).encode()

    async def stream(self) -> AsyncIterator[bytes]:
        yield self._data


def read(kind: type, body: object) -> Any:
    sent: Any = Sent(body)
    return asyncio.run(read_body(sent, kind))


@pytest.mark.parametrize(
    ("kind", "body", "line"),
    [
        (EnrolledDevice, {}, "device: expected a text of 1 to 500 characters, got nothing"),
        (EnrolledDevice, {"device": "t1", "again": "y"}, 'again: expected true or false, got "y"'),
        (door(SeatAssigned), {"seat": -1}, "seat: expected a whole number from 1 to 10000, got -1"),
        (door(SeatAssigned), [], "body: expected an object, got []"),
        (Pairings, {"minutes": "x"}, 'minutes: expected a number of minutes, got "x"'),
        (Ruling, {"rule": "x", "tables": 1}, 'tables: expected "all" or a list of numbers, got 1'),
        (
            Ruling,
            {"rule": "x", "tables": [1, "2"]},
            'tables[1]: expected a whole number from 0 to 1000000, got "2"',
        ),
        (TypedResult, {"score": [3]}, "score: expected [black, white] in discs, got [3]"),
        (TypedResult, {"score": [3, 65]}, "score[1]: expected a whole number from 0 to 64, got 65"),
        (FinalGames, {"games": [7]}, "games[0]: expected an object, got 7"),
        (
            FinalGames,
            {"games": [{"title": 1}]},
            "games[0].title: expected a text of 1 to 500 characters, got 1",
        ),
        (OfferedUpdate, {"sha256": "A" * 64}, f'sha256: expected 64 hexadecimal digits, got "{"A" * 58}…'),
        (Correction, {"why": "w"}, "change: expected an object, got nothing"),
        (Correction, {"change": [], "why": "w"}, "change: expected an object, got []"),
        (Correction, {"change": {}, "why": "w"}, f"change.kind: expected one of {KINDS}, got nothing"),
        (
            Correction,
            {"change": {"kind": "weather"}, "why": "w"},
            f'change.kind: expected one of {KINDS}, got "weather"',
        ),
        (
            Correction,
            {"change": {"kind": "colours", "round": "1", "player": "a"}, "why": "w"},
            'change.round: expected a whole number, got "1"',
        ),
        (
            Correction,
            {"change": {"kind": "result", "round": 1, "player": "a", "score": [1, None]}, "why": "w"},
            "change.score[1]: expected a whole number, got nothing",
        ),
        (door(ShowingSet), {"boards": [0]}, "boards[0]: expected a whole number from 1 to 10000, got 0"),
    ],
)
def test_the_line_says_where_and_what(kind: type, body: object, line: str) -> None:
    with pytest.raises(Refused) as refused:
        read(kind, body)
    assert str(refused.value) == line


def test_what_may_be_left_out_has_its_default_and_what_is_not_known_is_passed_over() -> None:
    asked = read(Pairings, {"minutes": 25, "colour": "red"})
    assert asked.round is None
    assert asked.conditions() == Conditions(minutes=25)


def test_every_address_of_an_act_or_a_command_is_an_operation_with_its_own_fields() -> None:
    offered = {(operation.method, operation.path): operation for operation in OPERATIONS}
    assert len(ADDRESSES) == 19
    for name, address in ADDRESSES.items():
        operation, command = offered.pop(address), COMMANDS[name]
        assert operation.summary == command.summary != ""
        given_in_address = address[0] == "DELETE" or name == "create-event"
        assert operation.body is (command.fields if not given_in_address else operation.body), name
    for act in ACTS:
        if act.API is not None:
            operation = offered.pop((act.API.method, f"{TOURNAMENT}/{act.API.path}"))
            assert operation.body in (door(act), Nothing)
    assert {method for method, _ in offered} == {"GET"}, "what changes something is an act or a command"

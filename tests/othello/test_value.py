"""The quick change of fields is `dataclasses.replace` in all that one can see of it."""

from __future__ import annotations

import dataclasses

import pytest

from othello.clock import Clock
from othello.game import Game, Header, Incident, IncidentType, Turn
from othello.referee import new_game
from othello.rulebook import rulebook
from othello.side import Both, Side
from othello.value import replace

GAME = new_game(Header(rulebook("woc-2019"), 30))


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (GAME, {"at_ns": 5, "turn": Turn(touched=(3,))}),
        (Clock(Both(5, 6)), {"running": Side.BLACK}),
        (Incident(1, IncidentType.FLAG), {"by": Side.WHITE}),
        (GAME, {}),
    ],
)
def test_the_same_as_the_standard_one_and_the_value_itself_stays(value, changes) -> None:
    before = dataclasses.replace(value)
    changed = replace(value, **changes)
    assert changed == dataclasses.replace(value, **changes)
    assert type(changed) is type(value) and value == before


def test_what_has_been_changed_is_frozen_still() -> None:
    changed: Game = replace(GAME, at_ns=5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.at_ns = 6  # type: ignore[misc]

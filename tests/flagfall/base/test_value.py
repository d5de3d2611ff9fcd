"""The quick change of fields is `dataclasses.replace`, and what grows a tuple, in all that one can see of them."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.value import Growing, replace
from flagfall.othello.clock import Clock
from flagfall.othello.game import Game, Header, Incident, IncidentType, Turn
from flagfall.othello.referee import new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Both, Side


@dataclasses.dataclass(frozen=True)
class Word:
    """It computes one thing once, and looks at its field."""

    letters: str = "a b"

    def __post_init__(self) -> None:
        object.__setattr__(self, "letters", self.letters.strip())

    @cached_property
    def length(self) -> int:
        return len(self.letters)


def measured(word: Word) -> Word:
    assert word.length == len(word.letters)
    return word


GAME = new_game(Header(rulebook("woc-2019"), 30))


@pytest.mark.parametrize(
    ("value", "changes"),
    [
        (GAME, {"at_ns": 5, "turn": Turn(touched=(3,))}),
        (Clock(Both(5, 6)), {"running": Side.BLACK}),
        (Incident(1, IncidentType.FLAG), {"by": Side.WHITE}),
        (GAME, {}),
        (Both(1, 2), {"black": 3}),
        (Both(1, 2), {"black": 3, "white": 4}),
        (Word(), {"letters": " long "}),
        (measured(Word()), {"letters": "long"}),
    ],
)
def test_the_same_as_the_standard_one_and_the_value_itself_stays(value, changes) -> None:
    before = dataclasses.replace(value)
    changed = replace(value, **changes)
    assert changed == dataclasses.replace(value, **changes)
    assert type(changed) is type(value) and value == before
    assert getattr(changed, "length", 4) == 4, "what was computed for the old value is not taken along"


@pytest.mark.parametrize("value", [GAME, Both(1, 2), Word()])
def test_a_name_that_is_no_field_is_refused(value) -> None:
    with pytest.raises(TypeError):
        replace(value, nothing=1)


def test_what_has_been_changed_is_frozen_still() -> None:
    changed: Game = replace(GAME, at_ns=5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        changed.at_ns = 6  # type: ignore[misc]


@given(st.integers(0, 400), st.lists(st.tuples(st.integers(0, 401), st.booleans()), max_size=5), st.data())
def test_what_grows_is_a_tuple(length: int, steps: list[tuple[int, bool]], data: st.DataObject) -> None:
    plain = tuple(range(length))
    grown = Growing.of(plain)
    for number, adds in steps:
        before, was = grown, plain
        if adds or not plain:
            grown, plain = grown.and_one(number), (*plain, number)
        else:
            place = number % len(plain)
            grown = grown.with_(place, -1)
            plain = (*plain[:place], -1, *plain[place + 1 :])
        assert tuple(before) == was, "what it grew from stays"
    part = data.draw(st.slices(len(plain)))
    assert (tuple(grown), len(grown), grown[part]) == (plain, len(plain), plain[part])
    assert grown == Growing.of(plain) and [grown[n - len(plain)] for n in range(len(plain))] == list(plain)
    with pytest.raises(IndexError):
        grown[len(plain)]

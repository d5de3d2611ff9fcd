"""Rulebooks that demand the same of a game: what is tried for one of them by day holds for all."""

from __future__ import annotations

import msgspec
import pytest

from flagfall.othello.rulebook import rulebook

from .conftest import ALIKE

# Read by nobody who judges: names, clauses, what concerns an event, and the time that a game's header names.
_NOT_JUDGED = {"id", "title", "cites", "left_out", "family", "event", "text", "minutes"}


@pytest.mark.parametrize(("book", "like"), ALIKE.items())
def test_two_texts_that_demand_the_same_have_the_same_values(book: str, like: str) -> None:
    one, other = msgspec.structs.asdict(rulebook(book)), msgspec.structs.asdict(rulebook(like))
    assert {name for name in one if one[name] != other[name]} <= _NOT_JUDGED
    assert one["cites"].keys() >= other["cites"].keys(), "each refusal has its clause in both"

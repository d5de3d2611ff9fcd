"""The reasons for which a game may have ended, by the text that it is played under."""

from __future__ import annotations

import pytest

from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import BUILT_IN, rulebook


@pytest.mark.parametrize("text", BUILT_IN)
def test_a_text_offers_the_reasons_that_it_knows(text: str) -> None:
    rules = rulebook(text)
    assert {Reason.BOARD, Reason.DEFAULT, Reason.RESIGNED, Reason.FORFEIT} <= set(rules.reasons)
    assert (Reason.WALKOVER in rules.reasons) == (rules.score.walkover is not None)
    assert (Reason.BOTH_FLAGS in rules.reasons) == (rules.flag.takes_effect == "claimed")

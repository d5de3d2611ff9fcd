"""The states of a player's flag, as docs/law.md draws them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from flagfall.othello.flag import Flag, FlagState

PAGE = Path(__file__).parents[3] / "docs" / "law.md"
ARROW = re.compile(r"^ +(\w+) --> (\w+): (\w+)$", re.MULTILINE)
FELL_NS = 7
MOVES: dict[str, Callable[[Flag], Flag]] = {
    "fall_untold": lambda flag: flag.fall_untold(FELL_NS),
    "claim": Flag.claim,
    "drop_claim": Flag.drop_claim,
    "forget": Flag.forget,
    "with_time_given": Flag.with_time_given,
    "await_pointing_out": Flag.await_pointing_out,
    "await_director": Flag.await_director,
    "notice": Flag.notice,
    "stay_unnoticed": Flag.stay_unnoticed,
    "wait_no_longer": Flag.wait_no_longer,
}
# Made by one way's file alone, which looks at the state before.
BEGIN = {"fall_untold", "claim", "await_pointing_out", "await_director"}


def drawn() -> dict[tuple[FlagState, str], FlagState]:
    """Return the arrows of the diagram: the state after each move in each state."""
    _, section = PAGE.read_text("utf-8").split("## A player's flag")
    diagram = section.split("```")[1]
    return {(FlagState(before), move): FlagState(after) for before, after, move in ARROW.findall(diagram)}


def flag_in(state: FlagState) -> Flag:
    fell_ns = FELL_NS if state in (FlagState.UNTOLD, FlagState.CLAIMED) else None
    return Flag(state, fell_ns=fell_ns)


@pytest.mark.parametrize("state", FlagState)
@pytest.mark.parametrize("move", MOVES)
def test_a_flag_moves_as_the_page_draws_it(state: FlagState, move: str) -> None:
    arrows = drawn()
    assert {name for _, name in arrows} == set(MOVES) and set(arrows.values()) == set(FlagState)
    if move in BEGIN and (state, move) not in arrows:
        return
    after = MOVES[move](flag_in(state))
    assert after.state is arrows.get((state, move), state)


@pytest.mark.parametrize("state", FlagState)
def test_a_flag_that_is_down_cannot_fall_again(state: FlagState) -> None:
    assert flag_in(state).down == (state is not FlagState.UP)


def test_a_claim_stands_though_its_player_is_given_time_and_the_flag_falls_again() -> None:
    given = flag_in(FlagState.CLAIMED).with_time_given()
    assert given.state is FlagState.CLAIMED and not given.down
    again = given.fall_untold(9)
    assert (again.state, again.fell_ns) == (FlagState.CLAIMED, 9)
    assert given.drop_claim() == Flag()


def test_an_annulled_flag_waits_for_nobody_and_is_off_the_record() -> None:
    assert Flag(FlagState.NOTICED, falls=2).annul() == Flag(falls=1)

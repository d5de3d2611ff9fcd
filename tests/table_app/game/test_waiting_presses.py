"""While a press waits for the board the screen shows the clocks that its verdict will leave."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.game import MINUTE_NS, SECOND_NS, Game, Header, State
from flagfall.othello.inputs import Input, Press, Ready, Rule, Ruling, Start, Stop
from flagfall.othello.referee import judge, new_game
from flagfall.othello.rulebook import BUILT_IN, rulebook
from flagfall.othello.side import Side
from table_app.game.table_game import with_presses

MINUTES = 0.05


def game_of(rules: str, judged: bool, sensors: bool) -> Game:
    text = rulebook(rules)
    increment_s = 0 if text.per_move == "nothing" else 1
    return new_game(Header(text, MINUTES, judged=judged, sensors=sensors, increment_s=increment_s))


def inputs(at_ns: int, kind: int, side: Side) -> Input:
    kinds = (
        Press(at_ns, side),
        Press(at_ns, side.other),
        Start(at_ns),
        Stop(at_ns, side),
        Ready(at_ns, side),
        Ruling(at_ns, Rule.RESUME),
        Ruling(at_ns, Rule.START_CLOCK, player=side),
        Ruling(at_ns, Rule.CORRECT_ERROR),
    )
    return kinds[kind]


@given(
    rules=st.sampled_from(sorted(BUILT_IN)),
    judged=st.booleans(),
    sensors=st.booleans(),
    steps=st.lists(
        st.tuples(st.integers(0, 7), st.sampled_from(Side), st.integers(0, 2 * SECOND_NS)),
        min_size=1,
        max_size=14,
    ),
)
def test_the_clocks_turn_as_they_do_for_a_press_whose_move_nobody_reads(
    rules: str, judged: bool, sensors: bool, steps: list[tuple[int, Side, int]]
) -> None:
    game = judge(game_of(rules, judged, sensors), Start(0))
    for kind, side, after_ns in steps:
        at_ns = game.at_ns + after_ns
        for presser in Side:
            press = Press(at_ns, presser)
            face, judged_blind = with_presses(game, (press,)), judge(replace(game, board_ok=False), press)
            if not judged_blind.over:
                assert (face.clock, face.state) == (judged_blind.clock, judged_blind.state)
            assert replace(face, clock=game.clock, state=game.state) == game, (
                "nothing but the clocks is shown"
            )
        game = judge(game, inputs(at_ns, kind, side))


@pytest.mark.parametrize("rules", sorted(BUILT_IN))
def test_two_presses_that_wait_turn_the_clocks_twice(rules: str) -> None:
    game = judge(judge(game_of(rules, True, True), Start(0)), Press(SECOND_NS, Side.WHITE))
    black, white = Press(2 * SECOND_NS, Side.BLACK), Press(3 * SECOND_NS, Side.WHITE)
    face = with_presses(game, (black, white))
    assert face.clock.running is Side.BLACK and face.state is State.RUNNING
    assert face.clock.charged_ns.black == face.clock.charged_ns.white == SECOND_NS


def test_a_flag_that_fell_before_a_waiting_press_is_counted() -> None:
    game = judge(judge(game_of("woc-2019", True, True), Start(0)), Press(0, Side.WHITE))
    late_ns = round(MINUTES * MINUTE_NS) + SECOND_NS
    face = with_presses(game, (Press(late_ns, Side.BLACK),))
    assert face.clock.left_ns(Side.BLACK, late_ns) == 120 * SECOND_NS - SECOND_NS


def test_the_first_press_of_an_absent_player_gives_no_time_for_a_move() -> None:
    game = judge(game_of("club", True, True), Start(0))
    game = judge(game, Ruling(0, Rule.START_CLOCK, player=Side.WHITE))
    face = with_presses(game, (Press(SECOND_NS, Side.WHITE),))
    assert face.clock.running is Side.BLACK
    assert face.clock.left_ns(Side.WHITE, SECOND_NS) == round(MINUTES * MINUTE_NS) - SECOND_NS

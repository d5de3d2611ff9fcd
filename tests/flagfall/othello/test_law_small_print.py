"""Clauses that hang on one condition of the code, each told apart from its opposite."""

from __future__ import annotations

import pytest

from flagfall.othello.referee import new_game
from flagfall.othello.side import Both

from .conftest import BLACK, WHITE, Table

BEFORE_A3 = "c4c3f5b4a4a5b2"


@pytest.mark.clause("usoa 5.1", "woc-2019 IV.1")
def test_nothing_is_charged_before_a_clock_runs():
    game = new_game(Table(minutes=30).header)
    assert (game.clock.charged_ns, game.clock.remaining_ns) == (Both(0, 0), Both(1800 * 10**9, 1800 * 10**9))
    assert Table(minutes=30).begin().tick(7).game.clock.charged_ns == Both(7 * 10**9, 0)


@pytest.mark.clause("usoa 3.7", "woc-2019 IV.4")
def test_a_board_that_comes_back_shows_a_pass_between_two_moves(table):
    """White's a3 leaves Black no move; he passes, and White plays f4, all while the board is away."""
    t = table().begin().moves(BEFORE_A3).line("board", state="lost")
    t.shown = t.shown.played(False, 16)
    t.wait(5).press(WHITE).wait(1).press(BLACK)
    t.shown = t.shown.played(False, 29)
    t.wait(5).press(WHITE).line("board", state="ok").show()
    assert (t.report["transcript"], t.game.owed, t.errors) == (BEFORE_A3 + "a3f4", 0, [])


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.8")
@pytest.mark.parametrize("touched", ["d3", "f5"])
def test_of_two_discs_laid_at_once_without_flips_the_one_touched_is_the_move(table, touched):
    t = table().begin().wait(5).touch(touched)
    bits = 1 << 19 | 1 << 37
    t.show(type(t.shown)(t.shown.black | bits, t.shown.white)).press(BLACK)
    assert (t.report["transcript"], [kind for kind, *_ in t.errors]) == (touched, ["misflip"])


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.1")
@pytest.mark.parametrize(("error", "bound"), [("illegal_move", False), ("touched_elsewhere", True)])
def test_only_a_touch_that_the_judge_upholds_binds_to_the_square_he_names(table, error, bound):
    t = table().begin()
    start = t.shown
    t.move("f5").rule("correct_error", error=error, square="d3").show(start).rule("corrected").move("f5")
    assert [kind for kind, *_, state in t.errors if state == "open"] == ["touched_elsewhere"] * bound


@pytest.mark.parametrize("owed", [1, 2, 3, 4])
def test_moves_entered_late_begin_with_whoever_pressed_first(table, owed):
    t = table(sensors=False).begin()
    for number in range(owed):
        t.wait(5).press(WHITE if number % 2 else BLACK)
    for square in ("f5", "d6", "c5", "f6")[:owed]:
        t.rule("enter_move", square=square)
    assert (t.report["transcript"], t.refusals, t.game.owed) == ("f5d6c5f6"[: 2 * owed], [], 0)

"""Errors that the next commitment accepts: nobody can name them, take them back or be accused of them after it."""

from __future__ import annotations

import pytest

from flagfall.othello.board import parse_square
from flagfall.othello.game import State, is_error_on_the_board

from .conftest import ALL, BLACK, WHITE


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ALL)
@pytest.mark.parametrize("touched", [True, False])
def test_a_misflip_put_right_without_any_procedure_is_held_against_nobody(table, book, touched):
    t = table(book, judged=False, minutes=30).begin().move("f5", wrong="e5").wait(3).turn("e5").wait(2)
    if touched:
        t.touch("d6")
    t.shown = t.shown.played(False, 43)
    t.show().press(WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "corrected")]
    assert t.report["transcript"] == "f5d6"


@pytest.mark.clause("woc-2019 IV.5.2")
def test_a_disc_turned_back_too_is_right_and_a_square_half_put_right_is_accepted_as_it_lies(table):
    t = table().begin().moves("f5d6").move("c5", wrong="d6").turn("d6").move("f4")
    assert t.errors == [("misflip", "black", ("d6",), "corrected")]
    assert not any(map(is_error_on_the_board, t.report["incidents"])), "all lies as the moves give it"
    t = table().begin().moves("f5d6").move("c3", wrong="d4 f5").turn("d4").move("f4")
    assert t.errors == [("misflip", "black", ("d4", "f5"), "accepted")]


@pytest.mark.clause("woc-2019 IV.5.2")
def test_what_the_answer_itself_turns_over_puts_nothing_right(table):
    """Black wrongly turns d6; White answers from the board as it lies, and turns d6 back by his own move."""
    t = table().begin().moves("f5d6").move("c3", wrong="d6")
    d6 = 1 << 43
    answers = [s for s in range(64) if t.game.legal(WHITE) >> s & 1 and t.game.before.flips(False, s) & d6]
    t.shown = t.shown.played(False, answers[0])
    t.show().press(WHITE)
    assert t.errors == [("misflip", "black", ("d6",), "accepted")]


def test_putting_right_after_the_touch_is_a_misflip_of_ones_own(table):
    t = table().begin().move("f5", wrong="e5").touch("c5").turn("e5").place("c5").press(WHITE)
    assert [e[:2] + e[3:] for e in t.errors] == [
        ("misflip", "black", "accepted"),
        ("misflip", "white", "open"),
    ]


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ALL)
@pytest.mark.parametrize(
    "fields", [{}, {"player": "black"}, {"square": "e5"}, {"player": "black", "square": "e5"}]
)
def test_an_accepted_error_named_by_the_judge_is_not_put_on_the_other(table, book, fields):
    t = table(book).begin().move("f5", wrong="e5").move("c5")
    t.rule("correct_error", error="misflip", **fields)
    assert t.state is State.RUNNING and len(t.refusals) == 1
    assert len(t.errors) == 1
    t.move("c4").move("c3").rule("correct_error", error="misflip", **fields)
    assert ("misflip", "white", (), "correcting") in t.errors or fields, "one of c3, which no sensor saw"
    assert len(t.refusals) == (2 if fields else 1)


@pytest.mark.clause("usoa 7.2")
@pytest.mark.parametrize("book", ALL)
def test_only_a_disc_of_the_wrong_colour_is_retracted(table, book):
    t = table(book).begin().move("f5", wrong="e5").rule("retract")
    assert t.refusals == ["no disc of the wrong colour can be taken back"]
    t = table(book).begin().wait(5).put("f5", False).press(BLACK).move("f4").rule("retract")
    assert t.errors == [("wrong_colour", "black", ("f5",), "accepted")]
    assert len(t.refusals) == 1


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.1")
def test_a_first_touch_that_only_the_judge_saw_binds_too(table):
    t = table().begin().wait(5)
    t.shown = t.shown.played(True, 37)
    t.show().press(BLACK).rule("correct_error", player="black", error="touched_elsewhere", square="d3")
    t.lift("f5").turn("e5").rule("corrected").move("c4")
    assert t.errors[-1] == ("touched_elsewhere", "black", ("d3",), "open")


@pytest.mark.clause("usoa 7.1", "usoa 7.5")
def test_who_corrects_his_own_error_need_not_name_it(table):
    t = table("usoa", judged=False).begin().move("f5", wrong="e5").line("signal", by="black")
    assert (t.state, t.game.clock.running, t.refusals) == (State.CORRECTING, BLACK, [])


@pytest.mark.parametrize("book", ALL)
def test_a_game_that_ends_in_a_correction_leaves_the_error_open_until_both_have_signed(table, book):
    t = table(book).begin().move("f5", wrong="e5").rule("correct_error").line("resign", by="black")
    assert t.errors == [("misflip", "black", ("e5",), "open")]
    assert [is_error_on_the_board(incident) for incident in t.report["incidents"]].count(True) == 1
    t.sign()
    assert t.errors == [("misflip", "black", ("e5",), "accepted")]
    assert [is_error_on_the_board(incident) for incident in t.report["incidents"]].count(True) == 1


@pytest.mark.parametrize("book", ALL)
def test_a_press_whose_move_nobody_could_read_accepts_too(table, book):
    t = table(book).begin().move("f5", wrong="e5").line("board", state="lost").wait(5).press(WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "accepted")]


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ALL)
@pytest.mark.parametrize("judged", [True, False])
def test_a_disc_that_lies_on_a_legal_square_has_accepted_though_no_touch_was_told(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().move("f5", wrong="e5").wait(2).put("c5", False)
    t.rule("correct_error").line("signal", by="white", error="misflip")
    assert (t.state, t.game.clock.running, len(t.refusals)) == (State.RUNNING, WHITE, 2)
    t.show(t.game.before.played(False, 34)).press(WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "accepted")]


@pytest.mark.parametrize("book", ALL)
def test_one_correction_at_a_time(table, book):
    t = table(book).begin().move("f5", wrong="e5").rule("correct_error").rule("stop")
    t.rule("correct_error", player="black", error="illegal_move", square="f5")
    assert t.refusals == ["an error is being corrected already"]
    assert [e[3] for e in t.errors] == ["correcting"]


def lies(t, discs: str):
    """Set a position for the judge, Black to move, which the board shows."""
    board = ["-"] * 64
    for disc in discs.split():
        board[parse_square(disc[:2])] = disc[2]
    t.rule("set_position", squares="".join(board), to_move="black")
    t.shown = t.game.shown
    return t.show()


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 IV.5.2", "usoa 3.7", "usoa 5.8")
@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("book", ALL)
def test_who_has_no_move_once_the_misflip_is_put_right_by_hand_passes(table, book, judged):
    t = lies(table(book, judged=judged).begin(), "a1X b1O a8X b8O").move("c1", wrong="b1")
    t.wait(1).turn("b1").wait(1).press(WHITE)
    assert t.errors == [("misflip", "black", ("b1",), "corrected")]
    assert t.state == "running" and t.game.to_move is BLACK
    assert t.move("c8").score == (64, 0)


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ALL)
def test_a_disc_that_only_the_board_put_right_allows_has_accepted_it(table, book):
    t = lies(table(book).begin(), "a4X b4O b5O").move("c4", wrong="b4")
    t.wait(1).turn("b4").wait(1).put("b3", black=False)
    t.rule("correct_error", error="misflip")
    assert t.state == "running" and t.refusals
    t.turn("b4").press(WHITE)
    assert t.errors == [("misflip", "black", ("b4",), "corrected")]

"""Readings decided for 0.2.0: touches and demands."""

from __future__ import annotations

import pytest

from flagfall.othello.board import START, parse_square, square_name
from flagfall.othello.game import State

from .conftest import BLACK, BOOKS, JUDGED, WHITE


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "woc-classic IV.4", "cc-2024 IV.4")
@JUDGED
@BOOKS
def test_the_square_touched_after_a_sleeves_binds(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().touch("d3").touch("f5").rule("unintentional_touch")
    assert square_name(t.game.turn.commit) == "f5"
    assert t.move("c4").errors == [("touched_elsewhere", "black", ("f5",), "open")]
    t = table(book, judged=judged, minutes=30).begin().touch("d3").touch("c4").move("f5")
    t.rule("unintentional_touch")
    assert [e[2:] for e in t.errors] == [(("d3",), "dismissed"), (("c4",), "open")]
    t.rule("unintentional_touch")
    assert [e[3] for e in t.errors] == ["dismissed", "dismissed"]


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "woc-classic IV.4", "cc-2024 IV.4")
@BOOKS
def test_a_sleeve_in_the_new_turn_does_not_free_the_square_upheld_before(table, book):
    t = table(book, minutes=30).begin().touch("d3").move("f5").rule("correct_error")
    t.show(START).rule("corrected").touch("c4")
    assert square_name(t.game.turn.in_question) == "c4"
    t.rule("unintentional_touch")
    assert square_name(t.game.turn.commit) == "d3"
    assert t.move("d3").errors == [("touched_elsewhere", "black", ("d3",), "corrected")]


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.8")
@BOOKS
def test_a_square_ruled_free_binds_nobody_because_of_the_move_taken_back_either(table, book):
    t = table(book, minutes=30).begin().put("f5", black=False).press(BLACK).rule("correct_error")
    t.show(START).rule("corrected").touch("f5").rule("unintentional_touch")
    assert t.game.turn.commit is None
    assert t.move("d3").errors == [("wrong_colour", "black", ("f5",), "corrected")]


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@BOOKS
def test_a_move_elsewhere_is_judged_on_the_board_that_the_touch_has_accepted(table, book):
    t = table(book, minutes=30).begin().move("f5").turn("e5", "f5").touch("d6")
    assert t.put("f6", black=False).press(WHITE).errors == [("illegal_move", "white", ("f6",), "open")]


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 3.9", "usoa 7.1")
@BOOKS
def test_who_moves_with_the_disc_he_dropped_answers_for_its_flips_alone(table, book):
    t = table(book, minutes=30).begin().move("f5").turn("f5").touch("f6", "dropped")
    t.show(t.shown.played(False, parse_square("f6"))).press(WHITE)
    assert ([incident["squares"] for incident in t.happened("disturbed")], t.errors) == ([["f5"]], [])


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@BOOKS
def test_a_disc_that_lies_right_again_makes_no_more_of_the_movers_flips_wrong(table, book):
    t = table(book, minutes=30).begin().moves("e6f4e3f6").move("c4", wrong="d4")
    t.shown = t.shown.played(False, parse_square("b4"))
    assert t.turn("d4").press(WHITE).errors[-1][:3] == ("misflip", "white", ("d4",))


@pytest.mark.clause("usoa 3.9", "woc-2019 IV.4")
@BOOKS
def test_a_square_on_which_a_disc_was_dropped_is_played_like_any_other(table, book):
    t = table(book, minutes=30).begin().touch("f5", "dropped").place("f5", wrong="e5").place("d6", by=WHITE)
    assert t.press(BLACK).report["transcript"][:2] == "f5"
    assert [error[:3] for error in t.errors] == [("misflip", "black", ("e5",))]


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.9")
@BOOKS
def test_a_disc_that_lay_there_first_is_the_movers_though_another_order_would_explain_more(table, book):
    t = table(book, minutes=30).begin().moves("e6f4c3d6c6").place("c4", wrong="d4").place("c5", by=BLACK)
    assert t.press(WHITE).report["transcript"][10:12] == "c4"
    assert [error[:3] for error in t.errors] == [("misflip", "white", ("d4",))]


@pytest.mark.clause("usoa 7.2", "usoa 3.9")
@BOOKS
def test_who_moves_with_the_disc_he_dropped_takes_back_its_flips_too(table, book):
    t = table(book, minutes=30).begin().touch("c5", "dropped")
    t.show(START.played(False, parse_square("c5"))).press(BLACK)
    assert (t.happened("disturbed"), t.errors) == ([], [("wrong_colour", "black", ("c5",), "open")])
    assert t.rule("correct_error").show(START).rule("corrected").game.before == START


@pytest.mark.clause("woc-2019 IV.8", "woc-2019 IV.5.2", "usoa 7.1")
@BOOKS
def test_a_flip_put_right_before_a_move_that_was_cut_short_is_corrected(table, book):
    t = table(book, minutes=30).begin().move("f5", wrong="e5").turn("e5")
    t.show(t.shown.played(False, parse_square("f6"))).rule("award", winner="white")
    assert t.sign().errors == [("misflip", "black", ("e5",), "corrected")]


@pytest.mark.clause("usoa 7.5", "woc-2019 IV.5.1")
@BOOKS
def test_a_demand_that_names_a_disc_that_lies_right_is_refused_with_that_word(table, book):
    t = table(book, judged=False, minutes=30).begin().move("f5", wrong="d4 e5").turn("d4")
    t.line("signal", by="white", error="misflip", square="d4")
    assert (t.state, t.refusals) == (State.RUNNING, ["the disc on d4 lies right"])
    t.line("signal", by="white", error="misflip", square="e5")
    assert t.state is State.CORRECTING

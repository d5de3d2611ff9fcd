"""Errors that players settle: by a signal, by pressing back, by the demands of the USOA's text."""

from __future__ import annotations

import pytest

from flagfall.othello.game import State

from .conftest import ALL, BLACK, WHITE, WOC


@pytest.mark.clause("woc-2019 IV.5.1.a (unjudged)", "woc-2019 IV.5.1.b (unjudged)")
@pytest.mark.clause("woc-2019 IV.5.1.c (unjudged)", "woc-2017 IV.5.1.a (unjudged)")
@pytest.mark.clause("woc-2017 IV.5.1.b (unjudged)", "woc-2017 IV.5.1.c (unjudged)")
@pytest.mark.clause("cc-2024 IV.5.1.a (unjudged)", "cc-2024 IV.5.1.b (unjudged)")
@pytest.mark.clause("cc-2024 IV.5.1.c (unjudged)")
@pytest.mark.parametrize("by", ["black", "white"])
@pytest.mark.parametrize("book", WOC)
def test_either_player_signals_and_the_offender_corrects_on_his_time(table, book, by):
    t = table(book, judged=False, minutes=30).begin().move("f5", wrong="e5").wait(4).line("signal", by=by)
    assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)
    t.wait(3).turn("e5").press(BLACK)
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "corrected")]
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1800 - 5 - 3, 1796)


def test_at_a_judged_table_a_signal_leaves_the_clocks_to_the_judge(table):
    t = table().begin().move("f5", wrong="e5").line("signal", by="white")
    assert (t.state, t.game.clock.running, t.refusals) == (State.RUNNING, WHITE, [])
    t.rule("correct_error")
    assert t.state is State.CORRECTING


def test_a_signal_where_nothing_is_wrong_is_refused(table):
    t = table(judged=False).begin().move("f5").line("signal", by="white", error="misflip")
    t.move("d6", wrong="e6").line("signal", by="black", error="illegal_move")
    assert t.refusals == ["no such error stands in the last move"] * 2
    assert t.game.clock.running is BLACK


@pytest.mark.clause("usoa 7.4")
@pytest.mark.parametrize("book", ALL)
def test_pressing_back_demands_the_correction(table, book):
    t = table(book, judged=False, minutes=30).begin().move("f5", 5, wrong="e5").wait(3).press(WHITE)
    assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)
    t.wait(7).turn("e5").press(BLACK)
    assert (t.state, t.game.clock.running) == (State.RUNNING, WHITE)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1788, 1797)


def test_pressing_back_is_a_demand_at_a_judged_table_too(table):
    t = table().begin().move("f5", wrong="e5").press(WHITE)
    assert t.state is State.CORRECTING
    t.turn("e5").rule("corrected")
    assert t.game.clock.running is WHITE


def test_correcting_by_a_press_that_leaves_it_wrong_ends_nothing(table):
    t = table(judged=False).begin().move("f5", wrong="e5").press(WHITE).wait(2).press(BLACK)
    assert t.game.clock.running is WHITE
    assert t.errors == [("misflip", "black", ("e5",), "open")], "it can be demanded again"
    t.press(WHITE)
    assert t.state is State.CORRECTING


def test_one_press_ends_the_correction_and_makes_the_new_move(table):
    t = table(judged=False).begin().wait(5).put("a1", True).press(BLACK).press(WHITE)
    assert (t.state, t.game.to_move, t.game.clock.running) == (State.CORRECTING, BLACK, BLACK)
    t.lift("a1").place("f5").press(BLACK)
    assert (t.state, t.game.to_move, t.game.clock.running) == (State.RUNNING, WHITE, WHITE)
    assert t.report["transcript"] == "f5"
    assert [e[3] for e in t.errors] == ["corrected"]


@pytest.mark.clause("woc-2019 IV.4")
def test_in_a_correction_too_the_first_legal_square_touched_binds(table):
    t = table(judged=False).begin().wait(5).put("a1", True).press(BLACK).press(WHITE)
    t.lift("a1").touch("h8").touch("d3").touch("f5").place("f5").press(BLACK)
    assert [e[:3] for e in t.errors[1:]] == [("touched_elsewhere", "black", ("d3",))]


def test_taking_back_without_a_new_disc_is_a_press_without_a_move(table):
    t = table(judged=False).begin().wait(5).put("a1", True).press(BLACK).press(WHITE)
    t.lift("a1").press(BLACK)
    assert [e[0] for e in t.errors] == ["illegal_move", "illegal_pass"]
    assert t.game.clock.running is WHITE


def test_the_opponents_press_in_a_correction_is_out_of_turn(table):
    t = table(judged=False).begin().move("f5", wrong="e5").press(WHITE).press(WHITE)
    assert t.state is State.CORRECTING and t.happened("press_out_of_turn")


@pytest.mark.clause("usoa 7.5")
def test_the_demand_names_the_error(table):
    t = table("usoa", judged=False).begin().move("f5", wrong="e5").line("signal", by="white")
    assert t.refusals == ["the demand must name the error (7.5)"]
    t.line("signal", by="white", error="misflip")
    assert t.state is State.CORRECTING


@pytest.mark.clause("usoa 7.5")
def test_demanding_back_an_illegal_pass_names_a_legal_move(table):
    t = table("usoa", judged=False).begin().wait(5).press(BLACK)
    t.line("signal", by="white", error="illegal_pass").line(
        "signal", by="white", error="illegal_pass", square="a1"
    )
    assert t.refusals == ["the demand must name a legal move that was there (7.5)"] * 2
    t.line("signal", by="white", error="illegal_pass", square="f5")
    assert (t.state, t.game.to_move) == (State.CORRECTING, BLACK)


@pytest.mark.clause("usoa 7.2")
@pytest.mark.parametrize("judged", [True, False])
def test_a_disc_of_the_improper_colour_is_retracted_and_touch_move_binds(table, judged):
    t = table("usoa", judged=judged).begin().wait(5).touch("f5").put("f5", False).press(BLACK)
    assert t.errors == [("wrong_colour", "black", ("f5",), "open")]
    t.rule("retract")
    assert (t.state, t.game.to_move, t.game.clock.running) == (State.CORRECTING, BLACK, BLACK)
    t.lift("f5")
    if judged:
        t.rule("corrected")
    t.place("d3").press(BLACK)
    assert t.errors[-1] == ("touched_elsewhere", "black", ("f5",), "open"), "he must play to f5"


@pytest.mark.clause("usoa 7.2")
def test_a_disc_of_the_improper_colour_binds_though_no_touch_was_told(table):
    t = (
        table("usoa")
        .begin()
        .wait(5)
        .put("f5", False)
        .press(BLACK)
        .rule("retract")
        .lift("f5")
        .rule("corrected")
    )
    t.place("d3").press(BLACK)
    assert t.errors[-1] == ("touched_elsewhere", "black", ("f5",), "open")


@pytest.mark.clause("usoa 7.3")
def test_two_improper_colours_in_succession_stand_and_reverse_the_colours(table):
    t = table("usoa").begin()
    # Black plays a white disc as White would, White answers with a black one.
    t.wait(5).put("e3", False).turn("e4").press(BLACK)
    assert t.errors == [("wrong_colour", "black", ("e3",), "open")]
    t.wait(5).put("f5", True).turn("e5").press(WHITE)
    assert t.report["colours_reversed"] is True
    assert [e[3] for e in t.errors] == ["accepted"]
    assert (t.game.to_move, t.report["transcript"]) == (BLACK, "e3f5")
    # From now on Black owns the white discs.
    t.move("f6")
    assert len(t.errors) == 1
    assert t.game.clock.running is WHITE


@pytest.mark.clause("usoa 7.3")
@pytest.mark.parametrize(("square", "turned"), [("f5", []), ("f5", ["e5", "d4"]), ("a1", []), ("e6", ["e5"])])
def test_the_second_improper_move_stands_as_it_was_made(table, square, turned):
    t = table("usoa").begin().wait(5).put("e3", False).turn("e4").press(BLACK)
    # A legal square or none, the flips right or not: neither move can be challenged.
    t.wait(5).put(square, True).turn(*turned).press(WHITE)
    assert t.errors == [("wrong_colour", "black", ("e3",), "accepted")]
    assert t.report["colours_reversed"] is True
    assert t.game.before == t.shown


@pytest.mark.clause("usoa 7.3")
def test_with_reversed_colours_the_count_goes_to_the_players_of_the_header(table):
    t = table("usoa").begin().wait(5).put("e3", False).turn("e4").press(BLACK)
    t.wait(5).put("f5", True).turn("e5").press(WHITE)
    discs = t.report["position"]
    score = t.report["board_score"]
    assert (score["black"], score["white"]) == (discs.count("O"), discs.count("X"))


def test_elsewhere_two_wrong_colours_are_two_errors(table):
    t = table().begin().wait(5).put("e3", False).turn("e4").press(BLACK)
    t.wait(5).put("f5", True).turn("e5").press(WHITE)
    assert [e[0] for e in t.errors] == ["wrong_colour", "wrong_colour"]
    assert t.report["colours_reversed"] is False

"""Games that no sensor reads: moves entered early or late, errors that only people saw."""

from __future__ import annotations

import pytest

from flagfall.othello.board import FULL, START, Position, format_position, format_transcript, square_name
from flagfall.othello.game import State
from flagfall.othello.reading.lines import lines_to
from flagfall.othello.side import Both

from .conftest import ALL, BLACK, WHITE

AFTER_F5 = format_position(START.played(True, 37))

NINE = ("f5", "d6", "c5", "f6", "e7", "f4", "g5", "e6", "e3")


def enter(t, squares=NINE):
    for square in squares:
        t.rule("enter_move", square=square)
    return t


def press_in_turn(t, times, seconds=10):
    for index in range(times):
        t.wait(seconds).press(WHITE if index % 2 else BLACK)
    return t


@pytest.mark.parametrize("book", ALL)
def test_moves_entered_ahead_end_nothing_before_their_own_presses(table, book):
    t = press_in_turn(enter(table(book, sensors=False, minutes=30).begin()), 8)
    assert (t.state, t.game.clock.running) == (State.RUNNING, BLACK)
    t.wait(10).press(BLACK)
    assert (t.state, t.score) == (State.FINISHED, (64, 0))
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1750, 1760)


@pytest.mark.clause("woc-2019 V.2.a", "usoa 9.3")
@pytest.mark.parametrize("book", ALL)
def test_a_penalty_after_the_last_press_outlives_the_time_that_is_given_back(table, book):
    t = press_in_turn(table(book, sensors=False, minutes=30).begin(), 9).wait(5)
    enter(t.rule("adjust_time", player="white", seconds=-100).wait(5))
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1750, 1660)


@pytest.mark.clause("woc-2019 IV.5.1.c (unjudged)", "usoa 7.4")
@pytest.mark.parametrize("book", ALL)
def test_without_sensors_too_the_offenders_press_ends_his_correction(table, book):
    t = table(book, sensors=False, judged=False, minutes=30).begin().wait(5).press(BLACK).wait(2)
    t.line("signal", by="white", error="misflip", square="e5").wait(3).press(BLACK)
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "corrected")]
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1792, 1798)
    t.wait(4).press(WHITE)
    enter(t, NINE[:2])
    assert t.report["transcript"] == "f5d6"


@pytest.mark.parametrize("entered", [False, True])
def test_a_move_of_a_clock_game_that_is_taken_back_is_gone_whether_entered_or_not(table, entered):
    t = table(sensors=False).begin().wait(5).press(BLACK)
    if entered:
        t.rule("enter_move", square="f5")
    t.rule("correct_error", player="black", error="illegal_move").rule("corrected")
    assert (t.report["transcript"], t.game.shown, t.game.to_move) == ("", START, BLACK)
    assert (t.game.owed, t.game.trays) == (0, Both(30, 30))


def test_a_counted_game_that_is_reopened_is_counted_again(table):
    t = table(sensors=False).begin().wait(5).press(BLACK).rule("enter_score", black=30, white=34)
    t.rule("correct_error", player="black", error="misflip", square="e5")
    assert t.score is None and t.report["board_score"] == {"black": 2, "white": 2}


@pytest.mark.clause("woc-2019 IV.2", "usoa 1.4")
@pytest.mark.parametrize("entered", [False, True])
@pytest.mark.parametrize("book", ["woc-2019", "usoa"])
def test_running_out_is_told_when_a_board_comes_back_or_moves_are_entered_too(table, book, entered):
    t = table(book).begin().rule("discs_moved", to="white", count=29).line("board", state="lost")
    for side, square in ((BLACK, 37), (WHITE, 43)):
        t.wait(5)
        t.shown = t.shown.played(side is BLACK, square)
        t.press(side)
        if entered:
            t.rule("enter_move", square=square_name(square))
    if not entered:
        t.line("board", state="ok").show()
    assert [e["by"] for e in t.happened("out_of_discs")] == ["black"]


def test_an_entered_answer_accepts_and_none_is_entered_while_an_error_is_corrected(table):
    t = table().begin().wait(5).press(BLACK).line("board", state="lost").rule("enter_move", square="f4")
    assert t.errors[0][3] == "accepted"
    t = table().begin().move("f5", wrong="e5").line("board", state="lost").rule("correct_error").rule("stop")
    t.rule("enter_move", square="d6")
    assert t.refusals == ["an error is being corrected"]


def test_after_any_other_end_than_a_flag_nothing_is_entered(table):
    t = table(sensors=False).begin().press(BLACK).line("resign", by="white").rule("enter_move", square="f5")
    t.rule("enter_score", black=40, white=24)
    counted = table(sensors=False).begin().press(BLACK).rule("enter_score", black=40, white=24)
    counted.rule("set_score", black=33, white=31).rule("enter_score", black=40, white=24)
    assert (t.score, t.refusals) == ((64, 0), ["the game is finished"] * 2)
    assert (counted.score, counted.refusals) == ((33, 31), ["the game is finished"])


@pytest.mark.clause("woc-2019 IV.5.3")
@pytest.mark.parametrize("stopped", [False, True])
def test_a_position_that_is_set_ends_what_was_owed_and_what_was_being_corrected(table, stopped):
    t = table(sensors=False).begin().press(BLACK).rule("correct_error", error="misflip")
    if stopped:
        t.rule("stop")
    t.rule("set_position", squares=AFTER_F5, to_move="white")
    assert (t.state, t.game.clock.running) == ((State.STOPPED, None) if stopped else (State.RUNNING, WHITE))
    assert ([e[3] for e in t.errors], t.game.correction) == (["corrected"], None)
    t.rule("resume").press(WHITE).rule("enter_move", square="d6")
    assert (t.report["transcript"], t.game.to_move, t.game.owed) == ("d6", BLACK, 0)


@pytest.mark.clause("woc-2019 IV.5.3")
def test_a_position_that_is_set_frees_who_had_touched_and_closes_the_last_move(table):
    t = (
        table()
        .begin()
        .move("f5", wrong="e5")
        .touch("a1")
        .rule("set_position", squares=AFTER_F5, to_move="white")
    )
    t.show(START.played(True, 37)).rule("correct_error", error="misflip").rule("stop").rule("resume")
    assert (t.refusals, t.happened("disturbed")) == (["no move stands that could be challenged"], [])
    t.touch("d6").rule("set_position", squares=AFTER_F5, to_move="white").move("f4")
    assert t.errors == [("misflip", "black", ("e5",), "corrected")]


def test_signing_accepts_an_error_whose_move_nobody_has_entered(table):
    t = table(sensors=False).begin().wait(5).press(BLACK)
    t.rule("correct_error", player="black", error="illegal_move").line("resign", by="white").sign()
    assert (t.state, t.errors[0][3]) == (State.SIGNED, "accepted")


@pytest.mark.parametrize(
    "shown", [Position(0, 1 << 35, FULL ^ 1 << 35), Position(1, 0, FULL ^ 1), Position(0, 0, FULL)]
)
def test_a_blind_board_is_not_looked_through_for_ever(shown, monkeypatch):
    looked_at = []
    legal = Position.legal
    monkeypatch.setattr(Position, "legal", lambda self, black: looked_at.append(1) or legal(self, black))
    lines = lines_to(START, True, shown, 8)
    assert lines is None or len(lines) > 1
    assert len(looked_at) <= 10_000


def test_eight_moves_owed_to_a_readable_board_are_found(table):
    t = table().begin().line("board", state="lost")
    line = (37, 43, 50, 21, 20, 19, 10, 51)  # The only order in which these eight discs can have been placed.
    for index, square in enumerate(line):
        t.shown = t.shown.played(index % 2 == 0, square)
        t.wait(5).press(WHITE if index % 2 else BLACK)
    t.line("board", state="ok").show()
    assert t.report["transcript"] == format_transcript(line) and t.errors == []

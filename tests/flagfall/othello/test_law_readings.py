"""Readings decided for 0.2.0: the last move put right, the board as it lies, chains of moves, starts."""

from __future__ import annotations

import pytest

from flagfall.othello.board import START, Position
from flagfall.othello.game import State
from flagfall.othello.judging.clocks import turned

from .conftest import BLACK, BOOKS, JUDGED, WHITE, WOC, last_move_wrong

EXCHANGED = Position(START.white, START.black)


def put_right(t, judged, mend):
    """Upheld or signalled, and put right: `mend` before or after, or by nobody's hand but the judge's word."""
    if mend == "before":
        t.turn("g1")
    t.rule("correct_error") if judged else t.line("signal", by="white", error="misflip")
    assert (t.state, t.score, t.game.clock.running) == (State.CORRECTING, None, BLACK)
    if mend == "after":
        t.wait(3).turn("g1")
    if mend == "swept":
        t.show(Position(0, 0))
    return t.rule("corrected") if judged else t.press(BLACK)


@pytest.mark.clause("woc-2019 IV.8", "woc-2019 IV.5.1", "usoa 7.1", "usoa 4.3")
@pytest.mark.parametrize("mend", ["before", "after", "swept"])
@JUDGED
@BOOKS
def test_the_last_move_put_right_counts_whenever_the_discs_were_moved(table, book, judged, mend):
    t = last_move_wrong(table, book, judged)
    assert (t.state, t.score) == (State.FINISHED, (47, 17))
    put_right(t, judged, mend)
    assert (t.state, t.score, t.report["reason"]) == (State.FINISHED, (48, 16), "board")
    assert t.errors == [("misflip", "black", ("g1",), "corrected")]
    assert len(t.refusals) == (mend == "swept"), "a swept board is refused, and the right position counts"


@BOOKS
def test_the_judges_word_alone_puts_the_last_move_right(table, book):
    t = put_right(last_move_wrong(table, book, True), True, "word")
    assert (t.score, t.report["board_score"]) == ((48, 16), {"black": 48, "white": 16})


@JUDGED
@BOOKS
def test_the_last_move_put_right_by_hand_counts_without_any_procedure(table, book, judged):
    t = last_move_wrong(table, book, judged).sign(BLACK).turn("g1")
    assert (t.state, t.score, t.game.signed.black) == (State.FINISHED, (48, 16), False)
    t.show(Position(0, 0)).sign()
    assert (t.state, t.score, t.errors[0][3]) == (State.SIGNED, (48, 16), "corrected")


@JUDGED
@BOOKS
def test_a_board_cleared_after_the_end_changes_nothing(table, book, judged):
    t = last_move_wrong(table, book, judged).lift("g1").show(START).show(Position(0, 0)).sign()
    assert (t.score, t.errors[0][3]) == ((47, 17), "accepted")


@JUDGED
@BOOKS
def test_one_disc_too_many_that_wipes_the_opponent_out_is_turned_back(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().move("f5", wrong="d4")
    assert t.score == (64, 0)
    t.turn("d4")
    t.rule("correct_error").rule("corrected") if judged else t.line(
        "signal", by="black", error="misflip"
    ).press(BLACK)
    assert (t.state, t.game.clock.running) == (State.RUNNING, WHITE)
    t.move("d6")
    assert (t.report["transcript"], len(t.errors)) == ("f5d6", 1)


# --- the board as it lies ------------------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.5.2", "woc-2017 IV.5.2", "woc-classic IV.5.2", "cc-2024 IV.5.2", "usoa 7.6")
@JUDGED
@BOOKS
@pytest.mark.parametrize("stopped", [True, False])
def test_a_disc_turned_in_nobodys_move_is_nobodys_error(table, book, judged, stopped):
    t = table(book, judged=judged, minutes=30).begin().move("f5")
    if stopped:
        t.rule("stop").turn("d5").turn("e4").rule("resume")
        assert len(t.happened("disturbed")) == 1, "told before the next move accepts it"
    else:
        t.turn("d5", "e4")
    t.move("f6")
    disturbed = [(e["by"], e["squares"], e["state"]) for e in t.happened("disturbed")]
    assert (t.errors, disturbed) == ([], [(None, ["e4", "d5"], None)])


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.3", "usoa 7.6")
@JUDGED
@BOOKS
def test_who_has_flipped_before_the_clocks_are_stopped_lays_his_disc_afterwards(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().turn("e5").rule("stop").rule("resume")
    t.put("f5", black=True).press(BLACK)
    assert (t.errors, t.report["transcript"], t.happened("wrong_start")) == ([], "f5", [])


@JUDGED
@BOOKS
def test_a_start_with_the_colours_exchanged_is_on_record_and_nobodys_error(table, book, judged):
    t = table(book, judged=judged, minutes=30).show(EXCHANGED).begin().move("f4").move("d3")
    assert (t.errors, t.report["transcript"]) == ([], "f4d3")
    assert [e["by"] for e in t.happened("wrong_start")] == [None] and not t.happened("disturbed")


def test_an_exchanged_start_that_is_put_right_before_the_signal_is_none(table):
    assert table().show(EXCHANGED).show(START).begin().move("f5").happened("wrong_start") == []


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.6")
@JUDGED
@BOOKS
def test_a_forgotten_starting_press_accuses_nobody(table, book, judged):
    t = table(book, judged=judged, minutes=30).line("start").moves("f5d6c5")
    assert (t.errors, t.report["transcript"], t.game.clock.running) == ([], "f5d6c5", WHITE)
    t = table(book, judged=judged, minutes=30).line("start").place("f5").place("d6", by=WHITE).press(WHITE)
    assert (t.report["transcript"], t.game.clock.running) == ("f5d6", BLACK)
    t.move("c5")
    assert [e["type"] for e in t.report["incidents"]] == []


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.6")
@JUDGED
@BOOKS
def test_a_press_over_the_discs_of_the_game_before_starts_nothing(table, book, judged):
    t = table(book, judged=judged, minutes=30).line("start")
    left = "-" * 20 + "X------XXX----XXXXX----XXX------X" + "-" * 11
    t.line("position", squares=left).press(BLACK)
    assert (t.state, t.report["moves"], len(t.happened("press_out_of_turn"))) == (State.WAITING, 0, 1)
    t.show(START).press(WHITE).move("f5")
    assert (t.errors, t.report["transcript"]) == ([], "f5")
    t = table(book, judged=judged, minutes=30).line("start").line("position", squares=left).press(WHITE)
    assert (t.game.clock.running, t.report["moves"]) == (BLACK, 0)
    assert t.show(START).move("f5").errors == []


@BOOKS
@pytest.mark.parametrize("lost", [False, True])
def test_without_a_board_only_whites_press_starts_the_clocks(table, book, lost):
    t = table(book, sensors=lost, minutes=30)
    t = (t.line("board", state="lost") if lost else t).line("start").wait(5).press(BLACK)
    assert turned(t.game, BLACK) == t.game, "nor does the screen show that it did"
    assert (t.state, t.game.clock.running, len(t.happened("press_out_of_turn"))) == (State.WAITING, None, 1)
    assert t.press(WHITE).game.clock.running is BLACK


@pytest.mark.clause("usoa 5.9")
@JUDGED
@pytest.mark.parametrize("settles", [True, False])
def test_usoa_all_that_lies_there_legally_is_read_as_moves(table, judged, settles):
    t = table("usoa", judged=judged).begin().wait(5)
    for square, black in (("f5", True), ("d6", False), ("c5", True)):
        index = 8 * (int(square[1]) - 1) + ord(square[0]) - ord("a")
        t.shown = t.shown.played(black, index)
        if settles:
            t.show()
    t.show().press(BLACK)
    assert (t.errors, t.report["moves"], t.game.to_move, t.game.clock.running) == ([], 3, WHITE, WHITE)
    if settles:
        assert t.report["transcript"] == "f5d6c5"


@pytest.mark.clause("woc-2019 IV.4")
@pytest.mark.parametrize("book", WOC)
def test_elsewhere_a_press_counts_all_up_to_its_players_last_move(table, book):
    t = table(book).begin().place("f5").place("d6", by=WHITE).place("c5", by=BLACK).place("f4", by=WHITE)
    transcripts = [t.press(by).report["transcript"] for by in (BLACK, WHITE)]
    assert (transcripts, t.errors) == (["f5d6c5", "f5d6c5f4"], [])


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 4.1", "usoa 7.1")
@BOOKS
def test_a_game_that_goes_on_as_a_flip_was_put_right_is_played_from_that_board(table, book):
    t = table(book, minutes=30).begin().move("d3", wrong="e5")
    assert t.state is State.FINISHED, "no white disc is left"
    t.turn("e5").place("c3", by=WHITE, wrong="e5").press(WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "corrected"), ("misflip", "white", ("e5",), "open")]
    t = table(book, minutes=30).begin().move("e6", wrong="d4").turn("e4").turn("d4").move("d6")
    assert t.errors == [("misflip", "black", ("d4",), "corrected")], "e4 was turned before White's turn began"


@pytest.mark.clause("woc-2019 IV.5.1", "woc-2019 IV.5.2", "usoa 7.2")
@BOOKS
def test_the_board_that_the_judge_has_put_right_is_played_from_as_it_lies(table, book):
    t = table(book, minutes=30).begin().move("f5").put("a1", black=False).press(WHITE).rule("correct_error")
    t.turn("e5").lift("a1").rule("corrected")
    assert t.put("d6", black=False).turn("d5").press(WHITE).errors[1:] == []
    assert [incident["squares"] for incident in t.happened("disturbed")] == [["e5"]]


@pytest.mark.clause("woc-2019 IV.8", "usoa 4.3")
@BOOKS
def test_an_error_dismissed_when_the_board_is_cleared_leaves_the_score_that_was_mended_by_hand(table, book):
    t = last_move_wrong(table, book, True).turn("g1").show(Position(0, 0))
    t.rule("correct_error").rule("dismiss_error")
    assert (t.state, t.score) == (State.FINISHED, (48, 16))

"""Readings decided for 0.2.0: the last move put right, the board as it lies, chains of moves, starts, flags, counts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from othello.board import START, Position, squares_of
from othello.game import State
from othello.judging.turns import turned
from othello.notation import parse_square, square_name

from .conftest import ALL, BLACK, WHITE, WOC, Table

EXCHANGED = Position(START.white, START.black)
# One square is left, h1; Black's move there flips g1 and others: 47-17 if g1 is forgotten, 48-16 if not.
LAST = "X" * 6 + "O-" + "O" * 20 + "X" * 36
JUDGED = pytest.mark.parametrize("judged", [True, False])
BOOKS = pytest.mark.parametrize("book", ALL)


def last_move_wrong(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin()
    t.rule("stop").rule("set_position", squares=LAST, to_move="black").rule("resume")
    t.shown = t.game.shown
    return t.wait(5).place("h1", wrong="g1").press(BLACK)


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
    told = [(e["by"], e["squares"], e["state"]) for e in t.happened("disturbed")]
    assert (t.errors, told) == ([], [(None, ["e4", "d5"], None)])


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
def test_elsewhere_each_press_counts_one_of_them(table, book):
    t = table(book).begin().place("f5").place("d6", by=WHITE).place("c5", by=BLACK)
    transcripts = [t.press(by).report["transcript"] for by in (BLACK, WHITE, BLACK)]
    assert (transcripts, t.errors) == (["f5", "f5d6", "f5d6c5"], [])


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
    assert [one["squares"] for one in t.happened("disturbed")] == [["e5"]]


@pytest.mark.clause("woc-2019 IV.8", "usoa 4.3")
@BOOKS
def test_an_error_dismissed_when_the_board_is_cleared_leaves_the_score_that_was_mended_by_hand(table, book):
    t = last_move_wrong(table, book, True).turn("g1").show(Position(0, 0))
    t.rule("correct_error").rule("dismiss_error")
    assert (t.state, t.score) == (State.FINISHED, (48, 16))


# --- touches and demands -------------------------------------------------------------------------------------------


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
    assert ([one["squares"] for one in t.happened("disturbed")], t.errors) == ([["f5"]], [])


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


# --- flags and counts ----------------------------------------------------------------------------------------------


def counted(t, judged, black, white):
    if judged:
        return t.rule("enter_score", black=black, white=white)
    return t.line("agree", by="black", black=black, white=white).line(
        "agree", by="white", black=black, white=white
    )


def clock_game(table, book, judged):
    t = table(book, sensors=False, judged=judged, minutes=1).begin()
    for number in range(9):
        t.wait(10).press(WHITE if number % 2 else BLACK)
    return t


@pytest.mark.clause("woc-2019 IV.6", "woc-2019 IV.8", "usoa 4.1", "usoa 6.1")
@JUDGED
@BOOKS
@pytest.mark.parametrize("annulled", [False, True])
@pytest.mark.parametrize("count_s", [5, 60, 1000])
def test_a_flag_after_the_last_press_is_none(table, book, judged, count_s, annulled):
    t = clock_game(table, book, judged).tick(count_s)
    if annulled:
        t.rule("annul_flag", player="white")
    counted(t, judged, 24, 40)
    assert (t.report["reason"], t.score, t.report["flags"]) == ("board", (24, 40), {"black": 0, "white": 0})
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (10, 20)


@JUDGED
@BOOKS
def test_a_count_mistyped_is_entered_again_before_the_first_signature(table, book, judged):
    t = counted(counted(clock_game(table, book, judged), judged, 40, 24).tick(90), judged, 41, 23)
    assert (t.state, t.score, t.left_s(WHITE)) == (State.FINISHED, (41, 23), 20)
    counted(t.sign(WHITE), judged, 42, 22)
    assert (t.score, set(t.refusals)) == ((41, 23), {"white has signed already"})


@pytest.mark.clause("usoa 4.1", "usoa 5.10")
def test_usoa_players_stop_the_clocks_to_count_where_no_board_does(table):
    t = clock_game(table, "usoa", False).wait(5).line("stop", by="white").wait(300)
    counted(t, False, 40, 24)
    assert (t.score, t.refusals, t.left_s(WHITE)) == ((40, 24), [], 20)


@pytest.mark.clause("usoa 6.4", "usoa 6.6")
def test_usoa_a_default_that_nobody_noticed_before_the_end_is_none(table):
    t = table("usoa", minutes=10).begin().moves("f5d6c5f6").move("e7", 601).moves("f4g5e6e3")
    assert (t.score, t.report["flags"]) == ((64, 0), {"black": 1, "white": 0})
    t.rule("confirm_default")
    assert (t.score, t.report["winner"]) == ((31, 32), "white"), "the director says it had been noticed"


@pytest.mark.clause("usoa 6.4")
def test_usoa_a_default_that_a_player_pointed_out_counts(table):
    t = table("usoa", minutes=10).begin().moves("f5d6c5f6").move("e7", 601)
    t.line("signal", by="white", error="flag").moves("f4g5e6e3")
    assert (t.score, t.refusals) == ((31, 32), [])


@pytest.mark.clause("woc-2019 IV.7", "woc-2017 IV.7", "woc-classic IV.7", "cc-2024 IV.7", "usoa 10.2")
@JUDGED
@BOOKS
def test_the_director_annuls_a_flag(table, book, judged):
    t = table(book, judged=judged, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").tick(1790)
    assert t.game.flags.black == 1
    t.rule("annul_flag", player="black", reason="clock defective")
    assert (t.report["flags"]["black"], t.left_s(BLACK), t.left_s(WHITE)) == (0, 0, 1780)
    t.tick(30)
    assert t.game.flags.black == 0, "no flag falls before he is given time"
    t.rule("adjust_time", player="black", seconds=60).tick(20)
    assert t.left_s(BLACK) == 40
    t.move("e3")
    assert (t.report["reason"], t.score) == ("board", (64, 0))
    assert t.happened("ruling")[0]["fields"] == {"player": "black", "reason": "clock defective"}


@pytest.mark.clause("woc-2019 IV.7", "woc-2019 IV.8")
def test_a_flag_annulled_before_the_discs_are_counted_is_not_there_again_when_the_game_ended_at_a_press(
    table,
):
    t = table(sensors=False, minutes=1).begin().wait(61).press(BLACK).wait(1).press(WHITE).press(BLACK)
    counted(t.rule("annul_flag", player="black"), True, 40, 24)
    assert (t.report["reason"], t.score, t.report["flags"]) == ("board", (40, 24), {"black": 0, "white": 0})


@BOOKS
def test_an_annulled_flag_spares_the_clock_only_until_it_is_given_time(table, book):
    t = table(book, minutes=30).begin().tick(1810).rule("annul_flag", player="black")
    # Thirty seconds more, used to the last of them: the next instant takes the flag down.
    t.rule("adjust_time", player="black", seconds=30).tick(30).rule("stop").rule("resume")
    assert (t.left_s(BLACK), t.game.flags.black) == (0, 0)
    assert t.tick(0.001).game.flags.black == 1


@pytest.mark.parametrize("book", WOC)
def test_annulled_after_the_end_the_board_decides_and_the_game_goes_on_if_the_flag_had_ended_it(table, book):
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    assert t.score == (31, 33)
    t.rule("annul_flag", player="black")
    assert (t.report["reason"], t.score) == ("board", (64, 0))
    t = table(book, minutes=30).begin().tick(3000).rule("annul_flag", player="black")
    assert (t.state, t.score, t.game.flags.black) == (State.STOPPED, None, 1)
    assert table(book).begin().rule("annul_flag", player="white").refusals == ["no flag of white has fallen"]


@pytest.mark.clause("woc-2019 IV.7")
def test_of_two_flags_the_first_annulled_leaves_the_other_as_the_default_and_takes_its_time_back(table):
    t = table(minutes=1).begin().wait(90).press(BLACK).tick(181)
    assert (t.report["reason"], t.game.defaulter) == ("second_flag", BLACK)
    t.rule("annul_flag", player="black")
    assert (t.state, t.game.defaulter, t.report["flags"]) == (State.STOPPED, WHITE, {"black": 0, "white": 1})
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (0, 0)


@pytest.mark.clause("woc-2019 IV.7")
def test_who_has_time_left_when_the_others_flag_is_annulled_loses_his_own_at_its_last_instant(table):
    t = table(minutes=1).begin().wait(61).press(BLACK).rule("annul_flag", player="black")
    assert t.tick(60).game.flags.white == 0
    assert t.tick(0.001).game.flags.white == 1


@pytest.mark.clause("woc-2019 IV.6", "woc-2019 V.2.b")
@pytest.mark.parametrize("book", WOC)
def test_a_score_set_after_a_default_keeps_the_guarantee(table, book):
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    t.rule("set_score", black=40, white=24)
    assert (t.score, t.report["reason"]) == ((31, 33), "ruled")


# --- what holds for every game -------------------------------------------------------------------------------------


def any_move(t, rnd, own=True):
    """A random legal move of the player to move on the board as it lies, or of the other colour; False if none is."""
    mover, black = t.game.to_move, t.game.plays_black(t.game.to_move) == own
    legal = list(squares_of(t.shown.legal(black)))
    if not legal:
        return False
    square = rnd.choice(legal)
    if rnd.random() < 0.5:
        t.touch(square_name(square))
    t.wait(1)
    t.shown = t.shown.played(black, square)
    t.show().press(mover)
    return True


@pytest.mark.clause("usoa 7.3")
@settings(max_examples=150)
@given(st.integers(0, 2**32), st.integers(0, 52))
def test_colours_reversed_at_any_time_accuse_nobody(seed, plies):
    rnd, t = random.Random(seed), Table("usoa", minutes=600).begin()
    for _ in range(plies):
        if not t.game.over and not any_move(t, rnd):
            t.pass_()
    for _ in range(2):
        # Whose turn it is without a move passes: a disc of the other colour is then the other's legal move.
        if t.game.over or not t.game.legal(t.game.to_move) or not any_move(t, rnd, own=False):
            return
    while not t.game.over:
        if not any_move(t, rnd):
            t.pass_()
    assert t.report["colours_reversed"] is True
    assert [(e[0], e[3]) for e in t.errors] == [("wrong_colour", "accepted")]


@settings(max_examples=150)
@given(
    st.sampled_from(ALL),
    st.booleans(),
    st.lists(
        st.sampled_from(["mend", "spoil", "demand", "uphold", "corrected", "dismiss", "sweep"]), max_size=8
    ),
)
def test_the_score_is_that_of_the_position_the_record_ends_with(book, judged, steps):
    t = last_move_wrong(Table, book, judged)
    right, wrong = t.game.last.right, t.shown
    for step in steps:
        t.wait(1)
        match step:
            case "mend" | "spoil" | "sweep":
                t.show({"mend": right, "spoil": wrong, "sweep": Position(0, 0)}[step])
            case "demand":
                t.line("signal", by="white", error="misflip")
            case "uphold" | "dismiss":
                t.rule({"uphold": "correct_error", "dismiss": "dismiss_error"}[step])
            case _:
                t.rule("corrected") if judged else t.press(BLACK)
    if t.state is State.CORRECTING:
        t.rule("corrected") if judged else t.press(BLACK)
    position = t.report["position"]
    assert t.state is State.FINISHED
    assert t.score == (position.count("X"), position.count("O")) and t.score in ((47, 17), (48, 16))


@pytest.mark.clause("woc-2019 IV.5.1", "woc-2019 IV.8")
@pytest.mark.parametrize("lost", ["before", "during"])
@BOOKS
def test_where_the_board_is_lost_the_right_position_counts(table, book, lost):
    t = last_move_wrong(table, book, True)
    if lost == "before":
        t.line("board", state="lost")
    t.rule("correct_error").wait(3)
    if lost == "during":
        t.line("board", state="lost")
    t.rule("corrected")
    assert (t.state, t.score) == (State.FINISHED, (48, 16))
    assert t.errors == [("misflip", "black", ("g1",), "corrected")]


def wiped_out_by_a_misflip(table, book, judged):
    """One disc too many is turned in the first move, and no white one is left."""
    t = table(book, judged=judged, minutes=30).begin().wait(5).place("f5", wrong="d4").press(BLACK)
    assert (t.state, t.score) == (State.FINISHED, (64, 0))
    return t.wait(2).sign(BLACK).turn("d4")


@pytest.mark.clause("usoa 7.1", "usoa 4.1", "woc-2019 IV.5.1")
@JUDGED
@BOOKS
def test_a_game_that_was_over_only_by_a_misflip_goes_on_when_it_is_turned_back(table, book, judged):
    t = wiped_out_by_a_misflip(table, book, judged)
    assert (t.state, t.score, t.game.clock.running) == (State.RUNNING, None, WHITE)
    assert not t.game.signed.black, "he signed another score"
    t.move("d6", 3)
    assert (t.report["transcript"], t.left_s(BLACK), t.left_s(WHITE)) == ("f5d6", 1795, 1797)
    assert t.errors == [("misflip", "black", ("d4",), "corrected")]


@pytest.mark.clause("usoa 7.1", "usoa 7.4", "woc-2019 IV.5.1")
@BOOKS
def test_a_disc_turned_back_before_anybody_spoke_can_still_be_signalled(table, book):
    t = wiped_out_by_a_misflip(table, book, False)
    t.wait(1).line("signal", by="white", error="misflip", square="d4")
    assert (t.state, t.game.clock.running, t.refusals) == (State.CORRECTING, BLACK, [])
    t.wait(2).press(BLACK)
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert t.errors == [("misflip", "black", ("d4",), "corrected")]
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1793, 1799)


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@BOOKS
def test_what_lies_there_after_a_correction_and_a_pass_is_the_next_movers_board(table, book):
    """The judge has said "corrected" with e5 unturned still; White passes; Black plays on the board as it lies."""
    t = table(book, minutes=30).begin().move("f5", wrong="e5").rule("correct_error").rule("corrected")
    t.wait(1).press(WHITE)
    assert t.errors[-1][:2] == ("illegal_pass", "white")
    black = t.shown.legal(True)
    assert black
    for square in map(square_name, squares_of(black)):
        again = table(book, minutes=30)
        for one in t.lines:
            again.do(one)
        again.shown = t.shown
        again.now_ns = t.now_ns
        again.wait(2).place(square, by=BLACK).press(BLACK)
        assert [e for e in again.errors[1:] if e[1] == "black"] == []

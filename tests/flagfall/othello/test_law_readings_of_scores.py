"""Readings decided for 0.2.0: flags, counts, and what holds for every game."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import Position, square_name, squares_of
from flagfall.othello.game import State

from .conftest import ALL, BLACK, BOOKS, JUDGED, WHITE, WOC, Table, last_move_wrong


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
    assert t.game.falls.black == 1
    t.rule("annul_flag", player="black", reason="clock defective")
    assert (t.report["flags"]["black"], t.left_s(BLACK), t.left_s(WHITE)) == (0, 0, 1780)
    t.tick(30)
    assert t.game.falls.black == 0, "no flag falls before he is given time"
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
    assert (t.left_s(BLACK), t.game.falls.black) == (0, 0)
    assert t.tick(0.001).game.falls.black == 1


@pytest.mark.parametrize("book", WOC)
def test_annulled_after_the_end_the_board_decides_and_the_game_goes_on_if_the_flag_had_ended_it(table, book):
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    assert t.score == (31, 33)
    t.rule("annul_flag", player="black")
    assert (t.report["reason"], t.score) == ("board", (64, 0))
    t = table(book, minutes=30).begin().tick(3000).rule("annul_flag", player="black")
    assert (t.state, t.score, t.game.falls.black) == (State.STOPPED, None, 1)
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
    assert t.tick(60).game.falls.white == 0
    assert t.tick(0.001).game.falls.white == 1


@pytest.mark.clause("woc-2019 IV.6", "woc-2019 V.2.b")
@pytest.mark.parametrize("book", WOC)
def test_a_score_set_below_what_a_default_guarantees_is_refused_with_the_reason(table, book):
    drawn = table(book, minutes=30).begin().move("f5").tick(1801).rule("set_score", black=32, white=32)
    assert (drawn.score, drawn.state) == (None, State.RUNNING), "a draw is no win on the board"
    assert drawn.refusals == ["the default guarantees at least 33-31 (IV.6)"]
    t = table(book, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").move("e3", 1790)
    ended = (t.score, t.report["reason"])
    t.rule("set_score", black=40, white=24)
    assert (t.score, t.report["reason"]) == ended
    assert t.refusals == ["the default guarantees at least 31-33 (IV.6)"]
    t.rule("set_score", black=31, white=33)
    assert (t.score, t.report["reason"]) == ((31, 33), "ruled")


def any_move(t, rnd, in_turn=True):
    """Play a random legal move of the player to move on the board as it lies, or of the other colour; return False if
    none is."""
    mover, black = t.game.to_move, t.game.plays_black(t.game.to_move) == in_turn
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
@given(st.integers(0, 2**32), st.integers(0, 52))
def test_colours_reversed_at_any_time_accuse_nobody(seed, plies):
    rnd, t = random.Random(seed), Table("usoa", minutes=600).begin()
    for _ in range(plies):
        if not t.game.over and not any_move(t, rnd):
            t.pass_()
    for _ in range(2):
        # Whose turn it is without a move passes: a disc of the other colour is then the other's legal move.
        if t.game.over or not t.game.legal(t.game.to_move) or not any_move(t, rnd, in_turn=False):
            return
    while not t.game.over:
        if not any_move(t, rnd):
            t.pass_()
    assert t.report["colours_reversed"] is True
    assert [(e[0], e[3]) for e in t.errors] == [("wrong_colour", "accepted")]


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
        for line in t.lines:
            again.do(line)
        again.shown = t.shown
        again.now_ns = t.now_ns
        again.wait(2).place(square, by=BLACK).press(BLACK)
        assert [e for e in again.errors[1:] if e[1] == "black"] == []

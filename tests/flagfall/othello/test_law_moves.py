"""Start, press, touch-move and pass: a game without errors, and what binds a player."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import Position, parse_position, parse_square, square_name
from flagfall.othello.game import State
from flagfall.othello.inputs import Shown

from .conftest import ALL, BLACK, WHITE, WOC, Table

NINE_MOVES = "f5d6c5f6e7f4g5e6e3"


@pytest.mark.clause("usoa 5.6", "usoa 3.4")
def test_whites_press_after_the_signal_starts_blacks_clock(table):
    t = table("usoa")
    assert t.state is State.WAITING
    t.line("start")
    assert (t.state, t.game.clock.running) == (State.WAITING, None)
    t.wait(3).press(WHITE)
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, BLACK, BLACK)
    assert t.left_s(BLACK) == 1800


@pytest.mark.clause("usoa 3.4", "usoa 3.5", "usoa 3.7")
def test_black_begins_and_players_take_turns_but_for_a_pass(table):
    t = table("usoa").begin().wait(5)
    t.show(t.shown.played(False, parse_square("d6"))).press(BLACK)
    assert t.errors == [("wrong_colour", "black", ("d6",), "open")], "a white move is none of Black's"
    t = table("usoa").begin().move("f5").wait(5)
    t.show(t.shown.played(True, parse_square("f3"))).press(WHITE)
    assert t.errors == [("wrong_colour", "white", ("f3",), "open")], "nor a second black one White's"
    t = _set(table("usoa").begin(), PASS_FOR_WHITE, "white").pass_().move("c1")
    assert (t.errors, t.report["transcript"], t.score) == ([], "c1", (64, 0))


@pytest.mark.clause("usoa 1.1")
def test_the_board_has_64_squares_and_there_are_as_many_discs(table):
    game = table("usoa").game
    names = {square_name(square) for square in range(64)}
    assert names == {column + row for column in "abcdefgh" for row in "12345678"}
    assert game.shown.occupied.bit_count() + game.trays.black + game.trays.white == 64
    with pytest.raises(ValueError, match=r"expected a square a1\.\.h8"):
        parse_square("a9")


@pytest.mark.parametrize("by", [BLACK, WHITE])
def test_before_the_signal_no_press_starts_anything(table, by):
    t = table().press(by)
    assert t.state is State.WAITING
    assert [e["by"] for e in t.happened("press_out_of_turn")] == [by]


def test_black_cannot_start_his_own_clock(table):
    t = table().line("start").press(BLACK)
    assert t.state is State.WAITING
    assert t.happened("press_out_of_turn")


def test_a_second_signal_is_refused(table):
    t = table().line("start").line("start")
    assert t.refusals == ["the signal to start was given already"]


@pytest.mark.clause("usoa 5.3", "usoa 5.7")
def test_a_press_stops_ones_own_clock_and_starts_the_others(table):
    t = table("usoa").begin().move("f5", 10).wait(4).tick()
    assert t.game.clock.running is WHITE
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1790, 1796)
    assert t.report["transcript"] == "f5"


def test_a_press_by_the_player_whose_clock_stands_changes_nothing(table):
    t = table().begin()
    before = t.report
    t.press(WHITE)
    after = t.report
    assert [e["type"] for e in after["incidents"]] == ["press_out_of_turn"]
    assert {k: v for k, v in after.items() if k != "incidents"} == {
        k: v for k, v in before.items() if k != "incidents"
    }


@pytest.mark.clause("usoa 3.2", "usoa 3.3", "usoa 3.1", "usoa 4.1")
@pytest.mark.parametrize("book", ALL)
def test_the_nine_move_game_ends_at_its_last_press_with_a_wipe_out(table, book):
    t = table(book).begin().moves(NINE_MOVES[:-2])
    t.wait(5).place("e3")
    assert t.state is State.RUNNING, "the game ends at the press, not before"
    t.press(BLACK)
    assert t.state is State.FINISHED
    assert (t.report["reason"], t.report["winner"], t.score) == ("board", "black", (64, 0))
    assert t.report["board_score"] == {"black": 64, "white": 0}
    assert t.report["moves"] == 9
    assert t.report["running"] is None and t.report["to_move"] is None


@pytest.mark.clause("woc-2019 IV.6", "usoa 6.2", "woc-classic IV.6", "cc-2024 IV.6", "woc-2017 IV.6")
@pytest.mark.parametrize("book", ALL)
def test_without_the_last_press_the_flag_still_falls(table, book):
    t = table(book, minutes=30).begin().moves(NINE_MOVES[:-2])
    t.wait(5).place("e3").tick(1800)
    assert t.game.falls.of(BLACK) == 1
    t.press(BLACK)
    assert t.report["reason"] == "default"
    assert t.report["winner"] == "white"


# --- passes -------------------------------------------------------------------------------------------------------


def _set(t, squares: str, to_move: str):
    t.rule("stop").rule("set_position", squares=squares, to_move=to_move).rule("resume")
    t.shown = parse_position(squares)
    return t


# White to move has nothing; Black can play c1.
PASS_FOR_WHITE = "XO" + "-" * 62


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.8", "usoa 3.7", "woc-2017 IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", ALL)
def test_a_pass_is_acknowledged_by_pressing(table, book):
    t = _set(table(book).begin(), PASS_FOR_WHITE, "white")
    assert t.game.clock.running is WHITE
    t.wait(2).press(WHITE)
    assert t.errors == []
    assert (t.game.clock.running, t.game.to_move) == (BLACK, BLACK)
    assert t.report["moves"] == 0, "a pass is no move"


@pytest.mark.clause("usoa 3.6", "woc-2019 IV.4", "woc-2017 IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", ALL)
def test_a_press_without_a_move_is_an_illegal_pass_while_a_move_is_there(table, book):
    t = table(book).begin().wait(3).press(BLACK)
    assert t.errors == [("illegal_pass", "black", ("d3", "c4", "f5", "e6"), "open")]
    assert t.game.clock.running is WHITE
    assert t.report["transcript"] == ""


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", ["woc-2019", "woc-2017", "cc-2024"])
def test_nobody_passes_for_anybody(table, book):
    """The mover presses even if the opponent then has to pass, and the opponent's clock runs until he does."""
    t = _set(table(book, minutes=30).begin(), "-OX" + "-" * 53 + "XXXXXXO-", "black")
    t.place("a1").press(BLACK)
    assert t.game.clock.running is WHITE
    assert t.state is State.RUNNING, "Black can still play h8"
    t.wait(30).press(WHITE)
    assert t.left_s(WHITE) == 1770
    t.place("h8").press(BLACK)
    assert t.state is State.FINISHED


# --- moving on the opponent's time -------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", WOC)
def test_moving_before_the_opponent_has_pressed_is_reported_and_counts_with_ones_own_clock(table, book):
    t = table(book).begin().wait(5).place("f5").place("d6", by=WHITE)
    assert [(e["by"], e["squares"]) for e in t.happened("moved_on_opponents_time")] == [("white", ["d6"])]
    t.press(BLACK)
    assert t.errors == []
    assert (t.report["transcript"], t.game.clock.running) == ("f5", WHITE)
    t.press(WHITE)
    assert (t.report["transcript"], t.game.clock.running) == ("f5d6", BLACK)
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "cc-2024 IV.4")
@pytest.mark.parametrize("book", WOC)
def test_what_lay_there_early_commits_once_the_clock_runs(table, book):
    t = table(book).begin().wait(5).place("f5").place("d6", by=WHITE).press(BLACK)
    t.wait(3).show(t.game.before).place("f6").press(WHITE)
    assert t.errors == [("touched_elsewhere", "white", ("d6",), "open")]


@pytest.mark.clause("woc-2019 IV.4", "woc-2019 V.1")
@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_disc_that_may_have_come_after_the_press_is_not_on_the_opponents_time(uncertain_ns, until_press_ns):
    t = Table().begin().wait(5).place("f5")
    t.shown = t.shown.played(False, parse_square("d6"))
    t.do(Shown(t.now_ns, t.shown, uncertain_ns))
    t.now_ns += until_press_ns
    t.press(BLACK)
    assert bool(t.happened("moved_on_opponents_time")) == (until_press_ns >= uncertain_ns)
    # Whose it was it stays.
    t.wait(1).press(WHITE)
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")


@pytest.mark.clause("usoa 5.9")
def test_usoa_lets_the_opponent_answer_before_the_press(table):
    t = table("usoa").begin().wait(5).place("f5").wait(3).place("d6", by=WHITE)
    assert t.happened("moved_on_opponents_time") == []
    t.wait(2).press(BLACK)
    assert t.report["transcript"] == "f5d6"
    assert (t.game.to_move, t.game.clock.running) == (BLACK, WHITE)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1790, 1800)
    t.wait(1).press(WHITE)
    assert (t.game.to_move, t.game.clock.running) == (BLACK, BLACK)
    assert t.report["transcript"] == "f5d6" and t.errors == []


@pytest.mark.clause("usoa 5.9")
def test_usoa_the_opponents_own_press_counts_both_moves_and_the_clock_runs_on(table):
    t = table("usoa").begin().wait(5).place("f5").wait(3).place("d6", by=WHITE).press(WHITE)
    assert t.report["transcript"] == "f5d6"
    assert (t.game.to_move, t.game.clock.running) == (BLACK, BLACK)
    assert t.happened("press_out_of_turn") == []
    t.move("c3", 4)
    assert t.report["transcript"] == "f5d6c3"
    assert t.left_s(BLACK) == 1788


@pytest.mark.clause("usoa 5.9", "usoa 3.8")
def test_usoa_who_answers_before_the_press_is_bound_to_the_legal_square_he_touched_first(table):
    t = table("usoa").begin().wait(5).place("f5").touch("h8").touch("d6").touch("f6").touch("f4")
    t.place("f4", by=WHITE).press(BLACK).press(WHITE)
    assert t.errors == [("touched_elsewhere", "white", ("d6",), "open")]


@pytest.mark.clause("usoa 5.9", "usoa 7.1")
def test_usoa_an_illegal_answer_before_the_press_accepts_nothing(table):
    t = table("usoa", judged=False).begin().place("f5", wrong="e5").wait(1).put("a1", False).press(BLACK)
    t.line("signal", by="white", error="misflip")
    assert (t.state, [(e[0], e[1], e[3]) for e in t.errors]) == (
        State.CORRECTING,
        [("misflip", "black", "correcting")],
    )


@pytest.mark.clause("usoa 5.9", "usoa 7.1")
def test_usoa_an_answer_before_the_press_accepts_a_misflip(table):
    t = table("usoa").begin().wait(5).place("f5", wrong="e5")
    t.place("f4", by=WHITE).press(BLACK)
    assert t.errors[0] == ("misflip", "black", ("e5",), "accepted")


@pytest.mark.clause("woc-2019 IV.4", "woc-2017 IV.4", "cc-2024 IV.4", "usoa 5.9")
@pytest.mark.parametrize("book", ALL)
def test_moving_before_the_opponent_has_pressed_his_pass_makes_it_no_move_of_his(table, book):
    t = _set(table(book).begin(), PASS_FOR_WHITE, "white").wait(2).place("c1", by=BLACK)
    reported = [(e["by"], e["squares"]) for e in t.happened("moved_on_opponents_time")]
    assert reported == ([] if book == "usoa" else [("black", ["c1"])])
    t.press(WHITE)
    assert t.errors == []
    if book != "usoa":
        assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, BLACK, BLACK)
        t.press(BLACK)
    assert (t.state, t.report["transcript"], t.score) == (State.FINISHED, "c1", (64, 0))
    # A flip forgotten in it is his too, and not that of the player who passes.
    t = _set(table(book).begin(), "XOO" + "-" * 61, "white").wait(2).put("d1", black=True).turn("c1")
    t.press(WHITE).press(BLACK)
    assert t.errors == [("misflip", "black", ("b1",), "open")]


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.9")
@pytest.mark.parametrize("book", ALL)
def test_an_answer_before_the_press_that_turns_the_new_disc_over_accuses_nobody(table, book):
    t = table(book).begin().moves(NINE_MOVES[:-4]).wait(5).place("e6").place("e3", by=BLACK).press(WHITE)
    if book != "usoa":
        t.press(BLACK)
    assert (t.errors, t.report["transcript"], t.score) == ([], NINE_MOVES, (64, 0))


@pytest.mark.clause("usoa 5.9", "usoa 7.1", "woc-2019 IV.5.2")
@pytest.mark.parametrize("book", ALL)
def test_an_answer_before_the_press_to_a_board_that_was_not_right_accepts_it(table, book):
    t = table(book).begin().wait(5).place("f5", wrong="e5").place("c5", by=WHITE).press(BLACK)
    assert t.errors == [("misflip", "black", ("e5",), "accepted")]
    if book != "usoa":
        t.press(WHITE)
    assert t.report["transcript"] == "f5c5" and len(t.errors) == 1


# --- unreadable squares -------------------------------------------------------------------------------------------


def test_an_unreadable_square_is_told_and_nobody_is_accused_for_it(table):
    t = table().begin().wait(5).place("f5").unread("e5").press(BLACK)
    assert [e["squares"] for e in t.happened("unreadable")] == [["e5"]]
    assert t.errors == []
    assert t.report["transcript"] == "f5"


def test_a_disc_under_an_unreadable_square_is_the_move_if_only_one_fits(table):
    t = table().begin().wait(5).place("f5").unread("f5").press(BLACK)
    assert t.report["transcript"] == "f5"
    assert t.errors == []


@pytest.mark.parametrize("before", ["", "f5"])
def test_a_disc_that_no_board_ever_showed_is_the_move_that_its_flips_tell(table, before):
    """A camera sees the turned discs and not the new one; it tells no touch either."""
    t = table().begin().moves(before).wait(5)
    mover, square = t.game.to_move, "d6" if before else "f5"
    t.shown = t.shown.played(t.game.plays_black(mover), parse_square(square))
    t.unread(square).press(mover)
    assert (t.errors, t.happened("disturbed"), t.report["transcript"]) == ([], [], before + square)


def test_turned_discs_that_two_unreadable_squares_explain_accuse_nobody(table):
    t = table().begin().moves("f5d6").wait(5)
    t.shown = t.shown.played(True, parse_square("c4"))
    t.unread("c4", "c3").press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")
    t.wait(1).show()
    assert (t.errors, t.report["transcript"]) == ([], "f5d6c4")


def test_what_cannot_be_read_at_the_press_is_judged_once_it_can(table):
    t = table().begin().wait(5).place("f5").unread("f5", "e5", "d3", "d4").press(BLACK)
    assert t.report["transcript"] == ""
    assert t.game.clock.running is WHITE, "the clock never depends on the board"
    t.wait(2).show()
    assert t.report["transcript"] == "f5"
    t.move("d6")
    assert t.report["transcript"] == "f5d6" and t.errors == []


# --- discs running out -------------------------------------------------------------------------------------------


@pytest.mark.clause(
    "woc-2019 IV.2", "usoa 1.4", "usoa 1.3", "woc-classic IV.2", "woc-2017 IV.2", "cc-2024 IV.2"
)
@pytest.mark.parametrize("book", ALL)
def test_running_out_of_discs_is_told_before_the_move_that_needs_one(table, book):
    t = table(book).begin()
    t.rule("discs_moved", to="white", count=28)
    t.move("f5")
    assert t.happened("out_of_discs") == []
    t.move("d6").move("c3")
    assert t.happened("out_of_discs") == []
    t.move("d3")
    assert [e["by"] for e in t.happened("out_of_discs")] == ["black"]
    t.rule("discs_moved", to="black", count=5).move("c4").move("f4")
    assert len(t.happened("out_of_discs")) == 1


def test_more_discs_than_there_are_cannot_be_moved(table):
    t = table().begin().rule("discs_moved", to="white", count=31)
    assert t.refusals == ["discs that black has left: 30"]
    assert t.game.trays.white == 30


def test_a_position_set_by_the_judge_may_not_have_unknown_squares(table):
    t = table().begin().rule("set_position", squares="?" + "-" * 63, to_move="black")
    assert t.refusals == ["a position that is set has no unknown squares"]
    assert t.game.shown == Position(t.shown.black, t.shown.white)

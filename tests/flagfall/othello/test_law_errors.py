"""Errors in the last move: found, pointed out, corrected, accepted, dismissed."""

from __future__ import annotations

import pytest

from flagfall.othello.game import State

from .conftest import ALL, BLACK, BOOKS, WHITE, WOC


@pytest.mark.clause("woc-2019 IV.5.1", "woc-2017 IV.5.1", "woc-classic IV.5.1", "cc-2024 IV.5.1", "usoa 7.1")
@pytest.mark.clause("usoa 3.3")
@pytest.mark.parametrize("book", ALL)
def test_a_forgotten_flip_is_found_at_the_press(table, book):
    t = table(book).begin().move("f5", wrong="e5")
    assert t.errors == [("misflip", "black", ("e5",), "open")]
    assert t.game.clock.running is WHITE, "no time moves by itself"
    assert t.report["transcript"] == "f5"


def test_a_disc_flipped_that_should_not_be_is_a_misflip_too(table):
    t = table().begin().move("f5", wrong="d4")
    assert t.errors == [("misflip", "black", ("d4",), "open")]


@pytest.mark.clause("usoa 3.2")
@pytest.mark.parametrize("book", ALL)
def test_an_illegal_square_is_found(table, book):
    t = table(book).begin().wait(5).put("a1", True).press(BLACK)
    assert t.errors == [("illegal_move", "black", ("a1",), "open")]
    assert t.game.to_move is WHITE


@pytest.mark.clause("usoa 3.1")
@pytest.mark.parametrize("book", ALL)
def test_a_disc_of_the_wrong_colour_is_found(table, book):
    t = table(book).begin().wait(5).put("f5", False).press(BLACK)
    assert t.errors == [("wrong_colour", "black", ("f5",), "open")]


# --- the judge's correction --------------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.5.1.a (judged)", "woc-2019 IV.5.1.b (judged)", "woc-2019 IV.5.1.c (judged)")
@pytest.mark.clause("woc-2017 IV.5.1.a (judged)", "woc-2017 IV.5.1.b (judged)", "woc-2017 IV.5.1.c (judged)")
@pytest.mark.clause("cc-2024 IV.5.1.a (judged)", "cc-2024 IV.5.1.b (judged)", "cc-2024 IV.5.1.c (judged)")
@pytest.mark.clause("woc-classic IV.5.1.a", "woc-classic IV.5.1.b", "woc-classic IV.5.1.c")
@pytest.mark.parametrize("book", WOC)
def test_the_judge_corrects_on_the_offenders_time(table, book):
    t = table(book).begin().move("f5", 10, wrong="e5").wait(4).rule("correct_error")
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.CORRECTING, BLACK, WHITE)
    assert t.errors == [("misflip", "black", ("e5",), "correcting")]
    black_s, white_s = t.left_s(BLACK), t.left_s(WHITE)
    t.wait(6).turn("e5").rule("corrected")
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (black_s - 6, white_s)
    assert t.errors == [("misflip", "black", ("e5",), "corrected")]
    t.move("d6")
    assert len(t.errors) == 1 and t.report["transcript"] == "f5d6"


def test_the_offenders_press_changes_nothing_in_a_judged_correction(table):
    t = table().begin().move("f5", wrong="e5").rule("correct_error").press(BLACK)
    assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)
    assert t.happened("press_out_of_turn")


def test_the_judges_word_makes_the_position_right_when_the_board_has_shown_nothing_new(table):
    t = table().begin().move("f5", wrong="e5").rule("correct_error").rule("corrected")
    assert t.state is State.RUNNING
    t.shown = t.game.before
    t.move("f6")
    assert len(t.errors) == 1, "White is not accused of what the judge has corrected"


@pytest.mark.parametrize("kind", ["illegal_move", "wrong_colour"])
def test_after_a_move_is_taken_back_the_offender_must_move(table, kind):
    t = (
        table()
        .begin()
        .wait(5)
        .put("a1" if kind == "illegal_move" else "f5", kind == "illegal_move")
        .press(BLACK)
    )
    assert t.errors[0][0] == kind
    t.wait(2).rule("correct_error")
    assert (t.game.to_move, t.game.clock.running) == (BLACK, BLACK)
    t.wait(3).lift("a1" if kind == "illegal_move" else "f5").rule("corrected")
    assert (t.state, t.game.to_move, t.game.clock.running) == (State.RUNNING, BLACK, BLACK)
    assert t.report["transcript"] == ""
    assert t.game.trays.black == 30
    t.move("f5", 4)
    assert t.errors[0][3] == "corrected" and len(t.errors) == 1
    assert (t.report["transcript"], t.left_s(BLACK), t.left_s(WHITE)) == ("f5", 1800 - 5 - 3 - 4, 1798)


def test_after_an_illegal_pass_is_upheld_the_offender_must_move(table):
    t = table().begin().wait(5).press(BLACK).wait(2).rule("correct_error").rule("corrected")
    assert (t.state, t.game.to_move, t.game.clock.running) == (State.RUNNING, BLACK, BLACK)
    t.move("f5")
    assert t.report["transcript"] == "f5"


@pytest.mark.clause("woc-2019 IV.4")
def test_touch_move_broken_the_move_goes_to_the_square_touched_first(table):
    t = table().begin().touch("d3").move("f5").rule("correct_error", error="touched_elsewhere")
    assert t.game.to_move is BLACK
    t.lift("f5").turn("e5").rule("corrected").move("c4")
    assert t.errors[-1] == ("touched_elsewhere", "black", ("d3",), "open"), "still bound to d3"


def test_an_error_can_be_dismissed(table):
    t = table().begin().move("f5", wrong="e5").rule("dismiss_error")
    assert t.errors == [("misflip", "black", ("e5",), "dismissed")]
    t.rule("correct_error")
    assert t.refusals == ["no error in the last move is open"]
    assert t.state is State.RUNNING


def test_an_upheld_error_can_still_be_dismissed(table):
    t = table().begin().move("f5", wrong="e5").rule("correct_error").wait(3).rule("dismiss_error")
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert t.errors[0][3] == "dismissed"


def test_the_judge_upholds_what_no_sensor_saw(table):
    t = table(sensors=False).begin().wait(5).press(BLACK)
    t.rule("correct_error", player="black", error="misflip", square="e5")
    assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)
    assert t.errors == [("misflip", "black", ("e5",), "correcting")]
    t.wait(4).rule("corrected")
    assert (t.state, t.game.clock.running, t.left_s(BLACK)) == (State.RUNNING, WHITE, 1791)


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.5")
@pytest.mark.parametrize(
    ("named", "upheld"),
    [
        ({"error": "misflip"}, "misflip"),
        ({"square": "e5"}, "misflip"),
        ({"player": "black", "square": "d3"}, "touched_elsewhere"),
        ({"player": "white"}, None),
    ],
)
def test_of_two_errors_in_a_move_the_one_that_is_named_is_upheld(table, named, upheld):
    t = table().begin().touch("d3").move("f5", wrong="e5").rule("correct_error", **named)
    assert [e[0] for e in t.errors if e[3] == "correcting"] == ([upheld] if upheld else [])
    assert t.refusals == ([] if upheld else ["no error in the last move is open"])


def test_only_the_most_recent_move_can_be_challenged(table):
    t = (
        table()
        .begin()
        .move("f5")
        .move("d6")
        .rule("correct_error", player="black", error="misflip", square="e5")
    )
    assert "only the most recent move" in t.refusals[0]


def test_nothing_to_correct_is_refused(table):
    t = table().begin().move("f5").rule("correct_error").rule("corrected").rule("stop").rule("corrected")
    assert t.refusals == [
        "no error in the last move is open",
        "not while the game is running",
        "nothing is being corrected",
    ]


# --- accepted by the next commitment ------------------------------------------------------------------------------


@pytest.mark.clause("woc-2019 IV.5.2", "woc-2017 IV.5.2", "woc-classic IV.5.2", "cc-2024 IV.5.2", "usoa 7.1")
@pytest.mark.parametrize("book", ALL)
def test_the_next_commitment_accepts_the_position(table, book):
    t = table(book).begin().move("f5", wrong="e5").wait(3).touch("c5")
    assert t.errors == [("misflip", "black", ("e5",), "accepted")]
    t.rule("correct_error").rule("correct_error", error="illegal_move")
    assert t.refusals == [
        "no error in the last move is open",
        f"the next commitment has accepted the position ({'7.1' if book == 'usoa' else 'IV.5.2'})",
    ]
    t.place("c5").press(WHITE)
    assert t.report["transcript"] == "f5c5"
    assert len(t.errors) == 1, "the position as it stands is the position of the game"


def test_a_touch_that_commits_nobody_accepts_nothing(table):
    t = table().begin().move("f5", wrong="e5").touch("a1").touch("e5", "hand")
    assert t.errors[0][3] == "open"


@pytest.mark.parametrize("book", ALL)
def test_a_pass_accepts_too(table, book):
    """White answers a misflip with no move on the board as it stands nor on the corrected one: he passes."""
    t = table(book).begin().rule("stop")
    t.rule("set_position", squares="-OOXXXXX" + "-" * 48 + "XXXXXXO-", to_move="black").rule("resume")
    t.shown = t.game.shown
    t.place("a1", wrong="c1").press(BLACK)
    assert t.errors == [("misflip", "black", ("c1",), "open")]
    t.press(WHITE)
    assert t.errors == [("misflip", "black", ("c1",), "accepted")]
    assert (t.state, t.game.to_move) == (State.RUNNING, BLACK)


def test_an_error_found_two_moves_later_stands(table):
    t = table().begin().move("f5", wrong="e5").move("c5")
    t.rule("correct_error", player="black", error="misflip", square="e5")
    assert t.state is State.RUNNING and t.refusals


# --- the last move ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("book", ALL)
def test_an_error_in_the_very_last_move_stays_open_until_both_have_signed(table, book, judged):
    t = table(book, judged=judged).begin().moves("f5d6c5f6e7f4g5e6")
    t.wait(5).place("e3").put("a8", True).press(BLACK)
    assert t.state is State.FINISHED
    assert t.errors == [("misflip", "black", ("a8",), "open")]
    t.sign(BLACK)
    if judged:
        t.rule("correct_error")
    else:
        t.line("signal", by="white", error="misflip")
    assert (t.state, t.score, t.report["winner"], t.report["reason"]) == (State.CORRECTING, None, None, None)
    assert not t.game.signed.black
    t.wait(2).lift("a8")
    t.rule("corrected") if judged else t.press(BLACK)
    assert (t.state, t.score) == (State.FINISHED, (64, 0))
    t.sign()
    assert t.state is State.SIGNED
    assert t.errors[0][3] == "corrected"


def test_signing_accepts_an_error_in_the_last_move(table):
    t = table().begin().moves("f5d6c5f6e7f4g5e6").wait(5).place("e3").put("a8", True).press(BLACK).sign()
    assert t.state is State.SIGNED
    assert t.errors[0][3] == "accepted"
    t.rule("correct_error")
    assert t.state is State.SIGNED


@pytest.mark.parametrize("judged", [True, False])
def test_a_game_that_a_flag_has_ended_is_not_reopened_for_an_error(table, judged):
    t = table(judged=judged, minutes=1).begin().wait(70).place("f5", wrong="e5").press(BLACK).tick(1000)
    assert t.report["reason"] == "second_flag" and t.errors[0][3] == "open"
    t.rule("correct_error") if judged else t.line("signal", by="white")
    assert t.state is State.FINISHED and t.refusals == ["the game has ended otherwise: second_flag"]


@pytest.mark.clause("woc-2019 IV.5.1.c (judged)", "woc-2017 IV.5.1", "cc-2024 IV.5.1", "usoa 7.2")
@BOOKS
@pytest.mark.parametrize("reached", ["at once", "disc by disc"])
def test_a_wrong_colour_that_the_judge_puts_right_himself_leaves_the_opponent_to_move(table, book, reached):
    t = table(book, minutes=30).begin().move("f5").wait(5).put("d6", True).press(WHITE)
    assert t.errors == [("wrong_colour", "white", ("d6",), "open")]
    t.rule("correct_error").wait(4)
    if reached == "disc by disc":
        t.put("d6", False)
    t.put("d6", False).turn("d5").wait(1).rule("corrected")
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, BLACK, BLACK)
    assert (t.errors, t.report["transcript"]) == ([("wrong_colour", "white", ("d6",), "corrected")], "f5d6")
    assert (t.left_s(BLACK), t.left_s(WHITE)) == (1795, 1790)
    t.move("c3")
    assert (t.report["transcript"], len(t.errors)) == ("f5d6c3", 1)


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.2")
@BOOKS
@pytest.mark.parametrize("board", ["as it was", "taken off", "flips missing"])
def test_a_wrong_colour_that_is_not_put_right_yet_leaves_the_offender_to_move(table, book, board):
    t = table(book, minutes=30).begin().move("f5").wait(5)
    before = t.shown
    t.put("d6", True).press(WHITE).rule("correct_error").wait(5)
    if board == "taken off":
        t.show(before)
    elif board == "flips missing":
        t.put("d6", False)
    t.rule("corrected")
    assert (t.game.clock.running, t.game.to_move, t.report["transcript"]) == (WHITE, WHITE, "f5")
    t.show(before).move("d6")
    assert (t.game.to_move, t.report["transcript"]) == (BLACK, "f5d6")
    assert t.errors == [("wrong_colour", "white", ("d6",), "corrected")]

"""Discs that come down beside a move, or go, in one player's turn: never an error of the other's (woc-2019 IV.3)."""

from __future__ import annotations

from random import Random

import pytest
from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import Position, square_name, squares_of
from flagfall.othello.game import State

from .conftest import BLACK, BOOKS, ENDED_BY_PRESS, JUDGED, WHITE, Table

AFTER_F5 = Position(black=(1 << 28) | (1 << 35) | (1 << 36) | (1 << 37), white=1 << 27)


def f5_beside(t: Table, discs: str, first: str = "f5", press: bool = True) -> Table:
    """Black plays f5, and discs lie there too ("a1X h8O"), shown `first` or after it, before Black presses."""
    t.wait(1)
    extras = [(disc[:2], disc[2] == "X") for disc in discs.split()]
    if first == "f5":
        t.place("f5")
    for square, black in extras:
        t.wait(0.5).put(square, black)
    if first != "f5":
        t.wait(0.5).place("f5")
    return t.wait(0.5).press(BLACK) if press else t


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.5.1", "usoa 3.2", "usoa 7.1")
@JUDGED
@BOOKS
@pytest.mark.parametrize("first", ["f5", "the other"])
@pytest.mark.parametrize("discs", ["a1X", "h8X", "c4X", "a1X h8X", "a1X h8O", "a1O h8X"])
def test_a_second_disc_of_the_movers_colour_is_his_error(table, book, judged, first, discs):
    t = f5_beside(table(book, judged=judged, minutes=30).begin(), discs, first)
    squares = tuple(sorted((disc[:2] for disc in discs.split()), key=lambda s: (s[1], s[0])))
    assert t.errors == [("misflip", "black", squares, "open")]
    assert (t.report["transcript"], t.game.clock.running) == ("f5", WHITE)


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.1", "usoa 7.4")
@JUDGED
@BOOKS
@pytest.mark.parametrize("discs", ["a1X", "a1O", "f4O", "f6O h8O", "a1X f4O"])
def test_pressing_back_demands_its_correction(table, book, judged, discs):
    t = f5_beside(table(book, judged=judged, minutes=30).begin(), discs).wait(2).press(WHITE)
    assert (t.state, t.game.clock.running, t.report["transcript"]) == (State.CORRECTING, BLACK, "f5")
    assert {(kind, by, state) for kind, by, _, state in t.errors} == {("misflip", "black", "correcting")}
    t.wait(3).show(AFTER_F5)
    if judged:
        t.rule("corrected")
    else:
        t.press(BLACK)
    assert (t.state, t.game.clock.running, t.game.to_move) == (State.RUNNING, WHITE, WHITE)
    assert [state for *_, state in t.errors] == ["corrected"]
    t.move("d6")
    assert t.report["transcript"] == "f5d6" and len(t.errors) == 1


@pytest.mark.clause("woc-2019 IV.5.1", "usoa 7.5")
@JUDGED
@BOOKS
@pytest.mark.parametrize("named", ["misflip", "illegal_move", "wrong_colour", None])
@pytest.mark.parametrize("discs", ["a1X", "a1O", "f4O"])
def test_the_opponents_signal_is_heard_however_the_disc_is_named(table, book, judged, discs, named):
    t = f5_beside(table(book, judged=judged, minutes=30).begin(), discs).wait(2)
    if named is None and book == "usoa":
        named = "misflip"
    error = {} if named is None else {"error": named, "square": discs[:2]}
    t.line("signal", by="white", **error)
    assert t.refusals == []
    upheld = not judged or book == "usoa"
    assert t.errors == [("misflip", "black", (discs[:2],), "correcting" if upheld else "open")]
    if not upheld:
        t.rule("correct_error")
        assert (t.state, t.game.clock.running) == (State.CORRECTING, BLACK)


@pytest.mark.clause("woc-2019 IV.5.2", "usoa 7.1")
@JUDGED
@BOOKS
@pytest.mark.parametrize("discs", ["a1X", "a1O", "f6O", "f6O h8O", "a1X h8X"])
def test_who_plays_on_accepts_it_and_is_accused_of_nothing(table, book, judged, discs):
    t = f5_beside(table(book, judged=judged, minutes=30).begin(), discs).move("f4")
    assert t.report["transcript"] == "f5f4"
    assert [(by, state) for _, by, _, state in t.errors] == [("black", "accepted")] * ("X" in discs)
    assert len(t.happened("disturbed")) == ("X" not in discs)
    assert {incident["by"] for incident in t.happened("disturbed")} <= {None}
    assert t.happened("moved_on_opponents_time") == []


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.9")
@JUDGED
@BOOKS
def test_a_disc_that_the_opponent_then_flips_for_was_his_move(table, book, judged):
    t = (
        f5_beside(table(book, judged=judged, minutes=30).begin(), "f4O")
        .wait(1)
        .turn("e4")
        .wait(1)
        .press(WHITE)
    )
    assert (t.errors, t.report["transcript"], t.happened("disturbed")) == ([], "f5f4", [])


@BOOKS
def test_a_disc_taken_off_again_before_anybody_speaks_of_it_leaves_nothing(table, book):
    t = f5_beside(table(book, minutes=30).begin(), "a1O").wait(1).lift("a1").move("d6")
    assert (t.errors, t.report["transcript"], t.happened("disturbed")) == ([], "f5d6", [])


@BOOKS
def test_the_judge_upholds_what_no_sensor_could_tell(table, book):
    t = f5_beside(table(book, minutes=30).begin(), "a1O").rule("correct_error")
    assert t.errors == [("misflip", "black", ("a1",), "correcting")]


@pytest.mark.clause("woc-2019 IV.8", "usoa 4.2")
@JUDGED
@BOOKS
@pytest.mark.parametrize("colour", ["X", "O"])
def test_a_disc_too_many_with_the_last_move_is_the_movers_error_and_can_be_put_right(
    table, book, judged, colour
):
    t = table(book, judged=judged, minutes=30).begin().moves("f5d6c5f6e7f4g5e6").wait(5).place("e3")
    t.put("a1", colour == "X").press(BLACK)
    assert t.errors == [("misflip", "black", ("a1",), "open")]
    assert t.report["transcript"] == "f5d6c5f6e7f4g5e6e3"


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.5.1", "usoa 7.6")
@many(50)
def test_nothing_on_the_board_in_ones_own_turn_is_an_error_of_the_other(examples: int) -> None:
    values = st.tuples(st.sampled_from(ENDED_BY_PRESS), st.booleans(), st.integers(0, 2**32))
    tried(examples, values, lambda drawn: play_untidily(*drawn))


def strew(t: Table, chance: Random, kept: int = 0) -> None:
    """Lay a disc on some empty square, or take one away, none of `kept`."""
    if chance.random() < 0.3:
        t.lift(square_name(chance.choice(list(squares_of(t.shown.occupied & ~kept)))))
    elif t.shown.empty:
        t.put(square_name(chance.choice(list(squares_of(t.shown.empty)))), chance.random() < 0.5)


def play_untidily(name: str, judged: bool, seed: int) -> None:
    """Play a game in which discs come or go in some turns, before or after the disc of the move or between its flips.
    The opponent of such a turn moves, presses back or signals; errors are corrected. Legal answers are left out: they
    are moves."""
    chance = Random(seed)
    t = Table(name, judged=judged, minutes=600).begin()
    for _ in range(chance.choice([6, 20, 70])):
        if t.state is not State.RUNNING:
            break
        mover, black = t.game.to_move, t.game.plays_black(t.game.to_move)
        began = t.shown
        legal = list(squares_of(began.legal(black)))
        culpable = len(t.game.incidents)
        t.wait(1)
        untidy = chance.random() < 0.35
        if untidy and chance.random() < 0.4:
            strew(t, chance)
            # A disc that takes another one's place is no move: a press with it demands what the turn before left wrong.
            legal = list(squares_of(t.shown.legal(black) & ~began.occupied))
        if legal:
            square = chance.choice(legal)
            if chance.random() < 0.5:
                t.touch(square_name(square))
            after = t.shown.played(black, square)
            if chance.random() < 0.5:
                t.put(square_name(square), black)
            t.show(after)
        if untidy:
            for _ in range(chance.choice([1, 1, 2])):
                strew(t, chance, 1 << square if legal else 0)
        t.wait(1).press(mover)
        if legal or t.state is not State.CORRECTING:  # Else he has demanded what the turn before left wrong.
            accused(t, culpable, mover)
        culpable = len(t.game.incidents)
        if not untidy or t.state is not State.RUNNING or t.game.to_move is mover:
            continue
        if t.game.last is None or t.shown == t.game.last.right:
            continue  # He has tidied up himself: a press back would be a pass.
        share = chance.random()
        if share < 0.3 and t.shown.legal(not black):
            t.wait(1).press(mover.other)
            accused(t, culpable, mover)
        elif share < 0.6:
            t.wait(1).line("signal", by=mover.other, error="misflip")
            accused(t, culpable, mover)
        if t.state is State.CORRECTING and t.game.last is not None:
            t.wait(1).show(t.game.last.right if chance.random() < 0.8 else t.shown)
            if judged:
                t.rule("corrected")
            else:
                t.press(mover)
            accused(t, culpable, mover)


def accused(t: Table, since: int, mover: str) -> None:
    errors = [error for error in t.game.incidents[since:] if error.state is not None]
    assert {error.by for error in errors} <= {mover}, (t.report["transcript"], errors)


@pytest.mark.clause("woc-2019 IV.3", "woc-2019 IV.4", "usoa 5.8", "usoa 7.1")
@JUDGED
@BOOKS
@pytest.mark.parametrize("then", ["moves with it", "presses back", "plays elsewhere"])
def test_a_disc_beside_a_pass_is_the_opponents_only_if_he_flips_for_it(table, book, judged, then):
    """White must pass; a black disc on d1, where Black may move, has flipped nothing when White presses."""
    t = table(book, judged=judged, minutes=30).begin()
    lies = "XOO-----" + "-" * 8 + "XO------" + "-" * 40
    t.rule("stop").rule("set_position", squares=lies, to_move="white").rule("resume")
    t.shown = t.game.shown
    t.wait(2).put("d1", black=True).wait(1).press(WHITE)
    assert (t.errors, t.happened("moved_on_opponents_time")) == ([], [])
    assert (t.report["transcript"], t.game.clock.running) == ("", BLACK)
    t.wait(2)
    if then == "moves with it":
        t.turn("b1", "c1").press(BLACK)
        assert (t.errors, t.report["transcript"]) == ([], "d1")
    elif then == "presses back":
        t.press(BLACK)
        assert (t.errors, t.game.clock.running) == ([("misflip", "white", ("d1",), "correcting")], WHITE)
    else:
        t.place("c3", by=BLACK).press(BLACK)
        assert (t.errors, t.report["transcript"]) == ([], "c3")


@pytest.mark.clause("usoa 5.9", "usoa 7.3")
def test_discs_of_the_opponents_colour_beside_no_move_are_no_answer_of_his(table):
    """Black lays two white discs; White's move to the second would turn a black one over on the square of the first."""
    t = table("usoa", minutes=30).begin().moves("f5f6").wait(5).put("e6", False).put("d6", False).press(BLACK)
    assert {by for _, by, _, _ in t.errors} == {"black"}
    assert t.game.clock.running == WHITE


@pytest.mark.clause("woc-2019 IV.5.2", "woc-2019 V.1", "usoa 5.11", "usoa 7.6")
@BOOKS
@pytest.mark.parametrize("disc", ["a1X", "a1O", "f4X", "f6O"])
def test_a_disc_that_comes_down_while_the_clocks_stand_is_nobodys(table, book, disc):
    t = table(book, minutes=30).begin().move("f5").wait(1).rule("stop").put(disc[:2], disc[2] == "X")
    t.wait(1).rule("resume").wait(1).place("d6").press(WHITE)
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")
    assert [incident["by"] for incident in t.happened("disturbed")] == [None]
    t.move("c7" if disc != "f6O" else "c5")
    assert t.errors == []


@pytest.mark.clause("woc-2019 IV.4", "usoa 3.8")
@BOOKS
def test_who_flips_for_a_disc_laid_while_the_clocks_stood_moves_with_it(table, book):
    t = table(book, minutes=30).begin().move("f5").wait(1).rule("stop").put("d6", False).rule("resume")
    t.wait(1).turn("d5").press(WHITE)
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.8")
@BOOKS
@pytest.mark.parametrize("black", [True, False])
def test_a_disc_that_comes_down_while_the_clocks_stand_makes_no_move_of_a_pass(table, book, black):
    t = table(book, minutes=30).begin().rule("stop")
    t.rule("set_position", squares="XO------" + "-" * 8 + "XO" + "-" * 46, to_move="white").rule("resume")
    t.shown = t.game.shown
    t.wait(1).rule("stop").put("h8", black).rule("resume").wait(1).press(WHITE)
    assert (t.errors, t.report["transcript"], t.game.to_move) == ([], "", BLACK)


@pytest.mark.clause("woc-2019 IV.5.2", "woc-2019 V.1", "usoa 7.6")
@JUDGED
@BOOKS
@pytest.mark.parametrize("disc", ["a1X", "a1O", "f4X", "f6O"])
def test_a_disc_that_comes_down_while_the_board_is_lost_is_nobodys(table, book, judged, disc):
    t = table(book, judged=judged, minutes=30).begin().move("f5").wait(1).line("board", state="lost")
    t.wait(1).line("board", state="ok").put(disc[:2], disc[2] == "X").wait(1).place("d6").press(WHITE)
    assert (t.errors, t.report["transcript"]) == ([], "f5d6")
    assert [incident["by"] for incident in t.happened("disturbed")] == [None]
    # A move made meanwhile is read as his.
    t = table(book, judged=judged, minutes=30).begin().move("f5").wait(1).line("board", state="lost")
    t.line("board", state="ok").place("d6").press(WHITE)
    assert (t.errors, t.report["transcript"], t.happened("disturbed")) == ([], "f5d6", [])

"""A start position that lies wrong: on record before the clocks run, charged to neither player (woc-2019 I.4.5)."""

from __future__ import annotations

import random

import pytest

from flagfall.othello.board import START, Position, parse_square, square_name, square_names, squares_of
from flagfall.othello.game import State
from flagfall.othello.reading.start import wrong_start

from .conftest import BLACK, BOOKS, JUDGED, WHITE, turned


def with_disc(square: str, black: bool) -> Position:
    bit = 1 << parse_square(square)
    return Position(START.black | bit * black, START.white | bit * (not black))


def without(*squares: str) -> Position:
    return START.without(sum(1 << parse_square(square) for square in squares))


STARTS = {
    "a1 black": with_disc("a1", True),
    "h8 white": with_disc("h8", False),
    "f5 white": with_disc("f5", False),
    "e6 black": with_disc("e6", True),
    "d4 missing": without("d4"),
    "d5 missing": without("d5"),
    "e4 missing": without("e4"),
    "e5 missing": without("e5"),
    "e4 e5 missing": without("e4", "e5"),
    "colours exchanged": turned(START, START.occupied),
    "d4 turned over": turned(START, 1 << parse_square("d4")),
}
EACH = pytest.mark.parametrize("start", STARTS)


def begun(table, book, judged, start):
    return table(book, judged=judged, minutes=30).show(STARTS[start]).begin()


@pytest.mark.clause("woc-2019 I.4.5", "usoa 2.1")
@JUDGED
@BOOKS
@EACH
def test_a_wrong_start_is_on_record_once_and_charged_to_nobody(table, book, judged, start):
    t = table(book, judged=judged, minutes=30).show(STARTS[start])
    wrong = START.differences(STARTS[start])
    assert wrong_start(t.game) == wrong, "the screen shows it before any clock runs"
    t.begin()
    recorded = [(e["by"], e["squares"]) for e in t.happened("wrong_start")]
    assert recorded == [(None, list(square_names(wrong)))]
    assert (t.state, t.game.clock.running, wrong_start(t.game)) == (State.RUNNING, BLACK, 0)


@JUDGED
@BOOKS
@EACH
def test_each_move_that_is_legal_as_it_lies_is_judged_as_the_move_it_is(table, book, judged, start):
    moves = [square_name(square) for square in squares_of(STARTS[start].legal(True))]
    games = [begun(table, book, judged, start).wait(5).place(move).press(BLACK) for move in moves]
    assert [(t.errors, t.report["transcript"], t.state) for t in games] == [
        ([], move, State.RUNNING) for move in moves
    ]
    assert {(len(t.happened("wrong_start")), len(t.happened("disturbed"))) for t in games} <= {(1, 0)}
    answered = [t for t in games if t.shown.legal(False)]
    for t in answered:
        t.move(square_name(next(squares_of(t.shown.legal(False)))))
    assert [(t.errors, t.report["moves"]) for t in answered] == [([], 2)] * len(answered)


@pytest.mark.clause("woc-2019 I.4.5", "usoa 2.1")
@JUDGED
@BOOKS
@EACH
@pytest.mark.parametrize("when", ["signal", "press", "first move", "reply"])
def test_it_is_put_right_at_any_time_and_nobody_is_accused(table, book, judged, start, when):
    if start in ("colours exchanged", "d4 turned over") and when in ("first move", "reply"):
        return  # The first move has been played on them as they lay.
    t = table(book, judged=judged, minutes=30).show(STARTS[start])
    if when == "signal":
        t.show(START)
    t.line("start")
    if when == "press":
        t.show(START)
    t.press(WHITE)
    if when in ("signal", "press"):
        assert t.happened("wrong_start") == []
    if when in ("first move", "reply"):
        square = next(
            square for square in squares_of(START.legal(True)) if not STARTS[start].occupied >> square & 1
        )
        if when == "first move":
            t.wait(5).show(START.played(True, square)).press(BLACK)
        else:
            lies = STARTS[start]
            if not lies.legal(True) >> square & 1 or lies.played(True, square).over():
                return
            t.wait(5).show(lies.played(True, square)).press(BLACK)
            right = START.played(True, square)
            t.wait(5).show(right.played(False, next(squares_of(right.legal(False))))).press(WHITE)
            assert t.report["moves"] == 2
    else:
        t.move("f5").move("d6")
    assert t.errors == [] and not t.happened("disturbed")


@JUDGED
@BOOKS
@pytest.mark.parametrize(("missing", "square"), [("d4", "f5"), ("e5", "d3"), ("d4 e5", "f5")])
def test_a_white_disc_that_is_missing_ends_no_game(table, book, judged, missing, square):
    """Black's first move would leave no white disc on the board."""
    t = table(book, judged=judged, minutes=30).show(without(*missing.split())).begin().wait(5)
    t.show(
        START.played(True, parse_square(square)).without(sum(1 << parse_square(s) for s in missing.split()))
    )
    t.press(BLACK)
    assert (t.state, t.score, t.game.clock.running) == (State.RUNNING, None, WHITE)
    assert (t.errors, t.report["transcript"]) == ([], square)


@JUDGED
@BOOKS
@pytest.mark.parametrize(("missing", "square"), [("e4", "c4"), ("e4", "e6"), ("d5", "f5"), ("d5", "d3")])
def test_a_move_made_as_if_the_missing_disc_lay_there_is_no_error(table, book, judged, missing, square):
    bit = 1 << parse_square(missing)
    t = table(book, judged=judged, minutes=30).show(without(missing)).begin().wait(5)
    right = START.played(True, parse_square(square))
    t.show(right.without(bit)).press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], square)
    reply = next(squares_of(right.without(bit).legal(False)))
    t.wait(5).show(right.without(bit).played(False, reply)).press(WHITE)
    assert t.errors == [] and t.report["moves"] == 2


@BOOKS
def test_blacks_move_before_whites_press_is_no_wrong_start(table, book):
    t = table(book, minutes=30).line("start").place("f5")
    assert wrong_start(t.game) == 0
    t.press(WHITE)
    assert t.happened("wrong_start") == []
    t.press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], "f5")


@BOOKS
def test_a_disc_on_a_legal_square_at_the_signal_is_no_move_of_blacks(table, book):
    t = table(book, minutes=30).show(with_disc("e6", True)).begin().move("f5")
    assert (t.errors, t.report["transcript"], len(t.happened("wrong_start"))) == ([], "f5", 1)


@BOOKS
def test_a_game_that_nobody_began_over_a_wrong_start_is_no_game(table, book):
    t = table(book, minutes=30).show(with_disc("a1", True)).begin().rule("forfeit", player="black")
    assert t.report["no_show"]


@JUDGED
@BOOKS
@pytest.mark.parametrize("missing", ["d4", "e4", "d4 e5", "d4 d5"])
def test_a_disc_that_goes_after_the_signal_is_missing_at_whites_press(table, book, judged, missing):
    t = (
        table(book, judged=judged, minutes=30)
        .show(START)
        .line("start")
        .wait(1)
        .show(without(*missing.split()))
    )
    assert wrong_start(t.game) == t.game.shown.differences(START)
    t.press(WHITE)
    (wrong,) = t.happened("wrong_start")
    assert (wrong["by"], wrong["squares"]) == (None, missing.split())
    square = next(squares_of(START.legal(True) & t.shown.legal(True) or START.legal(True)))
    gone = START.differences(t.shown)
    t.wait(5).show(START.played(True, square).without(gone)).press(BLACK)
    assert (t.state, t.errors, t.score) == (State.RUNNING, [], None)
    assert t.report["transcript"] == square_name(square)


@JUDGED
@BOOKS
def test_a_disc_laid_after_the_signal_is_nobodys_if_black_moves_elsewhere(table, book, judged):
    """It lies where Black may move, and may be his move until he makes another."""
    t = table(book, judged=judged, minutes=30).line("start").put("f5", True).press(WHITE)
    t.wait(5).place("d3").press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], "d3")
    t = table(book, judged=judged, minutes=30).line("start").put("f5", True).put("g5", True).press(WHITE)
    assert [(incident["by"], incident["squares"]) for incident in t.happened("wrong_start")] == [
        (None, ["f5", "g5"])
    ]
    t.wait(5).place("d3").press(BLACK)
    assert (t.errors, t.report["transcript"]) == ([], "d3")


@JUDGED
@BOOKS
@pytest.mark.parametrize(
    "start", [with_disc("a1", True), with_disc("h8", False), without("e4"), without("d4")]
)
def test_a_board_that_comes_after_whites_press_shows_a_wrong_start(table, book, judged, start):
    t = table(book, judged=judged, minutes=30).line("board", state="lost").begin().wait(1)
    t.line("board", state="ok").show(start)
    (wrong,) = t.happened("wrong_start")
    assert (wrong["by"], wrong["squares"]) == (None, list(square_names(START.differences(start))))
    square = next(squares_of(START.legal(True) & start.legal(True)))
    t.wait(5).show(start.played(True, square)).press(BLACK)
    assert (t.state, t.errors, t.report["transcript"]) == (State.RUNNING, [], square_name(square))


@pytest.mark.clause("woc-2019 IV.4", "usoa 5.8")
@JUDGED
@BOOKS
@pytest.mark.parametrize("black", [True, False])
def test_a_disc_left_at_the_start_makes_no_move_of_a_pass(table, book, judged, black):
    """The white disc of the start is turned over while the clocks stand: White has no move and presses."""
    t = table(book, judged=judged, minutes=30).show(with_disc("b8", black)).begin().wait(5).place("f5")
    t.press(BLACK).rule("stop").turn("d4").rule("resume").wait(1).press(WHITE)
    assert (t.errors, t.report["transcript"], t.game.clock.running) == ([], "f5", BLACK)


def played_out(seed: int, plies: int = 60) -> list[tuple[int, bool, Position]]:
    """Return a game at random: each move's square, whether Black makes it, and the position that it leaves."""
    lots, position, black, moves = random.Random(seed), START, True, []
    while len(moves) < plies and (position.legal(black) or position.legal(not black)):
        black = black if position.legal(black) else not black
        square = lots.choice(list(squares_of(position.legal(black))))
        position = position.played(black, square)
        moves.append((square, black, position))
        black = not black
    return moves


def laid(board: Position, squares: int, like: Position) -> Position:
    """Return the board with these squares as they are in another position."""
    return Position(
        board.black & ~squares | like.black & squares, board.white & ~squares | like.white & squares
    )


@pytest.mark.clause("woc-2019 I.4.5")
@pytest.mark.parametrize("cleared", [True, False])
@pytest.mark.parametrize("plies", [24, 40, 60])
def test_a_board_that_bears_the_game_before_costs_little_more_than_a_clean_one(
    table, monkeypatch, cleared, plies
):
    """Nothing leads from the start to the discs of another game, and each change of the board asks for it anew."""
    left = played_out(7, plies)[-1][2]
    t = table("woc-2019", judged=False, minutes=30).show(left).begin()
    tried, play = [0], Position.played

    def counted(position: Position, black: bool, square: int) -> Position:
        tried[0] += 1
        return play(position, black, square)

    game = played_out(8)
    monkeypatch.setattr(Position, "played", counted)
    for square in squares_of(START.differences(left)) if cleared else ():
        t.show(laid(t.shown, 1 << square, START))
    before = START
    for _, black, position in game:
        if not t.game.legal(t.game.to_move):
            t.pass_()
        t.show(laid(t.shown, before.differences(position), position))
        t.wait(5).press(BLACK if black else WHITE)
        before = position
    assert tried[0] < 80_000, (
        "positions tried in a whole game, few enough to go over it again after a cut of the power"
    )
    if cleared:
        assert t.report["transcript"] == "".join(square_name(square) for square, _, _ in game)

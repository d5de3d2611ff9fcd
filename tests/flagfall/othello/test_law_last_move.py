"""An error in the very last move is put right like one in any other, whatever its kind and whatever comes between."""

from __future__ import annotations

from random import Random

from helpers.many_values import many, tried
from hypothesis import strategies as st

from flagfall.othello.board import format_position, square_name, squares_of
from flagfall.othello.game import State
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.score import count, settled

from .conftest import ENDED_BY_PRESS, Table, turned

MOVES_AGAIN = set(ErrorKind) - {ErrorKind.MISFLIP}


def to_a_move(t: Table, chance: Random, last: bool) -> int | None:
    """Plays at random until the move that ends the game (`last`), or any before; the square it is to go to."""
    plies = 0
    stop_at = chance.randrange(50)
    while not t.game.over:
        mover = t.game.to_move
        black = t.game.plays_black(mover)
        legal = list(squares_of(t.shown.legal(black)))
        if legal:
            square = chance.choice(legal)
            ends = t.shown.played(black, square).over()
            if ends if last else plies >= stop_at and not ends:
                return square
            t.show(t.shown.played(black, square))
        t.wait(1).press(mover)
        plies += 1
    return None


def make(t: Table, kind: ErrorKind, square: int, chance: Random) -> bool:
    """Make this error instead of a move for the player to move, and press; return False if it cannot be made here."""
    mover, position = t.game.to_move, t.shown
    black = t.game.plays_black(mover)
    after = position.played(black, square)
    elsewhere = list(squares_of(position.legal(black) & ~(1 << square)))
    nowhere = list(squares_of(position.empty & ~position.legal(black) & ~position.legal(not black)))
    match kind:
        case ErrorKind.MISFLIP:
            flipped = chance.choice(list(squares_of(position.flips(black, square))))
            t.show(after.with_squares(1 << flipped, position))
        case ErrorKind.WRONG_COLOUR:
            t.show(turned(after, 1 << square))
        case ErrorKind.ILLEGAL_MOVE:
            if not nowhere:
                return False
            t.put(square_name(chance.choice(nowhere)), black)
        case ErrorKind.TOUCHED_ELSEWHERE:
            if not elsewhere:
                return False
            t.touch(square_name(chance.choice(elsewhere))).show(after)
        case ErrorKind.ILLEGAL_PASS:
            pass
    t.wait(1).press(mover)
    return [(error[0], error[1], error[3]) for error in t.errors] == [(str(kind), str(mover), "open")]


def between(t: Table, step: str) -> None:
    """Let this happen before anybody speaks, or while the error is put right; the clocks run again after it."""
    correcting = t.state
    match step:
        case "power":
            t.line("power", state="back", uncertain_ns=5)
        case "stop":
            t.rule("stop")
        case "board":
            t.line("board", state="lost").wait(1).line("board", state="ok").show()
        case "shown again":
            t.show()
    if t.state is State.STOPPED:
        t.wait(1).rule("resume")
    assert t.state is correcting


@many(50)
def test_the_last_move_is_put_right_like_any_other(examples: int) -> None:
    steps = st.lists(st.sampled_from(["power", "stop", "board", "shown again"]), max_size=3)
    values = st.fixed_dictionaries(
        {
            "seed": st.integers(0, 2**32),
            "name": st.sampled_from(ENDED_BY_PRESS),
            "judged": st.booleans(),
            "last": st.booleans(),
            "kind": st.sampled_from(ErrorKind),
            "mended": st.sampled_from(["before", "after", "by his word"]),
            "steps": steps,
        }
    )
    tried(examples, values, lambda drawn: put_right(**drawn))


def put_right(
    *, seed: int, name: str, judged: bool, last: bool, kind: ErrorKind, mended: str, steps: list[str]
) -> None:
    chance = Random(seed)
    t = Table(name, judged=judged, minutes=600).begin()
    square = to_a_move(t, chance, last)
    if square is None:
        return
    offender, before, moves = t.game.to_move, t.shown, t.game.moves
    black = t.game.plays_black(offender)
    if not make(t, kind, square, chance):
        return
    if kind is ErrorKind.TOUCHED_ELSEWHERE:
        assert t.game.last is not None
        square = t.game.last.touched[0]
    after = before.played(black, square)
    lies = before if kind in MOVES_AGAIN else after
    cut = chance.randrange(len(steps) + 1)
    for step in steps[:cut]:
        between(t.wait(1), step)
    if mended == "before":
        t.wait(1).show(lies)
        kept = [error[3] for error in t.errors]
        assert kept == ["open"]
    named = {"square": square_name(square)} if kind is ErrorKind.ILLEGAL_PASS else {}
    if judged:
        t.rule("correct_error")
    else:
        t.line("signal", by=str(offender.other), error=str(kind), **named)
    assert (t.state, t.score, t.game.clock.running) == (State.CORRECTING, None, offender)
    for step in steps[cut:]:
        between(t.wait(1), step)
    if mended == "after" or (mended == "by his word" and not judged):
        t.wait(1).show(lies)
    if judged:
        t.rule("corrected")
    if kind in MOVES_AGAIN:
        if judged:
            assert (t.state, t.game.to_move, t.game.clock.running) == (State.RUNNING, offender, offender)
            assert (t.game.before, t.game.moves) == (before, moves)
        t.show(after)
    if kind in MOVES_AGAIN or not judged:
        t.wait(1).press(offender)
    assert [error[3] for error in t.errors] == ["corrected"]
    assert t.game.moves == (*moves, square)
    assert t.report["position"] == format_position(after)
    if after.over():
        score = settled(count(after), t.game.rules)
        assert (t.state, t.score) == (State.FINISHED, score)
    else:
        assert (t.state, t.game.clock.running) == (State.RUNNING, offender.other)

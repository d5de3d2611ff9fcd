"""Planned mistakes of hands, drawn from a seed, so that a room's troubles can be repeated."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from enum import StrEnum

from flagfall.othello.board import START, Position, squares_of


class Mistake(StrEnum):
    # One disc that should be flipped is not.
    MISFLIP = "misflip"
    # A disc on an empty square where nothing can be flipped.
    ILLEGAL_SQUARE = "illegal_square"
    # The right square, the opponent's colour up.
    WRONG_COLOUR = "wrong_colour"
    # The button without a move, though there is one.
    ILLEGAL_PASS = "illegal_pass"
    # Another legal square is touched first.
    TOUCH_ELSEWHERE = "touch_elsewhere"
    # The opponent presses their button while the player thinks.
    PRESS_OUT_OF_TURN = "press_out_of_turn"
    # Nobody presses until somebody notices.
    FORGET_PRESS = "forget_press"
    # The button goes down while the last disc still settles: allowed, and never to be reported as an error.
    PRESS_AT_ONCE = "press_at_once"
    # Discs are straightened and hands rest on squares before the move: this commits nobody.
    STRAIGHTEN = "straighten"


# The incident that a judge must rule on; the other mistakes need no ruling.
FOUND_AS: Mapping[Mistake, str] = {
    Mistake.MISFLIP: "misflip",
    Mistake.ILLEGAL_SQUARE: "illegal_move",
    Mistake.WRONG_COLOUR: "wrong_colour",
    Mistake.ILLEGAL_PASS: "illegal_pass",
    Mistake.TOUCH_ELSEWHERE: "touched_elsewhere",
}


def possible(mistake: Mistake, position: Position, black: bool, square: int | None) -> bool:
    """Return whether this mistake can be made instead of (or around) the move to `square`; None is a pass."""
    if mistake in (Mistake.PRESS_OUT_OF_TURN, Mistake.FORGET_PRESS, Mistake.PRESS_AT_ONCE):
        return True
    if square is None:
        return mistake is Mistake.STRAIGHTEN
    match mistake:
        case Mistake.ILLEGAL_SQUARE:
            return illegal_square(position, black) is not None
        case Mistake.TOUCH_ELSEWHERE:
            return position.legal(black) != 1 << square
        case _:
            return True


def illegal_square(position: Position, black: bool) -> int | None:
    """Return the first empty square where this colour may not move, or None."""
    return next(squares_of(position.empty & ~position.legal(black)), None)


def draw_mistakes(plies: Iterable[int | None], seed: int, share: float) -> dict[int, Mistake]:
    """Return a mistake for about `share` of the plies (squares, or None for a pass) of a game, by ply from 0."""
    chance = random.Random(seed)
    plan = {}
    position, black = START, True
    for ply, square in enumerate(plies):
        if chance.random() < share:
            can = [mistake for mistake in Mistake if possible(mistake, position, black, square)]
            plan[ply] = chance.choice(can)
        if square is not None:
            position = position.played(black, square)
        black = not black
    return plan

"""Discs beside a move that was read: whose they are, and what was put right by hand before it."""

from __future__ import annotations

from flagfall.othello.board import FULL, Position
from flagfall.othello.game import Game, Turn
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.last_move import put_right


def another_disc(game: Game, reading: Reading) -> bool:
    """Tell whether a disc of the other player lies beside this whole move: they have moved again, wherever it lies."""
    black = game.plays_black(game.to_move)
    return reading.whole(black) and bool(game.shown.discs(not black) & reading.left.empty)


def unfinished(reading: Reading, black: bool) -> bool:
    """Tell whether nothing lies wrong after the last of the moves but discs that it has still to flip."""
    base, square = reading.base, reading.square
    if square is None or reading.early is not None or not reading.left.discs(black) >> square & 1:
        return False
    flips = base.flips(black, square)
    wrong = base.played(black, square).differences(reading.left) if flips else 0
    return bool(wrong) and not wrong & ~flips


def second_move(game: Game, right: Position, left: Position, wrong: int, *, black: bool) -> int:
    """Return the square of a second move of the same player, as a set, if that is all that lies wrong after the first
    and the rulebook calls it a move out of turn (jof J5)."""
    second = left.discs_on(right.empty)
    if game.rules.out_of_turn == "reported" or not second or second & (second - 1):
        return 0
    flips = right.flips(black, second.bit_length() - 1)
    return second if flips and second & left.discs(black) and not wrong & ~(second | flips) else 0


def changed_in(game: Game, turn: Turn, square: int) -> int:
    """Return the squares that this turn can have left wrong. Where more than an answer lay there when the turn began,
    those squares were left so in the other player's turn."""
    last = game.last
    if last is None or last.left is None or not turn.lay_before & ~(1 << square):
        return FULL
    return last.left.differences(game.shown)


def mended_by_hand(game: Game, reading: Reading, black: bool, square: int) -> int:
    """Return the squares of the last move that were put right by hand before this move to `square`, not by its flips.
    `black`: the colour that the disc plays."""
    flipped = reading.base.flips(black, square)
    mended = 0 if reading.exact else put_right(game, reading.left) & ~flipped
    if not mended or game.last is None or not flipped:
        return mended
    # A move that was legal on the board as it lay is none the less so.
    right_there = reading.base.with_squares(mended, game.last.right)
    there, here = (
        position.played(black, square).differences(reading.left).bit_count()
        for position in (right_there, reading.base)
    )
    return mended if right_there.flips(black, square) and there <= here else 0

"""What a position shows of a turn: whose new disc lies where, compared with the position the turn began with.

Nothing is guessed: what unreadable squares leave open is `undecided`.
"""

from __future__ import annotations

from dataclasses import dataclass

from othello.board import Position, squares_of

_MOST_POSITIONS = 5_000
"""Looked through at most to explain what is shown: eight plies on a readable board take a few hundred."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`square`: the mover's new disc; `early`: the opponent's, answering before the press; both None: no new disc.

    `early` alone answers a pass that is still owed.

    `reach`: the squares that the early answer may have changed, which say nothing of the mover.
    `undecided`: the readable squares leave more than one answer.
    """

    square: int | None = None
    early: int | None = None
    reach: int = 0
    undecided: bool = False


def read_turn(before: Position, shown: Position, black: bool, first: int | None) -> Reading:
    """Reads the turn of the mover (`black`: whether his discs are black) from `before` to `shown`.

    `first` is where his disc is known to have come first, or the square that binds him; it settles which of
    several new discs is his.
    """
    placed = (shown.black | shown.white) & before.empty
    if not placed:
        return _through_gaps(before, shown, black)
    if placed & (placed - 1) == 0:
        square = placed.bit_length() - 1
        if placed & shown.discs(not black) and not before.legal(black) and before.flips(not black, square):
            return Reading(early=square, reach=placed | before.flips(not black, square))
        return Reading(square=square)
    pair = _answered(before, shown, black, placed, first)
    if pair is not None:
        return pair
    return _by_colour(before, shown, black, placed, first)


def _through_gaps(before: Position, shown: Position, black: bool) -> Reading:
    """No new disc can be read; one may lie under an unreadable square."""
    gaps = shown.unknown & before.empty
    if not gaps:
        return Reading()
    legal = before.legal(black) & gaps
    fitting = [square for square in squares_of(legal) if not before.played(black, square).differences(shown)]
    if not fitting:
        return Reading(undecided=bool(before.differences(shown)))
    if len(fitting) == 1 and before.differences(shown):
        return Reading(square=fitting[0])
    return Reading(undecided=True)


def _answered(
    before: Position, shown: Position, black: bool, placed: int, first: int | None
) -> Reading | None:
    """Exactly a legal move and the opponent's legal answer to it, if that is what lies there."""
    if placed.bit_count() != 2:
        return None
    lines = lines_to(before, black, shown, 2)
    if not lines:
        return None
    line = next((line for line in lines if line[0] == first), lines[0])
    if line[0] is None or line[1] is None:
        return None
    found = before.played(black, line[0])
    return Reading(square=line[0], early=line[1], reach=found.flips(not black, line[1]) | 1 << line[1])


def _by_colour(before: Position, shown: Position, black: bool, placed: int, first: int | None) -> Reading:
    """Several new discs that make no legal pair: the mover's by what is known of it, else by its colour."""
    own_colour = placed & shown.discs(black)
    known = first if first is not None and placed >> first & 1 else None
    square = next(squares_of(own_colour or placed)) if known is None else known
    rest = placed & ~(1 << square)
    others = rest & shown.discs(not black)
    if others != rest or others & (others - 1):
        return Reading(square=square)
    answer = others.bit_length() - 1
    flipped = before.flips(black, square)
    right = before.played(black, square) if flipped else before
    # The answer was made to the board as the mover had left it, which may not have been right.
    by_answer = right.flips(not black, answer) | right.with_squares(flipped, shown).flips(not black, answer)
    unanswered = Position(shown.black & ~others, shown.white & ~others, shown.unknown)
    if not by_answer and not unanswered.flips(not black, answer):
        return Reading(square=square)
    return Reading(square=square, early=answer, reach=by_answer | others)


def lines_to(before: Position, black: bool, shown: Position, plies: int) -> list[tuple[int | None, ...]]:
    """All lines of exactly `plies` legal plies (None: a pass) that lead to what is shown, at most two of them.

    Passes are made only where the law demands them. Unreadable squares fit anything; where they leave too much to
    look through there is no answer, so that a blind board cannot hold up the table.
    """
    found: list[tuple[int | None, ...]] = []
    candidates, empty = shown.occupied, shown.empty
    looked_at = 0

    def follow(position: Position, side_black: bool, line: tuple[int | None, ...]) -> None:
        nonlocal looked_at
        looked_at += 1
        if len(found) > 1 or looked_at > _MOST_POSITIONS or position.occupied & empty:
            return
        left = plies - len(line)
        if not left:
            if not position.differences(shown):
                found.append(line)
            return
        missing = (shown.black | shown.white) & position.empty
        if missing.bit_count() > left:
            return
        legal = position.legal(side_black)
        if not legal:
            if position.legal(not side_black):
                follow(position, not side_black, (*line, None))
            return
        for square in squares_of(legal & candidates):
            follow(position.played(side_black, square), not side_black, (*line, square))

    follow(before, black, ())
    return found if looked_at <= _MOST_POSITIONS else []

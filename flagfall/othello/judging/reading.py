"""What a position shows of a turn: whose new disc lies where, compared with the position the turn began with.

Nothing is guessed: what unreadable squares leave open is `undecided`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from flagfall.othello.board import Position, squares_of

_MOST_POSITIONS = 5_000
"""Looked through at most to explain what is shown: eight plies on a readable board take a few hundred."""


@dataclass(frozen=True, slots=True)
class Reading:
    """`square`: the mover's new disc; `early`: the opponent's, answering before the press; both None: no new disc.

    `early` alone answers a pass that is still owed. `line`: all plies (None: a pass) where they are legal in that
    order and leave what is shown; `square` and `early` are its first two. `exact`: nothing else lies there, but perhaps
    the wrong colour up.

    `base`: the position the turn is read from. `left`: how the mover left the board; what early answers may have
    changed since is unknown in it. `undecided`: the readable squares leave more than one answer. `doubtful`: discs of
    the opponent's colour beside a whole move, for which nothing was flipped: nobody knows who laid them.
    """

    base: Position
    left: Position
    square: int | None = None
    early: int | None = None
    line: tuple[int | None, ...] = ()
    undecided: bool = False
    exact: bool = False
    doubtful: int = 0

    def whole(self, black: bool) -> bool:
        """Tell whether there is a legal move, and what is read as the mover's is as it leaves the board."""
        base, square = self.base, self.square
        if square is None or not base.legal(black) >> square & 1:
            return False
        return not base.played(black, square).differences(self.left)


def read_turn(
    bases: tuple[Position, ...],
    shown: Position,
    black: bool,
    order: tuple[int, ...] = (),
    *,
    lifted: Position | None = None,
    seen_first: int | None = None,
) -> Reading:
    """Reads the turn of the mover (`black`: whether his discs are black).

    `bases` are the positions he may have moved in, the likeliest first: the first one that legal moves lead from to
    what is shown explains it; if none does, one where his move is legal at all. `order`: the square that binds him
    and new discs in the order they came down, as far as it is known; it settles whose disc is whose. `lifted`: how the
    board lay with discs taken off it, on whose squares others lie now: one of them may be the move. `seen_first`: the
    square that the first of several plies took, if that is certain.
    """
    for base in bases:
        line = line_to(base, black, shown, order)
        if line and seen_first in (None, line[0]):
            return legal_reading(base, black, line)
    if lifted is not None:
        line = line_to(lifted, black, shown)
        if len(line) == 1:
            return legal_reading(lifted, black, line)
        if bases[0].legal(black):
            turned = bases[-1].occupied & bases[-1].differences(shown)
            bases = (*bases, lifted) if lifted.empty & turned else bases
    readings = [_faulty(base, shown, black, order) for base in bases]
    placed = [(one, one.square) for one in readings if one.square is not None]
    for reading, square in placed:
        if seen_first in (None, square) and reading.whole(black):
            # But for what is the opponent's or nobody's all is as it should be: no other reading accuses anybody.
            return reading
    for reading, square in placed:
        if not reading.base.played(not black, square).differences(shown):
            # A disc of the wrong colour, but for that a move.
            return replace(reading, exact=True)
    for reading, square in placed:
        its_black = black if shown.unknown >> square & 1 else bool(shown.black >> square & 1)
        if reading.base.legal(its_black) >> square & 1:
            return reading
    if not placed:
        # Discs turned before the press may be the flips of one that cannot be read.
        return next((reading for reading in readings if reading.undecided), readings[0])
    return readings[0]


def legal_reading(base: Position, black: bool, line: tuple[int | None, ...]) -> Reading:
    """The first of some plies that are legal in this order and leave what is shown."""
    first = line[0]
    left = base if first is None else base.played(black, first)
    return Reading(base, left, first, line[1] if len(line) > 1 else None, line, exact=True)


def _faulty(before: Position, shown: Position, black: bool, order: tuple[int, ...]) -> Reading:
    """What lies there is not exactly a line of legal moves."""
    placed = shown.discs_on(before.empty)
    if not placed:
        return _through_gaps(before, shown, black)
    if placed & (placed - 1) == 0:
        square = placed.bit_length() - 1
        flips = before.flips(not black, square)
        if placed & shown.discs(not black) and not before.legal(black) and flips:
            if not flips & shown.discs(not black):
                return Reading(before, shown.without(placed), doubtful=placed)
            return Reading(before, shown.unknown_at(placed | flips), early=square)
        return Reading(before, shown, square)
    return _by_colour(before, shown, black, placed, order)


def _through_gaps(before: Position, shown: Position, black: bool) -> Reading:
    """No new disc can be read; one may lie under an unreadable square."""
    gaps = shown.unknown & before.empty
    if not gaps:
        return Reading(before, shown)
    legal = before.legal(black) & gaps
    fitting = [square for square in squares_of(legal) if not before.played(black, square).differences(shown)]
    if not fitting:
        return Reading(before, shown, undecided=bool(before.differences(shown)))
    if len(fitting) == 1 and before.differences(shown):
        return Reading(before, shown, fitting[0])
    return Reading(before, shown, undecided=True)


def _by_colour(
    before: Position, shown: Position, black: bool, placed: int, order: tuple[int, ...]
) -> Reading:
    """Several new discs that make no legal pair: one is the mover's move, and another an answer only if something was
    flipped for it. All other discs of the turn are the mover's too (woc-2019 IV.3)."""
    square = _move_among(before, shown, black, placed, order)
    rest = placed & ~(1 << square)
    others = rest & shown.discs(not black)
    if others != rest or others & (others - 1):
        return Reading(before, shown, square)
    answer = others.bit_length() - 1
    flipped = before.flips(black, square)
    right = before.played(black, square) if flipped else before
    # The answer was made to the board as the mover had left it, which may not have been right.
    by_answer = right.flips(not black, answer) | right.with_squares(flipped, shown).flips(not black, answer)
    # The mover's own disc, the wrong way up, is none of the answer's flips.
    if by_answer & ~(flipped | 1 << square) & right.differences(shown) & shown.discs(not black):
        return Reading(before, shown.unknown_at(by_answer | others), square, answer)
    alone = shown.without(others)
    if by_answer and flipped and not right.differences(alone):
        return Reading(before, alone, square, exact=True, doubtful=others)
    return Reading(before, shown, square)


def _move_among(before: Position, shown: Position, black: bool, placed: int, order: tuple[int, ...]) -> int:
    """The mover's move among several new discs: the one that explains all but the others, else what is known to be his,
    else by its colour one that he may play, else the first that came down."""
    own, legal, known = (
        placed & shown.discs(black),
        before.legal(black),
        placed & (1 << order[0] if order else 0),
    )
    astray = {
        square: before.played(black, square).differences(shown.without(placed & ~(1 << square))).bit_count()
        for square in squares_of(own & legal)
    }
    whole = sum(1 << square for square, wrong in astray.items() if not wrong)
    least = sum(1 << square for square, wrong in astray.items() if wrong == min(astray.values()))
    pool = whole or known & legal or least or known or own or placed
    return next((square for square in order if pool >> square & 1), next(squares_of(pool)))


def line_to(
    before: Position, black: bool, shown: Position, order: Iterable[int] = ()
) -> tuple[int | None, ...]:
    """Legal plies (None: a pass the law demands) that place exactly the new discs and leave what is shown; () if none.

    Of several lines the one that follows `order` best. Where too much is left to look through there is none.
    """
    placed = shown.discs_on(before.empty)
    squares = [square for square in order if placed >> square & 1]
    squares += [square for square in squares_of(placed) if square not in squares]
    looked_at = 0

    def follow(position: Position, side: bool, left: int) -> tuple[int | None, ...] | None:
        nonlocal looked_at
        looked_at += 1
        if looked_at > _MOST_POSITIONS:
            return None
        if not left:
            return None if position.differences(shown) else ()
        legal = position.legal(side)
        if not legal:
            rest = follow(position, not side, left) if position.legal(not side) else None
            return None if rest is None else (None, *rest)
        for square in squares:
            if (left & legal) >> square & 1:
                rest = follow(position.played(side, square), not side, left & ~(1 << square))
                if rest is not None:
                    return (square, *rest)
        return None

    return (follow(before, black, placed) or ()) if placed else ()


def lines_to(
    before: Position, black: bool, shown: Position, plies: int
) -> list[tuple[int | None, ...]] | None:
    """All lines of exactly `plies` legal plies (None: a pass) that lead to what is shown, at most two of them.

    Passes are made only where the law demands them. Unreadable squares fit anything; None: they leave too much to
    look through, and a blind board must not hold up the table.
    """
    found: list[tuple[int | None, ...]] = []
    candidates, lying, empty = shown.occupied, shown.black | shown.white, shown.empty
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
        missing = lying & position.empty
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
    return found if looked_at <= _MOST_POSITIONS else None

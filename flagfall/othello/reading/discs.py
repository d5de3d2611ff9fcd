"""One turn read from bare positions: the squares and owners of new discs, from every board that it may have begun with.

Nothing is guessed: `undecided` says that unreadable squares leave more than one answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.base.value import replace
from flagfall.othello.board import Position, squares_of
from flagfall.othello.reading.lines import line_to


@dataclass(frozen=True, slots=True)
class Reading:
    """A turn as a position shows it."""

    # The position the turn is read from.
    base: Position
    # The board as the mover left it; squares that early answers may have changed since are unknown.
    left: Position
    # The mover's new disc; None: no new disc.
    square: int | None = None
    # The opponent's new disc, answering before the press; alone it answers a pass that is still owed.
    early: int | None = None
    # All plies (None: a pass) where they are legal in that order and leave the board as shown; `square` and `early`
    # are its first two.
    line: tuple[int | None, ...] = ()
    # The readable squares leave more than one answer.
    undecided: bool = False
    # Nothing else lies there, but perhaps the wrong colour up.
    exact: bool = False
    # Discs of the opponent's colour beside a whole move, for which nothing was flipped: nobody knows who laid them.
    doubtful: int = 0

    @property
    def followed(self) -> bool:
        """Tell whether another ply lies there after the mover's."""
        return self.early is not None or len(self.line) > 1

    @property
    def answers(self) -> tuple[int, ...]:
        """The squares of all that the opponent has answered before the press."""
        squares = self.line[1::2] if self.line else (self.early,)
        return tuple(square for square in squares if square is not None)

    def rest(self) -> Reading:
        """Return the reading of the plies after the first one of a legal line."""
        left, square = self.left, self.square
        # Only who has a move can follow a pass.
        black = bool(left.legal(True)) if square is None else not left.black >> square & 1
        return legal_reading(left, black, self.line[1:])

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
    seen: tuple[int, ...] = (),
) -> Reading:
    """Read the turn of the mover (`black`: whether their discs are black).

    `bases` are the positions that the turn may have begun with, the likeliest first: the first one from which legal
    moves lead to the board as shown explains it; if none does, one where the move is legal at all. `order`: the
    square that binds the mover and new discs in the order they came down, as far as it is known; it settles the
    owners of the discs. `lifted`: the board with discs taken off it, on whose squares others lie now: one of them may
    be the move. `seen`: the squares that the first plies took, as far as that is certain.
    """
    for base in bases:
        line = line_to(base, black, shown, order, seen)
        if line:
            return legal_reading(base, black, line)
    if lifted is not None:
        line = line_to(lifted, black, shown)
        if len(line) == 1:
            return legal_reading(lifted, black, line)
        if bases[0].legal(black):
            turned = bases[-1].occupied & bases[-1].differences(shown)
            bases = (*bases, lifted) if lifted.empty & turned else bases
    readings = [_faulty(base, shown, black, order) for base in bases]
    placed = [(reading, reading.square) for reading in readings if reading.square is not None]
    for reading, square in placed:
        if square in (seen[:1] or (square,)) and reading.whole(black):
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
    """Return the reading of plies that are legal in this order and leave the board as shown."""
    first = line[0]
    left = base if first is None else base.played(black, first)
    return Reading(base, left, first, line[1] if len(line) > 1 else None, line, exact=True)


def _faulty(before: Position, shown: Position, black: bool, order: tuple[int, ...]) -> Reading:
    """Read a board that is not exactly a line of legal moves."""
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
    """Read a board without a new disc; one may lie under an unreadable square."""
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
    """Read several new discs that make no legal pair: one is the mover's move, and another an answer only if
    something was flipped for it. All other discs of the turn are the mover's too (woc-2019 IV.3)."""
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
    """Return the mover's move among several new discs: the one that explains all but the others, else one known to be
    the mover's, else by its colour one that they may play, else the first that came down."""
    coloured, legal, known = (
        placed & shown.discs(black),
        before.legal(black),
        placed & (1 << order[0] if order else 0),
    )
    astray = {
        square: before.played(black, square).differences(shown.without(placed & ~(1 << square))).bit_count()
        for square in squares_of(coloured & legal)
    }
    whole = sum(1 << square for square, wrong in astray.items() if not wrong)
    least = sum(1 << square for square, wrong in astray.items() if wrong == min(astray.values()))
    pool = whole or known & legal or least or known or coloured or placed
    return next((square for square in order if pool >> square & 1), next(squares_of(pool)))

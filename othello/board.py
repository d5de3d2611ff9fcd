"""The 64 squares as two 64-bit sets of discs, and the moves the game allows on them.

Bit 0 is a1, bit 1 is b1, bit 63 is h8 (column letter, row number from the top, as Black sees the board).
`own` and `opponent` are disjoint sets of discs; `own` belongs to whoever is to move (usoa 3.2).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

FULL = 0xFFFF_FFFF_FFFF_FFFF
_INNER_COLUMNS = 0x7E7E_7E7E_7E7E_7E7E
"""No line runs on from column a to column h of the next row: discs there end a sideways run."""

_NEIGHBOURS = tuple(
    sum(
        1 << (8 * row + column)
        for row in range(square // 8 - 1, square // 8 + 2)
        for column in range(square % 8 - 1, square % 8 + 2)
        if 0 <= row < 8 and 0 <= column < 8 and 8 * row + column != square
    )
    for square in range(64)
)


def legal_moves(own: int, opponent: int) -> int:
    """The set of squares where `own` may place a disc."""
    inner = opponent & _INNER_COLUMNS
    # Runs of one to six opponent's discs beside an own disc, in eight directions, doubling the reach each time.
    east = inner & (own << 1)
    east |= inner & (east << 1)
    pairs = inner & (inner << 1)
    east |= pairs & (east << 2)
    east |= pairs & (east << 2)
    west = inner & (own >> 1)
    west |= inner & (west >> 1)
    pairs = inner & (inner >> 1)
    west |= pairs & (west >> 2)
    west |= pairs & (west >> 2)
    south = opponent & (own << 8)
    south |= opponent & (south << 8)
    pairs = opponent & (opponent << 8)
    south |= pairs & (south << 16)
    south |= pairs & (south << 16)
    north = opponent & (own >> 8)
    north |= opponent & (north >> 8)
    pairs = opponent & (opponent >> 8)
    north |= pairs & (north >> 16)
    north |= pairs & (north >> 16)
    south_east = inner & (own << 9)
    south_east |= inner & (south_east << 9)
    pairs = inner & (inner << 9)
    south_east |= pairs & (south_east << 18)
    south_east |= pairs & (south_east << 18)
    north_west = inner & (own >> 9)
    north_west |= inner & (north_west >> 9)
    pairs = inner & (inner >> 9)
    north_west |= pairs & (north_west >> 18)
    north_west |= pairs & (north_west >> 18)
    south_west = inner & (own << 7)
    south_west |= inner & (south_west << 7)
    pairs = inner & (inner << 7)
    south_west |= pairs & (south_west << 14)
    south_west |= pairs & (south_west << 14)
    north_east = inner & (own >> 7)
    north_east |= inner & (north_east >> 7)
    pairs = inner & (inner >> 7)
    north_east |= pairs & (north_east >> 14)
    north_east |= pairs & (north_east >> 14)
    ends = (
        (east << 1)
        | (west >> 1)
        | (south << 8)
        | (north >> 8)
        | (south_east << 9)
        | (north_west >> 9)
        | (south_west << 7)
        | (north_east >> 7)
    )
    return ends & ~(own | opponent) & FULL


def flips(own: int, opponent: int, square: int) -> int:
    """The opponent's discs that a disc placed on the empty `square` flips; 0 where the move is not legal."""
    if not opponent & _NEIGHBOURS[square]:
        return 0
    disc = 1 << square
    inner = opponent & _INNER_COLUMNS
    flipped = 0
    for shift, run_over in ((1, inner), (7, inner), (8, opponent), (9, inner)):
        run = run_over & (disc << shift)
        if run:
            for _ in range(5):
                run |= run_over & (run << shift)
            if (run << shift) & own:
                flipped |= run
        run = run_over & (disc >> shift)
        if run:
            for _ in range(5):
                run |= run_over & (run >> shift)
            if (run >> shift) & own:
                flipped |= run
    return flipped


def squares_of(squares: int) -> Iterator[int]:
    """The squares of a set, from a1 on."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


@dataclass(frozen=True, slots=True)
class Position:
    """What lies on the board. A square in `unknown` shows something that nobody can read."""

    black: int
    white: int
    unknown: int = 0

    @property
    def occupied(self) -> int:
        """Squares that are not known to be empty."""
        return self.black | self.white | self.unknown

    @property
    def empty(self) -> int:
        return FULL & ~self.occupied

    def discs(self, black: bool) -> int:
        """The set of discs of one colour."""
        return self.black if black else self.white

    def legal(self, black: bool) -> int:
        """Squares where that colour may move; next to an unreadable square nothing is taken for granted."""
        return legal_moves(self.discs(black), self.discs(not black)) & ~self.unknown

    def flips(self, black: bool, square: int) -> int:
        return flips(self.discs(black), self.discs(not black), square)

    def played(self, black: bool, square: int) -> Position:
        """The position after that colour's move to `square`, discs flipped; the square must be empty."""
        flipped = self.flips(black, square)
        own = self.discs(black) | flipped | (1 << square)
        opponent = self.discs(not black) & ~flipped
        return Position(own, opponent, self.unknown) if black else Position(opponent, own, self.unknown)

    def over(self) -> bool:
        """Neither colour has a legal move (usoa 4.1)."""
        return not legal_moves(self.black, self.white) and not legal_moves(self.white, self.black)

    def differences(self, other: Position) -> int:
        """Squares known in both positions that do not show the same."""
        known = ~(self.unknown | other.unknown) & FULL
        return ((self.black ^ other.black) | (self.white ^ other.white)) & known

    def with_squares(self, squares: int, other: Position) -> Position:
        """This position, but with those squares as `other` has them."""
        return Position(
            (self.black & ~squares) | (other.black & squares),
            (self.white & ~squares) | (other.white & squares),
            (self.unknown & ~squares) | (other.unknown & squares),
        )

    def unknown_at(self, squares: int) -> Position:
        """This position with those squares unknown."""
        return Position(self.black & ~squares, self.white & ~squares, self.unknown | squares)

    def known_through(self, other: Position) -> Position:
        """This position with its unknown squares as `other` has them."""
        return self.with_squares(self.unknown, other) if self.unknown else self


START = Position(black=(1 << 28) | (1 << 35), white=(1 << 27) | (1 << 36))
"""d5 and e4 black, d4 and e5 white: black near-left to far-right for each player (usoa 2.1)."""


def perft(own: int, opponent: int, depth: int) -> int:
    """Number of games of `depth` plies; a pass is a ply, a finished game ends its line as one."""
    moves = legal_moves(own, opponent)
    if depth == 1:
        if moves:
            return moves.bit_count()
        return 1
    if not moves:
        if not legal_moves(opponent, own):
            return 1
        return perft(opponent, own, depth - 1)
    nodes = 0
    while moves:
        disc = moves & -moves
        moves ^= disc
        flipped = flips(own, opponent, disc.bit_length() - 1)
        nodes += perft(opponent ^ flipped, own | flipped | disc, depth - 1)
    return nodes

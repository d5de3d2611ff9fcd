"""The 64 squares as two 64-bit sets of discs, the moves the game allows on them, and their notation.

Bit 0 is a1, bit 1 is b1, bit 63 is h8 (column letter, row number from the top, as Black sees the board).
`mover` and `opponent` are disjoint sets of discs; `mover` belongs to the player to move (usoa 3.2).
Squares are written as f5, positions as 64 characters of X O - ?, transcripts as f5d6c3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

FULL = 0xFFFF_FFFF_FFFF_FFFF
# No line runs on from column a to column h of the next row: discs there end a sideways run.
_INNER_COLUMNS = 0x7E7E_7E7E_7E7E_7E7E

_NEIGHBOURS = tuple(
    sum(
        1 << (8 * row + column)
        for row in range(square // 8 - 1, square // 8 + 2)
        for column in range(square % 8 - 1, square % 8 + 2)
        if 0 <= row < 8 and 0 <= column < 8 and 8 * row + column != square
    )
    for square in range(64)
)


def legal_moves(mover: int, opponent: int) -> int:
    """Return the set of squares where `mover` may place a disc."""
    inner = opponent & _INNER_COLUMNS
    ends = 0
    for shift, run_over in ((1, inner), (7, inner), (8, opponent), (9, inner)):
        # A run of one to six opponent's discs beside an own disc, one way and the other, doubling its reach each time.
        pairs = run_over & (run_over << shift)
        run = run_over & (mover << shift)
        run |= run_over & (run << shift)
        run |= pairs & (run << 2 * shift)
        run |= pairs & (run << 2 * shift)
        ends |= run << shift
        pairs >>= shift
        run = run_over & (mover >> shift)
        run |= run_over & (run >> shift)
        run |= pairs & (run >> 2 * shift)
        run |= pairs & (run >> 2 * shift)
        ends |= run >> shift
    return ends & ~(mover | opponent) & FULL


def flips(mover: int, opponent: int, square: int) -> int:
    """Return the opponent's discs that a disc placed on the empty `square` flips; 0 where the move is not legal."""
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
            if (run << shift) & mover:
                flipped |= run
        run = run_over & (disc >> shift)
        if run:
            for _ in range(5):
                run |= run_over & (run >> shift)
            if (run >> shift) & mover:
                flipped |= run
    return flipped


def squares_of(squares: int) -> Iterator[int]:
    """Yield the squares of a set, from a1 on."""
    while squares:
        lowest = squares & -squares
        yield lowest.bit_length() - 1
        squares ^= lowest


@dataclass(frozen=True, slots=True)
class Position:
    """A position on the board. A square in `unknown` shows something that nobody can read."""

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
        """Return the set of discs of one colour."""
        return self.black if black else self.white

    def legal(self, black: bool) -> int:
        """Return the squares where that colour may move; next to an unreadable square nothing is taken for granted."""
        return legal_moves(self.discs(black), self.discs(not black)) & ~self.unknown

    def flips(self, black: bool, square: int) -> int:
        return flips(self.discs(black), self.discs(not black), square)

    def played(self, black: bool, square: int) -> Position:
        """Return the position after that colour's move to `square`, discs flipped; the square must be empty."""
        flipped = self.flips(black, square)
        mover = self.discs(black) | flipped | (1 << square)
        opponent = self.discs(not black) & ~flipped
        return Position(mover, opponent, self.unknown) if black else Position(opponent, mover, self.unknown)

    def over(self) -> bool:
        """Return whether neither colour has a legal move (usoa 4.1)."""
        return not legal_moves(self.black, self.white) and not legal_moves(self.white, self.black)

    def differences(self, other: Position) -> int:
        """Return the squares known in both positions that do not show the same."""
        known = ~(self.unknown | other.unknown) & FULL
        return ((self.black ^ other.black) | (self.white ^ other.white)) & known

    def with_squares(self, squares: int, other: Position) -> Position:
        """Return the position with these squares as `other` has them."""
        return Position(
            (self.black & ~squares) | (other.black & squares),
            (self.white & ~squares) | (other.white & squares),
            (self.unknown & ~squares) | (other.unknown & squares),
        )

    def discs_on(self, squares: int) -> int:
        """Return those of these squares on which a disc is read."""
        return (self.black | self.white) & squares

    def without(self, squares: int) -> Position:
        """Return the position with these squares empty, unless they are unknown."""
        return Position(self.black & ~squares, self.white & ~squares, self.unknown)

    def unknown_at(self, squares: int) -> Position:
        """Return the position with these squares unknown."""
        return Position(self.black & ~squares, self.white & ~squares, self.unknown | squares)

    def known_through(self, other: Position) -> Position:
        """Return the position with its unknown squares as `other` has them."""
        return self.with_squares(self.unknown, other) if self.unknown else self


# d5 and e4 black, d4 and e5 white: black near-left to far-right for each player (usoa 2.1).
START = Position(black=(1 << 28) | (1 << 35), white=(1 << 27) | (1 << 36))


@dataclass(frozen=True, slots=True)
class TranscriptStage:
    """The position after `count` moves of a transcript, and whether Black is to move next (None: nobody can)."""

    count: int
    position: Position
    black_to_move: bool | None


def stages(moves: Iterable[int]) -> tuple[TranscriptStage, ...]:
    """Return the start position, then a stage for each move up to the first impossible one (woc-2019 IV.2).

    Passes are understood. With fewer stages than moves plus one, move number `len(stages)` is impossible.
    """
    reached = [TranscriptStage(0, START, True)]
    for square in moves:
        last = reached[-1]
        if last.black_to_move is None or not last.position.legal(last.black_to_move) >> square & 1:
            break
        after = last.position.played(last.black_to_move, square)
        reached.append(TranscriptStage(last.count + 1, after, _to_move_after(after, not last.black_to_move)))
    return tuple(reached)


def _to_move_after(position: Position, black: bool) -> bool | None:
    if position.legal(black):
        return black
    return not black if position.legal(not black) else None


def gives(moves: tuple[int, ...], position: Position) -> bool:
    """Return whether the whole transcript is possible and leads to this position."""
    line = stages(moves)
    return len(line) == len(moves) + 1 and not position.unknown and line[-1].position == position


_SQUARE_NAMES = tuple(f"{column}{row}" for row in range(1, 9) for column in "abcdefgh")
_SQUARES = {name: square for square, name in enumerate(_SQUARE_NAMES)}


def square_name(square: int) -> str:
    """Return the name of a square: 0 is a1, 63 is h8."""
    return _SQUARE_NAMES[square]


def parse_square(text: str) -> int:
    """Return the square of a name such as `f5`; ValueError says what was expected."""
    square = _SQUARES.get(text)
    if square is None:
        raise ValueError(f"expected a square a1..h8, got {text!r}")
    return square


def square_names(squares: int) -> tuple[str, ...]:
    """Return the names of a set of squares, from a1 on."""
    return tuple(_SQUARE_NAMES[square] for square in squares_of(squares))


MOST_OPENING_MOVES = 20


def parse_opening(text: str) -> tuple[int, ...]:
    """Return the moves of an opening, after which Black is to move; ValueError says what was expected.

    The clocks start with Black's: an opening after which White is to move, or nobody, cannot be played on.
    """
    if len(text) > 2 * MOST_OPENING_MOVES:
        raise ValueError(f"expected at most {MOST_OPENING_MOVES} moves, got {len(text) // 2}")
    moves = parse_transcript(text)
    line = stages(moves)
    if len(line) <= len(moves):
        raise ValueError(f"move {len(line)}: expected a legal move, got {square_name(moves[len(line) - 1])}")
    if not line[-1].black_to_move:
        raise ValueError(f"expected Black to move after the opening, got {text!r}")
    return moves


def format_position(position: Position) -> str:
    """Return 64 characters, a1 b1 .. h1 a2 .. h8: X black, O white, - empty, ? not known."""
    cells = ["-"] * 64
    for mark, squares in (("X", position.black), ("O", position.white), ("?", position.unknown)):
        for square in squares_of(squares):
            cells[square] = mark
    return "".join(cells)


def parse_position(text: str) -> Position:
    """Return the position of 64 characters as `format_position` writes them; ValueError says what was expected."""
    if len(text) != 64:
        raise ValueError(f"expected 64 characters, got {len(text)}")
    sets = {"X": 0, "O": 0, "?": 0, "-": 0}
    for square, mark in enumerate(text):
        if mark not in sets:
            raise ValueError(f"expected only X, O, - or ?, got {mark!r} at {_SQUARE_NAMES[square]}")
        sets[mark] |= 1 << square
    return Position(sets["X"], sets["O"], sets["?"])


def format_transcript(squares: Iterable[int]) -> str:
    return "".join(_SQUARE_NAMES[square] for square in squares)


def parse_transcript(text: str) -> tuple[int, ...]:
    """Return the squares of a transcript such as `f5d6c3`, capitals allowed; ValueError names the place."""
    text = text.strip().lower()
    if len(text) % 2:
        raise ValueError(f"expected two characters a move, got {len(text)} characters")
    squares = []
    for index in range(0, len(text), 2):
        try:
            squares.append(parse_square(text[index : index + 2]))
        except ValueError as error:
            raise ValueError(f"move {index // 2 + 1}: {error}") from None
    return tuple(squares)

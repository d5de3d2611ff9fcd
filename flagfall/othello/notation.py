"""Notation of squares, positions and transcripts: f5, 64 characters of X O - ?, f5d6c3."""

from __future__ import annotations

from collections.abc import Iterable

from flagfall.othello.board import Position, squares_of

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

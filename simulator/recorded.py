"""Recorded games for hands to play again: from a public archive, without people's names.

A file is gzip of lines `tournament black white black_score transcript`; lines with `#` are remarks. Numbers stand for
tournaments and players and mean nothing outside the file. `black_score` counts empty squares to the winner.
"""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

from msgspec import Struct

from flagfall.othello.board import Position, parse_transcript, square_name, stages

# The games of one real championship, in the order of the archive.
DEMO_GAMES = Path(__file__).parent / "games" / "championship.txt.gz"


class RecordedGame(Struct, frozen=True):
    """One finished game."""

    tournament: int
    black: int
    white: int
    black_score: int
    # 0..63 in the order played; passes are not recorded.
    squares: tuple[int, ...]

    @property
    def score(self) -> tuple[int, int]:
        """Black's and White's discs, empty squares to the winner (woc-2019 IV.8)."""
        return self.black_score, 64 - self.black_score


class Replayed(Struct, frozen=True):
    """The plies of a transcript including passes (None), and the final position."""

    plies: tuple[int | None, ...]
    position: Position

    @property
    def passes(self) -> int:
        return self.plies.count(None)

    @property
    def score(self) -> tuple[int, int]:
        """Discs, empty squares to the winner; 32-32 in any draw (woc-2019 IV.8)."""
        black, white = self.position.black.bit_count(), self.position.white.bit_count()
        if black == white:
            return 32, 32
        return (64 - white, white) if black > white else (black, 64 - black)


def replayed(squares: tuple[int, ...]) -> Replayed:
    """Play a transcript; a player without a legal move passes. Raise ValueError that names the first illegal move."""
    line = stages(squares)
    if len(line) <= len(squares):
        raise ValueError(
            f"move {len(line)}: expected a legal move, got {square_name(squares[len(line) - 1])}"
        )
    plies: list[int | None] = []
    for stage, square in zip(line, squares, strict=False):
        passed = stage.black_to_move is (len(plies) % 2 == 1)
        plies += (None, square) if passed else (square,)
    return Replayed(tuple(plies), line[-1].position)


def read_games(path: Path) -> tuple[RecordedGame, ...]:
    """Return all games of a file. Raise ValueError that names file and line."""
    try:
        text = gzip.decompress(path.read_bytes()).decode("ascii")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: expected a gzip file of recorded games: {error}") from None
    games = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        try:
            games.append(_parse_game(line))
        except ValueError as error:
            raise ValueError(f"{path}: line {number}: {error}") from None
    return tuple(games)


def _parse_game(line: str) -> RecordedGame:
    fields = line.split(" ")
    if len(fields) != 5 or not all(field.isdecimal() for field in fields[:4]):
        raise ValueError(f"expected four numbers and a transcript, got {line[:60]!r}")
    tournament, black, white, black_score = (int(field) for field in fields[:4])
    if black_score > 64:
        raise ValueError(f"expected a score 0..64, got {black_score}")
    return RecordedGame(tournament, black, white, black_score, parse_transcript(fields[4]))

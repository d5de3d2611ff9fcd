"""A transcript followed from the start position: what lay there after each of its moves (woc-2019 IV.2, IV.5.3).

Moves are taken as the rules make them, passes are understood. A sheet that was written down wrongly ends at its
first impossible move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from othello.board import START, Position


@dataclass(frozen=True, slots=True)
class TranscriptStage:
    """After `count` moves: what lies there, and whether Black's discs are to move next (None: nobody can)."""

    count: int
    position: Position
    black_to_move: bool | None


def stages(moves: Iterable[int]) -> tuple[TranscriptStage, ...]:
    """The start position, then one stage for each move up to the first that nobody could have made.

    Fewer stages than moves plus one: move number `len(stages)` is impossible.
    """
    found = [TranscriptStage(0, START, True)]
    for square in moves:
        last = found[-1]
        if last.black_to_move is None or not last.position.legal(last.black_to_move) >> square & 1:
            break
        after = last.position.played(last.black_to_move, square)
        found.append(TranscriptStage(last.count + 1, after, _to_move_after(after, not last.black_to_move)))
    return tuple(found)


def _to_move_after(position: Position, black: bool) -> bool | None:
    if position.legal(black):
        return black
    return not black if position.legal(not black) else None


def gives(moves: tuple[int, ...], position: Position) -> bool:
    """Whether the whole transcript is possible and leads to this position."""
    line = stages(moves)
    return len(line) == len(moves) + 1 and not position.unknown and line[-1].position == position

"""The replay of a game: the board after each move, the time of each move, and the incidents.

It is made from the transcript here, from a table's whole game file in `judged_replay`. Positions are 64 characters as
in the contracts. A step is a move; a pass belongs to the step after it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from flagfall.othello.board import START, format_position, parse_transcript, square_name, stages
from flagfall.othello.side import Side


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A move of a replay, and the board after it."""

    # From 1.
    number: int
    by: str
    square: str
    position: str
    # None if it is not known.
    spent_ms: int | None = None
    after_pass: bool = False


class ReplayIncident(msgspec.Struct, frozen=True):
    """An incident of a replay."""

    # The move before it; 0 before the first.
    move: int
    type: str
    by: str | None
    squares: tuple[str, ...]
    state: str | None
    # A ruling's name.
    why: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """A game to step through."""

    steps: tuple[ReplayStep, ...] = ()
    happened: tuple[ReplayIncident, ...] = ()
    # The final clocks.
    left_ms: tuple[int, int] | None = None
    # Only a part of the transcript could be replayed.
    broken: bool = False
    opening: str = format_position(START)

    def position(self, move: int) -> str:
        """Return the board after this number of moves."""
        return self.steps[move - 1].position if 0 < move <= len(self.steps) else self.opening


def story_of_transcript(transcript: str, last_position: str | None = None) -> Story:
    """Return the replay of a transcript. `last_position` is the final position, if it is known."""
    try:
        squares = parse_transcript(transcript)
    except ValueError:
        return Story(broken=True)
    steps: list[ReplayStep] = []
    line, follows = stages(squares), True
    for before, after, square in zip(line, line[1:], squares, strict=False):
        black = bool(before.black_to_move)
        steps.append(
            ReplayStep(
                after.count,
                str(Side.BLACK if black else Side.WHITE),
                square_name(square),
                position=format_position(after.position),
                after_pass=black != follows,
            )
        )
        follows = not black
    if len(steps) < len(squares):
        # An error that was accepted: only the game file knows the board after it.
        return Story(tuple(steps), broken=True)
    if steps and last_position is not None:
        steps[-1] = replace(steps[-1], position=last_position)
    return Story(tuple(steps))

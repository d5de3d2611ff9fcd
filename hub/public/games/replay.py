"""A game to step through: the board after each move, the time of each move, and the incidents.

Made from the transcript here, from a table's whole game file in `judged_replay`. Positions are 64 characters as in the
contracts; a step is a move, and passes are in the step after them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import msgspec

from othello.board import START, stages
from othello.notation import format_position, parse_transcript, square_name
from othello.side import Side


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """Move `number` (from 1): its player and square, the board afterwards, and its time, if known."""

    number: int
    by: str
    square: str
    position: str
    spent_ms: int | None = None
    after_pass: bool = False


class ReplayIncident(msgspec.Struct, frozen=True):
    """An incident after move `move` (0: before the first). `why` is a ruling's name."""

    move: int
    type: str
    by: str | None
    squares: tuple[str, ...]
    state: str | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Story:
    """`left_ms`: the final clocks. `broken`: only a part of the transcript could be replayed."""

    steps: tuple[ReplayStep, ...] = ()
    happened: tuple[ReplayIncident, ...] = ()
    left_ms: tuple[int, int] | None = None
    broken: bool = False
    opening: str = format_position(START)

    def position(self, move: int) -> str:
        """The board after so many moves."""
        return self.steps[move - 1].position if 0 < move <= len(self.steps) else self.opening


def story_of_transcript(transcript: str, last_position: str | None = None) -> Story:
    """The replay of a transcript. `last_position`: the final position, if known."""
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

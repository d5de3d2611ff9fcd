"""The board of a game at its table as it is known now: the table's own, else a scribe's.

This is the one place that chooses between them. Every reader of a board in play asks here, and none asks how long it
may be shown: that is the rule of broadcasts (`hub.overview.is_replay_public`), which is the same for both.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from flagfall.link.messages import ClockShown
from flagfall.othello.board import format_position, parse_transcript, stages
from hub.model.games import Game
from hub.tables.live import Live


@dataclass(frozen=True, slots=True)
class LiveBoard:
    """A board with the moves that have led to it."""

    transcript: str
    moves: int
    position: str
    # A scribe has tapped it.
    by_scribe: bool = False


def live_board(live: Live, event: str, game: Game) -> LiveBoard | None:
    """Return the present board of a game, None if nobody has told of it.

    A table that has a move of its own to show counts. A device without a sensor board has none: it keeps the time, and
    a scribe the moves.
    """
    heard = live.clock_of(game.device, game.id)
    of_table = None if heard is None else _board_of(heard.clock)
    line = live.lines.get((event, game.id), "")
    if heard is not None and _has_moves(heard.clock, game):
        return of_table
    if not line or not game.has_scribe or (game.score is not None and game.known_moves != line):
        return of_table
    return board_of_line(line)


def is_by_scribe(board: LiveBoard | None) -> bool:
    return board is not None and board.by_scribe


@lru_cache(maxsize=4096)
def board_of_line(line: str) -> LiveBoard:
    """Return the board after a scribe's moves."""
    last = stages(parse_transcript(line))[-1]
    return LiveBoard(line, last.count, format_position(last.position), by_scribe=True)


def _board_of(clock: ClockShown) -> LiveBoard:
    return LiveBoard(clock.transcript, clock.moves, clock.position)


def _has_moves(clock: ClockShown, game: Game) -> bool:
    """Return whether the table shows another board than the one on which the game began."""
    opening = game.conditions.opening if game.conditions is not None else ""
    return clock.transcript not in ("", opening) or clock.position != _start(opening)


@lru_cache(maxsize=256)
def _start(opening: str) -> str:
    return format_position(stages(parse_transcript(opening))[-1].position)

"""The clock messages of a table in play: a recorded game, its pace our own."""

from __future__ import annotations

from functools import cache

from benchmarks.table.law_speed import year_of_inputs
from flagfall.link.messages import ClockShown, Colour, encode
from flagfall.othello import inputs as i
from flagfall.othello.board import format_position, square_name
from flagfall.othello.game import State
from flagfall.othello.side import Both

MINUTES_NS = 30 * 60 * 10**9


@cache
def shown_game() -> tuple[tuple[str, str], ...]:
    """Return (position, transcript) after each move of a recorded game."""
    moves, transcript, touched = [], "", ""
    for event in year_of_inputs(1)[0]:
        if isinstance(event, i.Touch):
            touched = square_name(event.square)
        elif isinstance(event, i.Shown):
            transcript += touched
            moves.append((format_position(event.position), transcript))
    return tuple(moves)


class LiveGame:
    """The clock of a table: whose clock runs, and what both have left; it plays the recorded game again and again."""

    def __init__(self, game: str) -> None:
        self._game = game
        self._moves = 0
        self._left_ns = [MINUTES_NS, MINUTES_NS]
        self._since_ns = 0
        self._running: int | None = None

    def press(self, now_ns: int) -> None:
        self._charge(now_ns)
        self._running = 0 if self._running is None else 1 - self._running
        self._moves = self._moves % len(shown_game()) + 1

    def message(self, now_ns: int) -> bytes:
        self._charge(now_ns)
        sides: tuple[Colour, Colour] = ("black", "white")
        running = None if self._running is None else sides[self._running]
        position, transcript = shown_game()[self._moves - 1]
        return encode(
            ClockShown(
                game=self._game,
                state=State.RUNNING,
                running=running,
                clocks_ns=Both(*self._left_ns),
                flags=Both(0, 0),
                to_move=running,
                moves=self._moves,
                position=position,
                transcript=transcript,
            )
        )

    def _charge(self, now_ns: int) -> None:
        if self._running is not None:
            left_ns = self._left_ns[self._running] - (now_ns - self._since_ns)
            self._left_ns[self._running] = left_ns if left_ns > 0 else MINUTES_NS
        self._since_ns = now_ns

"""The values that the table's program and its drawing process exchange over pipes.

Both are halves of one program and nobody else writes to the pipes, so values are pickled.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import IO, Any

from msgspec import Struct

from table_app.config import Config
from table_app.events import Event
from table_app.table_view import TableView


class Drawing(Struct, frozen=True):
    """The order to draw, sent first."""

    config: Config
    drawn: str  # a board on the screen ("simulate", or "practice" with its lessons), "" for none
    # the instant of the monotonic clock, which both processes read, at which the table's count is zero
    zero_ns: int
    renderer: str = ""  # the SDL renderer, "" for SDL's own choice


class AskBoard(Struct, frozen=True):
    """Asks the board on the screen for its position."""


class Opened(Struct, frozen=True):
    """A report that the first picture is on the screen."""

    drawn_by: str = ""  # how it is drawn, and what was read back from the display


class CannotDraw(Struct, frozen=True):
    """The drawing process ends; one line with the reason."""

    why: str


ToScreen = Drawing | TableView | AskBoard
FromScreen = Event | Opened | CannotDraw


def send(pipe: IO[bytes], value: ToScreen | FromScreen) -> None:
    """Send a value. OSError if nobody is at the other end."""
    pipe.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    pipe.flush()


def received(pipe: IO[bytes]) -> Iterator[Any]:
    """Yield the values as they arrive, until the other end is closed (even in the middle of a value) or sends something
    else."""
    while True:
        try:
            value = pickle.load(pipe)
        except Exception:  # pickle does not define which exceptions it raises
            return
        yield value

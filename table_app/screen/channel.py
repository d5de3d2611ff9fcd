"""What goes between the table's program and the one that draws its screen: whole values, one after another.

The two are halves of one program, joined by pipes that nobody else writes to: so values are pickled.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from table_app.config import Config
from table_app.events import Event
from table_app.loop.view import TableView


@dataclass(frozen=True, slots=True)
class Drawing:
    """What is to be drawn, said first. `drawn`: a board on the screen ("simulate", or "practice" with its lessons), ""
    for none. `zero_ns`: where on the monotonic clock, which both programs read, the table's count is zero.
    `renderer`: the one of SDL's that is to draw, "" for its own choice.
    """

    config: Config
    drawn: str
    zero_ns: int
    renderer: str = ""


@dataclass(frozen=True, slots=True)
class AskBoard:
    """The board on the screen is to tell what lies on it."""


@dataclass(frozen=True, slots=True)
class Opened:
    """There is something to draw on, and the first picture is there; `found` says how it is drawn, and what of it
    was seen on the display."""

    found: str = ""


@dataclass(frozen=True, slots=True)
class CannotDraw:
    """The program that draws ends; one line says why."""

    why: str


ToScreen = Drawing | TableView | AskBoard
FromScreen = Event | Opened | CannotDraw


def send(pipe: IO[bytes], value: ToScreen | FromScreen) -> None:
    """OSError if nobody is at the other end."""
    pipe.write(pickle.dumps(value, pickle.HIGHEST_PROTOCOL))
    pipe.flush()


def received(pipe: IO[bytes]) -> Iterator[Any]:
    """The values as they come, until the other end is closed, also in the middle of one, or something else comes."""
    while True:
        try:
            value = pickle.load(pipe)
        except Exception:  # which of them, pickle leaves open
            return
        yield value

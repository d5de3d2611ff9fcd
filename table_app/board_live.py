"""The 64 squares live, for whoever builds or mends a board: reading, state, noise and margin of each.

`doctor --board` draws `BoardLive.page` again and again over a `SerialBoard` that streams raw readings.
"""

from __future__ import annotations

import math
import threading
from collections import deque

from othello.board import Position
from othello.notation import format_position
from table_app.board_messages import Raw
from table_app.events import BoardFault, BoardPresence, BoardShown, Event

WINDOW = 40
"""Readings a square's noise is worked out from: two seconds."""
_NOISY_COUNTS = 15
_WEAK_COUNTS, _NOTHING_COUNTS = 120, 80
"""Less under a disc, or more on an empty square, deserves a builder's look."""


class BoardLive:
    """Collects what the board tells, from the driver's thread (`raw` is its `on_raw`, `event` its `put`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readings: deque[tuple[int, ...]] = deque(maxlen=WINDOW)
        self._position: Position | None = None
        self._state = "looking for a board"
        self._faults: deque[str] = deque(maxlen=5)

    def raw(self, raw: Raw) -> None:
        with self._lock:
            self._readings.append(raw.counts)

    def event(self, event: Event) -> None:
        with self._lock:
            match event:
                case BoardPresence(_, ok, identity, why):
                    self._state = f"board {identity}" if ok else why
                    self._readings.clear()
                    self._position = None
                case BoardShown(_, position):
                    self._position = position
                case BoardFault(_, what, count):
                    self._faults.append(f"{what} (x{count})" if count > 1 else what)

    def page(self) -> str:
        """Eight lines of eight squares `mark reading~noise`, then what looks wrong, then the last faults.

        Readings are ADC counts less the square's zero, black positive; `!` marks a square to look at.
        """
        with self._lock:
            readings, position = list(self._readings), self._position
            lines, faults = [self._state, ""], list(self._faults)
        marks = format_position(position) if position is not None else " " * 64
        squares = [_square([counts[square] for counts in readings], marks[square]) for square in range(64)]
        lines.append("     " + "".join(f"{column:<12}" for column in "abcdefgh"))
        for row in range(8):
            lines.append(
                f"  {row + 1}  " + "".join(f"{text:<12}" for text in squares[8 * row : 8 * row + 8]).rstrip()
            )
        weakest = _weakest_margin(readings, marks)
        if weakest is not None:
            lines += ["", f"least margin: {weakest} counts"]
        if faults:
            lines += ["", *(f"fault: {fault}" for fault in faults)]
        return "\n".join(lines)


def _square(counts: list[int], mark: str) -> str:
    if not counts:
        return mark
    mean = sum(counts) / len(counts)
    noise = math.sqrt(sum((count - mean) ** 2 for count in counts) / len(counts))
    disc = mark in "XO"
    odd = mark == "?" or noise > _NOISY_COUNTS
    odd = odd or (disc and abs(mean) < _WEAK_COUNTS) or (mark == "-" and abs(mean) > _NOTHING_COUNTS)
    return f"{mark}{mean:+5.0f}~{noise:.0f}{'!' if odd else ''}"


def _weakest_margin(readings: list[tuple[int, ...]], marks: str) -> int | None:
    """How many counts the squares' readings keep from where a disc could be doubted; None without any."""
    if not readings:
        return None
    margins = []
    for square, mark in enumerate(marks):
        mean = sum(counts[square] for counts in readings) / len(readings)
        if mark in "XO":
            margins.append(round(abs(mean) - _WEAK_COUNTS))
        elif mark == "-":
            margins.append(round(_NOTHING_COUNTS - abs(mean)))
    return min(margins, default=None)

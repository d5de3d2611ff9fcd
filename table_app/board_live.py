"""The 64 squares live, for whoever builds or mends a board: reading, state, noise and margin of each.

`doctor --board` draws `BoardLive.page` again and again over a `SerialBoard` that streams raw readings.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from dataclasses import dataclass

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

    @property
    def read(self) -> int:
        """How many readings of all squares there are, `WINDOW` at most."""
        with self._lock:
            return len(self._readings)

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
        """For each square its mark and reading, below them noise and margin; then what looks wrong, the last faults.

        Readings are ADC counts less the square's zero, black positive; `!` marks a square to look at. The margin is
        what the reading keeps from where the square could be doubted. Fits 80 columns.
        """
        with self._lock:
            readings, position = list(self._readings), self._position
            lines, faults = [self._state, ""], list(self._faults)
        marks = format_position(position) if position is not None else " " * 64
        squares = [
            _square([counts[square] for counts in readings], mark) for square, mark in enumerate(marks)
        ]
        lines.append("   " + "".join(f"{column:<9}" for column in "abcdefgh").rstrip())
        for row in range(8):
            of_row = squares[8 * row : 8 * row + 8]
            lines.append(f"{row + 1}  " + "".join(f"{one.reading:<9}" for one in of_row).rstrip())
            lines.append("   " + "".join(f"{one.noise_and_margin:<9}" for one in of_row).rstrip())
        least = []
        for kinds, where in (("XO", "under a disc"), ("-", "empty")):
            margins = [one.margin for one in squares if one.margin is not None and one.reading[0] in kinds]
            least += [f"{min(margins)} counts {where}"] if margins else []
        if least:
            lines += ["", f"least margin: {', '.join(least)}"]
        if faults:
            lines += ["", *(f"told: {fault}" for fault in faults)]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class _Square:
    reading: str
    noise_and_margin: str = ""
    margin: int | None = None


def _square(counts: list[int], mark: str) -> _Square:
    if not counts:
        return _Square(mark)
    mean = sum(counts) / len(counts)
    noise = math.sqrt(sum((count - mean) ** 2 for count in counts) / len(counts))
    margin = None
    if mark in "XO":
        margin = round(abs(mean) - _WEAK_COUNTS)
    elif mark == "-":
        margin = round(_NOTHING_COUNTS - abs(mean))
    odd = mark == "?" or noise > _NOISY_COUNTS or (margin is not None and margin < 0)
    below = f" ~{noise:.0f}" + ("" if margin is None else f" m{margin}")
    return _Square(f"{mark} {mean:+.0f}{'!' if odd else ''}", below, margin)

"""The 64 squares live, for whoever builds or repairs a board: reading, state, noise and margin of each.

`doctor --board` draws `BoardLive.page` repeatedly over a `SerialBoard` that streams raw readings.
"""

from __future__ import annotations

import select
import threading
import time
from collections import deque
from collections.abc import Callable
from statistics import mean, median, pstdev
from typing import TextIO

from msgspec import Struct

from flagfall.link.board.messages import Calibrate, Message, Raw, RawStream, SelfTest
from flagfall.othello.board import Position, format_position, square_name
from table_app.board.driver import SerialBoard
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardTouched, Event

# Readings from which a square's noise is computed: two seconds.
WINDOW = 40
_NOISY_COUNTS = 15
# Shares of the usual disc's reading, as in the board itself (`firmware_py/classify.py`): at or above the
# first a disc, at or below the second nothing. A reading between them deserves a look.
_DISC, _NOTHING = 0.55, 0.18
# Assumed while no disc lies on the board (hardware/README.md).
_USUAL_COUNTS = 870


class BoardLive:
    """Collects what the board sends, in the driver's thread (`raw` is its `on_raw`, `event` its `put`)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readings: deque[tuple[int, ...]] = deque(maxlen=WINDOW)
        self._position: Position | None = None
        self._state = "looking for a board"
        self._told: deque[str] = deque(maxlen=5)

    @property
    def read(self) -> int:
        """Return the number of readings of all squares so far, at most `WINDOW`."""
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
                case BoardTouched(_, square, contact):
                    self._told.append(f"{square_name(square)} touched: {contact}")
                case BoardFault(_, text, count):
                    self._told.append(f"{text} (x{count})" if count > 1 else text)

    def page(self) -> str:
        """Return a page of each square's mark and reading, noise and margin, the least margins and the last
        reports.

        Readings are ADC counts less the square's zero, black positive; `!` marks a square to look at. The
        margin is the distance between the reading and the value at which the square's state becomes doubtful.
        Fits 80 columns.
        """
        with self._lock:
            readings, position = list(self._readings), self._position
            lines, faults = [self._state, ""], list(self._told)
        marks = format_position(position) if position is not None else " " * 64
        counts = [[reading[square] for reading in readings] for square in range(64)]
        discs = [
            abs(mean(values)) for values, mark in zip(counts, marks, strict=True) if values and mark in "XO"
        ]
        usual = median(discs) if discs else _USUAL_COUNTS
        squares = [_square(values, mark, usual) for values, mark in zip(counts, marks, strict=True)]
        lines.append("   " + "".join(f"{column:<9}" for column in "abcdefgh").rstrip())
        for row in range(8):
            of_row = squares[8 * row : 8 * row + 8]
            lines.append(f"{row + 1}  " + "".join(f"{square.reading:<9}" for square in of_row).rstrip())
            lines.append("   " + "".join(f"{square.noise_and_margin:<9}" for square in of_row).rstrip())
        least = []
        for kinds, where in (("XO", "under a disc"), ("-", "empty")):
            margins = [
                square.margin
                for square in squares
                if square.margin is not None and square.reading[0] in kinds
            ]
            least += [f"{min(margins)} counts {where}"] if margins else []
        if least:
            lines += ["", f"least margin: {', '.join(least)}"]
        if faults:
            lines += ["", *(f"told: {square}" for square in faults)]
        return "\n".join(lines)


class _Square(Struct, frozen=True):
    reading: str
    noise_and_margin: str = ""
    margin: int | None = None


def _square(counts: list[int], mark: str, usual: float) -> _Square:
    if not counts:
        return _Square(mark)
    middle, noise = mean(counts), pstdev(counts)
    margin = None
    if mark in "XO":
        margin = round(abs(middle) - _DISC * usual)
    elif mark == "-":
        margin = round(_NOTHING * usual - abs(middle))
    odd = mark == "?" or noise > _NOISY_COUNTS or (margin is not None and margin < 0)
    below = f" ~{noise:.0f}" + ("" if margin is None else f" m{margin}")
    return _Square(f"{mark} {middle:+.0f}{'!' if odd else ''}", below, margin)


_REDRAW_S = 0.25
_WAIT_S = 10.0
_CLEAR = "\x1b[H\x1b[J"
_COMMANDS: dict[str, Message] = {"t": SelfTest(), **{str(step): Calibrate(step) for step in range(4)}}
_KEYS = "t self-test   0 empty, 1 black, 2 white, 3 keep: calibration   q quit   (then Enter)"


def watch(make: Callable[[BoardLive], SerialBoard], out: TextIO, typed: TextIO) -> bool:
    """Show the board live until `q`, the end of `typed`, or Ctrl-C. Return True if a board was there."""
    live = BoardLive()
    port = make(live)

    def put(event: Event) -> None:
        live.event(event)
        if isinstance(event, BoardPresence) and event.ok:
            port.say(RawStream(True))

    port.start(put, time.monotonic_ns)
    try:
        if out.isatty():
            _draw(live, port, out, typed)
        else:
            deadline_s = time.monotonic() + _WAIT_S
            while live.read < WINDOW and time.monotonic() < deadline_s:
                time.sleep(_REDRAW_S)
            out.write(live.page() + "\n")
    except KeyboardInterrupt:
        out.write("\n")
    finally:
        port.say(RawStream(False))
        port.close()
    return live.read > 0


def _draw(live: BoardLive, port: SerialBoard, out: TextIO, typed: TextIO) -> None:
    while True:
        out.write(f"{_CLEAR}{live.page()}\n\n{_KEYS}\n")
        out.flush()
        ready, _, _ = select.select([typed], [], [], _REDRAW_S)
        if ready:
            line = typed.readline()
            if not line or line.strip() == "q":
                return
            command = _COMMANDS.get(line.strip())
            if command is not None:
                port.say(command)

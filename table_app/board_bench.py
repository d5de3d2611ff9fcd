"""`flagfall-table doctor --board`: the builder's page over a board, redrawn until he has seen enough.

Lines typed meanwhile are commands: `t` tests the board itself, `0` `1` `2` `3` are the steps of calibration (empty,
all black up, all white up, keep), `q` ends. Into a pipe one page is printed, once every square was read.
"""

from __future__ import annotations

import select
import sys
import time
from collections.abc import Callable
from typing import TextIO

from table_app.board_live import WINDOW, BoardLive
from table_app.board_messages import Calibrate, Message, RawStream, SelfTest
from table_app.board_serial import SerialBoard
from table_app.events import BoardPresence, Event

_REDRAW_S = 0.25
_WAIT_S = 10.0
_CLEAR = "\x1b[H\x1b[J"
_COMMANDS: dict[str, Message] = {"t": SelfTest(), **{str(step): Calibrate(step) for step in range(4)}}
_KEYS = "t self-test   0 empty, 1 black, 2 white, 3 keep: calibration   q quit   (then Enter)"


def watch(make: Callable[[BoardLive], SerialBoard], out: TextIO, typed: TextIO) -> bool:
    """Whether a board was there; ends with `q`, the end of `typed`, or Ctrl-C."""
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
        if sys.platform == "win32":
            time.sleep(_REDRAW_S)
            continue
        ready, _, _ = select.select([typed], [], [], _REDRAW_S)
        if ready:
            line = typed.readline()
            if not line or line.strip() == "q":
                return
            command = _COMMANDS.get(line.strip())
            if command is not None:
                port.say(command)

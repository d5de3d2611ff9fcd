"""A virtual sensor board: discs under hands, and the real protocol over a pty.

The table program opens the pty like the port of a real board. Hands change its position (`place`, `lift`, `turn`,
`touch`), faults its `cable` or `pull` it; it settles in real time, never scaled.
"""

from __future__ import annotations

import os
import random
import select
import threading
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from flagfall.link.board.messages import TOUCH_DISC
from flagfall.othello.board import START, Position
from simulator.plain_body import PlainBody


class BoardBody(Protocol):
    """The part that senses and speaks; the virtual board has the pty, its cable and its lock. Instants are monotonic
    nanoseconds.
    """

    # When `work` must be called next without a change.
    wake_ns: int

    @property
    def lying(self) -> Position:
        """The present position, settled or not."""

    def power_on(self, now_ns: int) -> None:
        """Power comes with the cable: everything but the position begins anew."""

    def power_off(self) -> None:
        """Handle the loss of power: the cable is out."""

    def change(self, position: Position, now_ns: int) -> None:
        """Change the position."""

    def touch(self, square: int, contact: int, now_ns: int) -> None:
        """Touch a square with a disc or a hand for a moment (contacts of `flagfall.link.board.messages`)."""

    def work(self, now_ns: int, received: bytes) -> bytes:
        """Take the host's bytes, and return whole frames for the cable."""


@dataclass(frozen=True, slots=True)
class Cable:
    """The quality of the cable to the host: shares of frames lost or damaged, and the longest delay of one."""

    lost: float = 0.0
    damaged: float = 0.0
    delay_s: float = 0.003


class VirtualBoard:
    """One board with the pty's name at `path` (a symbolic link that stays the same over `pull` and `plug`).

    All randomness comes from `seed`. Methods may be called from any thread. Squares are 0..63 as the board itself names
    them. `body` is a `PlainBody` if none is given.
    """

    def __init__(
        self, path: Path, *, seed: int = 0, cable: Cable = Cable(), body: BoardBody | None = None
    ) -> None:
        self.path = path
        self._body = PlainBody("00000000000000b0", START) if body is None else body
        self._chance = random.Random(seed)
        self.cable = cable
        self._lock = threading.Lock()
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_in, False)
        self._plugged = threading.Event()
        self._closed = False
        self._thread: threading.Thread | None = None
        self.plug()

    @property
    def position(self) -> Position:
        """The position that lies on the board now, settled or not."""
        with self._lock:
            return self._body.lying

    def place(self, square: int, black: bool) -> None:
        """Lay a disc on a square (replacing the one there), and touch it first."""
        with self._lock:
            now_ns = time.monotonic_ns()
            self._body.touch(square, TOUCH_DISC, now_ns)
            self._body.change(laid(self._body.lying, square, black), now_ns)
        self._wake()

    def turn(self, square: int) -> None:
        """Flip the disc on a square; nothing happens on an empty one."""
        with self._lock:
            lying = self._body.lying
            if (lying.black | lying.white) >> square & 1:
                black = not lying.black >> square & 1
                self._body.change(laid(lying, square, black), time.monotonic_ns())
        self._wake()

    def lift(self, square: int) -> None:
        """Remove the disc of a square."""
        with self._lock:
            self._body.change(laid(self._body.lying, square, None), time.monotonic_ns())
        self._wake()

    def set_up(self, position: Position) -> None:
        """Set all squares at once, as between two games."""
        with self._lock:
            self._body.change(position, time.monotonic_ns())
        self._wake()

    def touch(self, square: int, contact: int = TOUCH_DISC) -> None:
        """Touch a square for the first time: TOUCH_DISC, TOUCH_HAND or TOUCH_DROPPED."""
        with self._lock:
            self._body.touch(square, contact, time.monotonic_ns())
        self._wake()

    def pull(self) -> None:
        """Pull the cable; the board loses its power and keeps its position."""
        thread = self._thread
        if thread is None:
            return
        self._plugged.clear()
        self._wake()
        thread.join()
        self._thread = None
        self._body.power_off()
        os.close(self._master)
        self.path.unlink(missing_ok=True)

    def plug(self) -> None:
        """Plug the cable in again: a new port under the old name, board time from its beginning."""
        if self._thread is not None or self._closed:
            return
        self._master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self._master, False)
        with self._lock:
            self._body.power_on(time.monotonic_ns())
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(slave))
        self._plugged.set()
        self._thread = threading.Thread(target=self._serve, args=(slave,), name="virtual-board", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it for good."""
        if not self._closed:
            self.pull()
            self._closed = True
            os.close(self._wake_in)
            os.close(self._wake_out)

    def _wake(self) -> None:
        try:
            os.write(self._wake_in, b"!")
        except BlockingIOError:
            return

    def _serve(self, slave: int) -> None:
        """Serve the host. Hold the slave's end too, so that the pty survives a host that opens and closes it."""
        try:
            while self._plugged.is_set():
                wait_s = max(0, self._body.wake_ns - time.monotonic_ns()) / 1e9
                ready, _, _ = select.select([self._wake_out, self._master], [], [], wait_s)
                if self._wake_out in ready:
                    os.read(self._wake_out, 4096)
                received = os.read(self._master, 4096) if self._master in ready else b""
                with self._lock:
                    frames = self._body.work(time.monotonic_ns(), received)
                for frame in filter(None, frames.split(b"\0")):
                    self._send(bytearray(frame + b"\0"))
        finally:
            os.close(slave)

    def _send(self, frame: bytearray) -> None:
        cable = self.cable
        if cable.delay_s:
            time.sleep(self._chance.uniform(0, cable.delay_s))
        if self._chance.random() < cable.lost:
            return
        if self._chance.random() < cable.damaged:
            frame[self._chance.randrange(len(frame))] ^= self._chance.randrange(1, 256)
        try:
            os.write(self._master, frame)
        except OSError:
            return  # nobody reads and the pty is full: like the real one, the board drops the frame


def laid(position: Position, square: int, black: bool | None) -> Position:
    """Return the position with a black or white disc on a square, or none."""
    bit = 1 << square
    return position.with_squares(bit, Position(bit if black else 0, bit if black is False else 0))

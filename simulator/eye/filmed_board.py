"""A board of plain discs under hands, and a camera above it: its pictures go into a pipe, as a real camera's would.

Hands move as slowly as people's and stay in the picture as long. Only the camera tells the position.
"""

from __future__ import annotations

import os
import random
import threading
import time
from pathlib import Path

from flagfall.link.board.messages import TOUCH_DISC
from flagfall.othello.board import START, Position
from simulator.eye.picture import SKINS, SLEEVES, Hand, ScenePainter
from simulator.eye.scene import plain
from simulator.virtual_board import laid

SIZE = (640, 480)
_PICTURE_S = 0.1
# Time from outside the board to a square.
REACH_S = 0.25
_LEAVES_S = 0.18
_SIDE_MM = 420.0


class FilmedBoard:
    """A board before a camera whose film goes to the pipe `path`, opened for writing while somebody reads.

    Methods of hands may be called from one thread.
    """

    def __init__(self, path: Path, seed: int = 0) -> None:
        self.path = path
        os.mkfifo(path)
        self._painter = ScenePainter(plain(seed, SIZE))
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._lying = START
        self._square: int | None = None
        self._hand_until_s = 0.0
        self._skin, self._sleeve = self._chance.choice(SKINS[:2]), self._chance.choice(SLEEVES[:4])
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._film, name="camera", daemon=True)
        self._thread.start()

    @property
    def position(self) -> Position:
        with self._lock:
            return self._lying

    def place(self, square: int, black: bool) -> None:
        self._reach(square)
        self._change(laid(self.position, square, black))

    def turn(self, square: int) -> None:
        self._reach(square)
        lying = self.position
        if (lying.black | lying.white) >> square & 1:
            self._change(laid(lying, square, not lying.black >> square & 1))

    def lift(self, square: int) -> None:
        self._reach(square)
        self._change(laid(self.position, square, None))

    def touch(self, square: int, contact: int = TOUCH_DISC) -> None:
        """Show a hand at the square: a camera sees nothing else of a touch."""
        self._reach(square)
        self._change(self.position)

    def set_up(self, position: Position) -> None:
        self._change(position)

    def close(self) -> None:
        self._closing.set()
        # The thread that waits for a reader goes on.
        os.close(os.open(self.path, os.O_RDONLY | os.O_NONBLOCK))
        self._thread.join(timeout=5)
        self.path.unlink(missing_ok=True)

    def _reach(self, square: int) -> None:
        with self._lock:
            away = self._square is None or time.monotonic() > self._hand_until_s
            self._square = square
            self._hand_until_s = float("inf")
        time.sleep(REACH_S if away else REACH_S / 2)

    def _change(self, position: Position) -> None:
        with self._lock:
            self._lying = position
            self._hand_until_s = time.monotonic() + _LEAVES_S

    def _hands(self) -> tuple[Hand, ...]:
        if self._square is None or time.monotonic() > self._hand_until_s:
            return ()
        x, y = self._painter.centre(self._square)
        tip = (x + self._chance.uniform(-4, 4), y + self._chance.uniform(-4, 4))
        return (Hand(tip, (x * 0.3, _SIDE_MM), self._skin, self._sleeve),)

    def _film(self) -> None:
        while not self._closing.is_set():
            try:
                # Waits for a reader.
                with self.path.open("wb", buffering=0) as pipe:
                    while not self._closing.is_set():
                        pipe.write(self._picture())
                        self._closing.wait(_PICTURE_S)
            except OSError:
                self._closing.wait(0.2)

    def _picture(self) -> bytes:
        with self._lock:
            position, hands = self._lying, self._hands()
        return self._painter.jpeg(position, hands)

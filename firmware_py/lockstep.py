"""The board before a model instead of sensors: one record of readings in, the bytes for the cable out.

The record of a scan is `time u64, 64 x reading u16, rows u8, columns u8, size u16` and `size` bytes from the host; the
answer is `size u16` and that many bytes for it. Little-endian. Everything else of the board runs as on the Pico, and
its clock goes on while a scan is worked on: what a scan has found leaves `WORK_US` after it began.
"""

import struct
import sys

from firmware_py import hwconfig
from firmware_py.board import Board, Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = "<Q64HBBH"
# Rows and columns of a record for a board without touch controllers.
NO_CONTROLLERS = 255, 255
_SQUARE_US = 150
# Time of the work of a scan, for model and board alike (firmware_py/README.md).
WORK_US = 64 * _SQUARE_US


class Lockstep:
    """All parts of a board in one, fed by `step`.

    `identity` is 8 bytes, `stored` a calibration's text.
    """

    def __init__(self, identity: bytes, stored: str | None, now_us: int = 0) -> None:
        self._now_us = now_us
        self._worked_us = 0
        self._readings: Sequence[int] = [0] * 64
        self._hands: tuple[int, int] | None = (0, 0)
        self._received = b""
        self._out = bytearray()
        self._stored = stored
        self._squares: dict[int, int] = {}
        for group in hwconfig.GROUPS:
            for square, multiplexer, channel, _ in group:
                self._squares[multiplexer * 16 + channel] = square
        self.deaf = False
        self._board = Board(
            Parts(
                sensors=self, hands=self, port=self, clock=self, store=self, watchdog=self, identity=identity
            )
        )

    def step(
        self, now_us: int, readings: "Sequence[int]", rows: int, columns: int, received: bytes
    ) -> bytearray:
        """Run one scan of these 64 readings at `now_us`; return what the board writes."""
        self._now_us, self._worked_us = now_us, 0
        self._readings = readings
        self._hands = None if (rows, columns) == NO_CONTROLLERS else (rows, columns)
        self._received = received
        self._board.step()
        out, self._out = self._out, bytearray()
        return out

    def power(self, group: int, on: bool) -> None:
        pass

    def touched(self) -> tuple[int, int] | None:
        return self._hands

    def read(self, multiplexer: int, channel: int, adc: int) -> int:
        self._worked_us += _SQUARE_US
        return self._readings[self._squares[multiplexer * 16 + channel]]

    def receive(self) -> bytes:
        received, self._received = self._received, b""
        return received

    def writable(self) -> bool:
        return not self.deaf

    def write(self, data: bytes | bytearray) -> None:
        self._out += data

    def us(self) -> int:
        return self._now_us + self._worked_us

    def load(self) -> str | None:
        return self._stored

    def save(self, text: str) -> bool:
        self._stored = text
        return True

    def feed(self) -> None:
        pass


def run(identity: bytes, stored: str | None) -> None:
    """Answer records from standard input until it ends; the first one gives the time at which the board starts."""
    size = struct.calcsize(HEAD)
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    lockstep: Lockstep | None = None
    while True:
        head = source.read(size)
        if not head or len(head) < size:
            return
        record = struct.unpack(HEAD, head)
        received = source.read(record[67]) if record[67] else b""
        if lockstep is None:
            lockstep = Lockstep(identity, stored, record[0])
        out = lockstep.step(record[0], record[1:65], record[65], record[66], received)
        sink.write(struct.pack("<H", len(out)) + out)
        if hasattr(sink, "flush"):
            sink.flush()

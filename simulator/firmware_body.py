"""The realistic body of a virtual board: its real firmware before a physical model of magnets and sensors.

The firmware runs in this process under CPython, or in MicroPython beside it; the same files, the same answers.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from firmware_py.calibrate import as_text
from firmware_py.classify import Calibration
from firmware_py.lockstep import HEAD, NO_CONTROLLERS, Lockstep
from flagfall.link.board.messages import TOUCH_DISC, TOUCH_HAND
from flagfall.othello.board import Position, squares_of
from simulator.board_model import BoardModel, Disc

# The interval of scans that the real board keeps (firmware_py/README.md).
SCAN_NS = 12_000_000
_MOST_LATE_NS = 1_000_000_000
# How long a disc that is not laid down, or a hand, touches a square.
CONTACT_NS = 50_000_000
_UNREADABLE_MM = 2.7
_FIRMWARE = Path(__file__).parents[1]


class Firmware(Protocol):
    """One board's firmware from power-on."""

    def step(self, now_us: int, readings: list[int], rows: int, columns: int, received: bytes) -> bytes:
        """Run one scan; return what the board writes."""

    def close(self) -> None: ...


class InThisProcess:
    def __init__(self, identity: bytes, stored: str | None, now_us: int) -> None:
        self._lockstep = Lockstep(identity, stored, now_us)

    def step(self, now_us: int, readings: list[int], rows: int, columns: int, received: bytes) -> bytes:
        return bytes(self._lockstep.step(now_us, readings, rows, columns, received))

    def close(self) -> None: ...


class InMicroPython:
    """MicroPython's WebAssembly build under node; `package` is the folder of its npm package.

    Raise OSError if it does not run; its reason goes to standard error.
    """

    def __init__(self, package: Path, identity: bytes, stored: str | None) -> None:
        script = f"from firmware_py import lockstep\nlockstep.run({identity!r}, {stored!r})\n"
        harness = Path(__file__).with_name("micropython.mjs")
        self._process = subprocess.Popen(
            ["node", harness, package, _FIRMWARE, script, "firmware_py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def step(self, now_us: int, readings: list[int], rows: int, columns: int, received: bytes) -> bytes:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        record = struct.pack(HEAD, now_us, *readings, rows, columns, len(received))
        self._process.stdin.write(record + received)
        self._process.stdin.flush()
        size = self._process.stdout.read(2)
        if len(size) < 2:
            raise OSError("MicroPython ended")
        return self._process.stdout.read(int.from_bytes(size, "little"))

    def close(self) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


Starts = Callable[[bytes, str | None, int], Firmware]


def calibration(model: BoardModel) -> str:
    """Return the calibration that this board stores: empty, all black, all white."""
    lying = dict(model.discs)
    means: list[list[float]] = []
    for disc in (None, Disc(True), Disc(False)):
        for square in range(64):
            model.put(square, disc)
        scans = [model.readings() for _ in range(32)]
        means.append([sum(scan[square] for scan in scans) / 32 for square in range(64)])
    for square in range(64):
        model.put(square, lying.get(square))
    empty, black, white = ([round(mean) for mean in step] for step in means)
    blacks = [disc - zero for disc, zero in zip(black, empty, strict=True)]
    whites = [disc - zero for disc, zero in zip(white, empty, strict=True)]
    return as_text(Calibration(empty, blacks, whites))


class FirmwareBody:
    """A `virtual_board.Body` that runs the firmware.

    `starts` makes a firmware at each power-on; with `stored` None the board was never calibrated. `touch` is
    False for a board without touch controllers.
    """

    def __init__(
        self,
        identity: str,
        position: Position,
        *,
        model: BoardModel | None = None,
        starts: Starts = InThisProcess,
        stored: str | None = "",
        count_from_us: int = 0,
        drift_ppm: int = 0,
        touch: bool = True,
    ) -> None:
        self.model = model or BoardModel()
        self._identity = bytes.fromhex(identity)
        self._starts = starts
        self._stored = calibration(self.model) if stored == "" else stored
        self._count_from_us = count_from_us
        self._drift_ppm = drift_ppm
        self._touch = touch
        self._firmware: Firmware | None = None
        self._lying = Position(0, 0)
        self._passing: dict[int, int] = {}
        self._hands: dict[int, int] = {}
        self._received = self._out = b""
        self.wake_ns = 0
        self.change(position, 0)

    @property
    def lying(self) -> Position:
        return self._lying

    def power_on(self, now_ns: int) -> None:
        self.power_off()
        self._began_ns = self.wake_ns = now_ns
        self._firmware = self._starts(self._identity, self._stored, self._us(now_ns))

    def power_off(self) -> None:
        if self._firmware is not None:
            self._firmware.close()
            self._firmware = None

    def change(self, position: Position, now_ns: int) -> None:
        self._as_it_was(now_ns)
        before = self._lying
        unknown = before.unknown ^ position.unknown
        for square in squares_of(before.differences(position) | unknown):
            self._passing.pop(square, None)
            if position.unknown >> square & 1:
                self.model.put(square, Disc(True, lift_mm=_UNREADABLE_MM))
            elif position.occupied >> square & 1:
                self.model.put(square, self.model.drawn_disc(bool(position.black >> square & 1)))
            else:
                self.model.put(square, None)
        self._lying = position

    def touch(self, square: int, contact: int, now_ns: int) -> None:
        """Touch a square. Sensors cannot tell a dropped disc from any other, so its source is ignored."""
        self._as_it_was(now_ns)
        if contact == TOUCH_HAND:
            self._hands[square] = now_ns + CONTACT_NS
        elif contact == TOUCH_DISC and self._lying.empty >> square & 1:
            self.model.put(square, Disc(True))
            self._passing[square] = now_ns + CONTACT_NS

    def work(self, now_ns: int, received: bytes) -> bytes:
        """Return the output of the scans up to now; a board takes its commands between two."""
        self._received += received
        self._scan_until(now_ns)
        out, self._out = self._out, b""
        return out

    def _as_it_was(self, now_ns: int) -> None:
        """Run, before a change, the scans that still saw the board as it was."""
        if self._firmware is not None:
            self._scan_until(now_ns)

    def _scan_until(self, now_ns: int) -> None:
        """Run the scans up to now. A late thread runs the missed ones, except very old ones: no real board misses its
        scans.
        """
        self.wake_ns = max(self.wake_ns, now_ns - _MOST_LATE_NS)
        while self.wake_ns <= now_ns:
            self._out += self._scan(self.wake_ns)
            self.wake_ns += SCAN_NS

    def _scan(self, at_ns: int) -> bytes:
        assert self._firmware is not None
        rows, columns = self._touching(at_ns)
        received, self._received = self._received, b""
        return self._firmware.step(self._us(at_ns), self.model.readings(), rows, columns, received)

    def _touching(self, at_ns: int) -> tuple[int, int]:
        """Return the electrodes under hands, as bits; finished contacts are removed."""
        for square in [square for square, until_ns in self._passing.items() if until_ns <= at_ns]:
            del self._passing[square]
            self.model.put(square, None)
        for square in [square for square, until_ns in self._hands.items() if until_ns <= at_ns]:
            del self._hands[square]
        if not self._touch:
            return NO_CONTROLLERS
        rows = columns = 0
        for square in self._hands:
            rows |= 1 << square // 8
            columns |= 1 << square % 8
        return rows, columns

    def _us(self, at_ns: int) -> int:
        """Return board time, not yet wrapped to 32 bits."""
        return self._count_from_us + (at_ns - self._began_ns) * (1_000_000 + self._drift_ppm) // 1_000_000_000

"""The whole firmware in MicroPython's unix port, over a pty: its own `main`, real streams, a real heap, a fake chip."""

from __future__ import annotations

import os
import select
import subprocess
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.firmware_on_unix import HEAP, PROGRAM
from helpers.waiting import PATIENCE_S

from flagfall.link.board.faults import NO_DISC, STEP_DONE, STEP_REFUSED
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    AskHello,
    AskSnapshot,
    Calibrate,
    FaultReport,
    Hello,
    Message,
    Snapshot,
)
from table_app.board.setup import EVERYWHERE

ROOT = Path(__file__).resolve().parents[2]
HOST_DEAF = 5


class Pico:
    """The interpreter behind a pty, and what the host hears of it."""

    def __init__(self, command: list[str], flash: Path) -> None:
        self._host, slave = os.openpty()
        tty.setraw(slave)
        stored = "flagfall-calibration/1\n" + "2048 800 -800\n" * 64 + f"sum {2048 * 64}\n"
        (flash / "calibration.txt").write_text(stored)
        program = PROGRAM.format(root=str(ROOT))
        self._process = subprocess.Popen(
            [*command, "-X", f"heapsize={HEAP}", "-c", program], stdin=slave, stdout=slave, cwd=flash
        )
        os.close(slave)
        self.decoder = Decoder()
        self.frames: list[Frame] = []

    def until(self, holds: Callable[[Message], bool]) -> Frame:
        """Read until such a frame comes."""
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            assert time.monotonic() < deadline_s, self.frames[-5:]
            assert self._process.poll() is None, "MicroPython ended"
            ready, _, _ = select.select([self._host], [], [], 0.2)
            if not ready:
                continue
            match = None
            for frame in self.decoder.feed(os.read(self._host, 4096)):
                self.frames.append(frame)
                if match is None and holds(frame.message):
                    match = frame
            if match is not None:
                return match

    def say(self, data: bytes) -> None:
        os.write(self._host, data)

    def flood(self, data: bytes, size: int) -> None:
        """Say `data` again and again, `size` bytes in all, reading nothing: it gets through only if it is taken in."""
        os.set_blocking(self._host, False)
        deadline_s = time.monotonic() + PATIENCE_S
        rest = data * (size // len(data))
        while rest:
            assert time.monotonic() < deadline_s, "the loop stands still"
            _, ready, _ = select.select([], [self._host], [], 0.2)
            if ready:
                rest = rest[os.write(self._host, rest[:4096]) :]
        os.set_blocking(self._host, True)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._host)


@pytest.fixture
def pico(micropython_unix: list[str], tmp_path: Path) -> Iterator[Pico]:
    pico = Pico(micropython_unix, tmp_path)
    yield pico
    pico.close()


def test_it_speaks_and_answers(pico: Pico) -> None:
    hello = pico.until(lambda message: isinstance(message, Hello))
    assert hello.message == Hello(b"unixport".hex(), (1, 0), True, 0)
    pico.until(lambda message: isinstance(message, Snapshot))
    pico.say(encode(Frame(0, 0, AskHello())))
    pico.until(lambda message: isinstance(message, Hello))
    assert pico.decoder.bad == 0


def test_interrupt_bytes_and_noise_from_the_host_are_data(pico: Pico) -> None:
    pico.until(lambda message: isinstance(message, Snapshot))
    pico.say(b"\x03\x03\x03\x04\x1a\x1c" * 50 + b"\0")
    pico.say(b"\x03" + encode(Frame(1, 0, AskHello())))
    pico.say(encode(Frame(2, 0, AskHello())))
    pico.until(lambda message: isinstance(message, Hello) and message.identity == b"unixport".hex())
    assert pico.decoder.bad == 0


def test_calibration_is_judged_in_the_interpreter_too(pico: Pico) -> None:
    # Its sensors always read the middle: fine for an empty board, no disc anywhere for the next step.
    pico.until(lambda message: isinstance(message, Snapshot))
    pico.say(encode(Frame(0, 0, Calibrate(0))))
    pico.until(lambda message: message == FaultReport(STEP_DONE, None, 0))
    pico.say(encode(Frame(1, 0, Calibrate(1))))
    pico.until(lambda message: message == FaultReport(STEP_REFUSED, None, 1))
    missing = [
        frame.message
        for frame in pico.frames
        if isinstance(frame.message, FaultReport) and frame.message.code == NO_DISC
    ]
    assert missing == [FaultReport(NO_DISC, square, 0) for square in range(EVERYWHERE)]


def test_a_host_that_stops_reading_stops_nothing_and_hears_of_it_later(pico: Pico) -> None:
    # The pty and the outbox fill up; the scan goes on; whole frames were dropped, never halves.
    pico.until(lambda message: isinstance(message, Snapshot))
    # A pty holds up to 64 kB either way; the answers to 200 kB of questions are ten times that.
    pico.flood(encode(Frame(0, 0, AskSnapshot())), 200_000)
    deaf = pico.until(lambda message: isinstance(message, FaultReport) and message.code == HOST_DEAF)
    assert isinstance(deaf.message, FaultReport)
    assert deaf.message.detail > 1000
    assert pico.decoder.bad == 0, "a frame was cut"
    pico.until(lambda message: isinstance(message, Snapshot))

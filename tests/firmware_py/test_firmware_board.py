"""The board's loop as a whole, in its own time: what it tells of itself, and when."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from firmware_py.lockstep import Lockstep
from flagfall.link.board.faults import SENSOR_STUCK
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    Calibrate,
    FaultReport,
    Hello,
    Message,
    Raw,
    RawStream,
    SelfTest,
    Snapshot,
    UnknownMessage,
)

IDENTITY = b"a board."
STORED = "flagfall-calibration/1\n" + "2048 800 -800\n" * 64 + f"sum {2048 * 64}\n"
LINE_STUCK, NOT_UNDERSTOOD, TEST_PASSED, SLOW = 3, 6, 9, 10


class Bench:
    """A board whose readings are given; `messages` is all that it has reported so far."""

    def __init__(self, stored: str | None = STORED, scan_us: int = 12_000) -> None:
        self.readings = [2048] * 64
        self.messages: list[Message] = []
        self._scan_us = scan_us
        self._now_us = 0
        self._lockstep = Lockstep(IDENTITY, stored)
        self._decoder = Decoder()
        self._decoder.feed(b"\0")

    def run(self, scans: int, received: bytes = b"") -> list[Message]:
        """Run some scans; return what the board reports meanwhile."""
        messages = []
        for _ in range(scans):
            self._now_us += self._scan_us
            out = self._lockstep.step(self._now_us, self.readings, 0, 0, received)
            messages += [frame.message for frame in self._decoder.feed(bytes(out))]
            received = b""
        self.messages += messages
        return messages

    def ask(self, message: Message) -> list[Message]:
        return self.run(2, encode(Frame(0, 0, message)))


def faults(messages: Sequence[Message], code: int) -> list[FaultReport]:
    return [message for message in messages if isinstance(message, FaultReport) and message.code == code]


@pytest.mark.parametrize("stored", [STORED, None])
def test_a_sensor_at_the_end_of_its_scale_is_told_every_five_seconds(stored: str | None) -> None:
    bench = Bench(stored)
    bench.run(20)
    bench.readings[37] = 4095
    assert faults(bench.run(400), SENSOR_STUCK) == [FaultReport(SENSOR_STUCK, 37, 4095)]
    assert faults(bench.run(420), SENSOR_STUCK) == [FaultReport(SENSOR_STUCK, 37, 4095)]


@pytest.mark.parametrize(("scan_us", "too_slow"), [(12_000, False), (19_900, False), (21_000, True)])
def test_fewer_than_fifty_scans_a_second_are_told(scan_us: int, too_slow: bool) -> None:
    bench = Bench(scan_us=scan_us)
    slow = faults(bench.run(200), SLOW)
    assert bool(slow) == too_slow
    assert all(fault.detail < 50 for fault in slow)


def test_one_long_scan_is_no_slow_board() -> None:
    bench = Bench()
    bench.run(50)
    bench._now_us += 60_000
    assert faults(bench.run(100), SLOW) == []


def test_it_says_who_it_is_then_shows_itself_every_fifty_milliseconds() -> None:
    bench = Bench()
    messages = bench.run(100)
    assert messages[0] == Hello(IDENTITY.hex(), (1, 0), True, 0)
    shown = [message for message in messages if isinstance(message, Snapshot)]
    assert 1_200 // 60 - 4 <= len(shown) <= 1_200 // 50


def test_the_watchdog_is_fed_once_a_scan_and_by_nothing_else() -> None:
    class Fed(Lockstep):
        times = 0

        def feed(self) -> None:
            self.times += 1

    board = Fed(IDENTITY, STORED)
    assert board.times == 0
    for scan in range(1, 100):
        board.step(12_000 * scan, [2048] * 64, 0, 0, encode(Frame(scan, 0, SelfTest())))
        assert board.times == scan


def test_raw_readings_come_while_they_are_wanted() -> None:
    bench = Bench()
    bench.readings[3] = 2100
    bench.run(20)
    streamed = [message for message in bench.ask(RawStream(True)) + bench.run(40) if isinstance(message, Raw)]
    assert len(streamed) >= 8
    assert 40 < streamed[-1].counts[3] <= 52, "less its zero, which follows slowly"
    bench.ask(RawStream(False))
    assert not [message for message in bench.run(40) if isinstance(message, Raw)]


def test_the_self_test_passes_a_whole_board_and_names_what_is_wrong() -> None:
    bench = Bench(STORED + "walked\n")
    bench.readings = [2000 + 37 * square % 101 for square in range(64)]
    assert faults(bench.ask(SelfTest()), TEST_PASSED)
    bench.readings = [2048] * 64
    bench.readings[5] = 0
    messages = bench.ask(SelfTest())
    assert FaultReport(SENSOR_STUCK, 5, 0) in messages
    assert faults(messages, LINE_STUCK)
    assert not faults(messages, TEST_PASSED)


def test_a_command_it_does_not_know_is_answered_and_changes_nothing() -> None:
    bench = Bench()
    bench.run(20)
    assert faults(bench.ask(UnknownMessage(99, b"")), NOT_UNDERSTOOD) == [
        FaultReport(NOT_UNDERSTOOD, None, 99)
    ]
    assert faults(bench.ask(Calibrate(5)), NOT_UNDERSTOOD) == [FaultReport(NOT_UNDERSTOOD, None, 19)]
    assert any(isinstance(message, Snapshot) for message in bench.run(10))


@pytest.mark.parametrize("scan_us", [10_000, 12_000, 14_900, 15_000, 17_000, 20_000])
def test_a_disc_placed_just_after_its_scan_is_told_within_sixty_milliseconds(scan_us: int) -> None:
    # By any board that keeps its fifty scans a second, and were the whole scan spent on working it out.
    bench = Bench(scan_us=scan_us)
    bench.run(30)
    bench.readings[37] = 2848
    scans = 0
    while not any(
        isinstance(message, Snapshot) and message.position.black >> 37 & 1 for message in bench.run(1)
    ):
        scans += 1
        assert scans < 10
    assert scans >= 1, "one scan alone is noise"
    assert (scans + 1) * scan_us + scan_us <= 60_000

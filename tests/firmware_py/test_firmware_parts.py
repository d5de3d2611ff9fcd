"""The firmware's pure parts: frames, classes, scanner, calibration; here under CPython."""

from __future__ import annotations

import json
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_py import frame, hwconfig
from firmware_py.board import ROOM, Outbox
from firmware_py.calibrate import AT_BLACK, AT_EMPTY, AT_WHITE, SCANS, Calibrator, as_text, from_text
from firmware_py.classify import BLACK, EMPTY, UNKNOWN, WHITE, Calibration, Classifier
from firmware_py.frame import NO_DISC, NOISY, NOT_EMPTY, REVERSED, SENSOR_STUCK, UNLIKE
from firmware_py.scan import Scanner, stuck_line
from flagfall.link.board import frames

EXAMPLES = json.loads((Path(__file__).parents[1] / "data" / "board_frames.json").read_text("utf-8"))


def test_its_frames_are_the_bytes_agreed_with_the_host() -> None:
    written = 0
    for example in EXAMPLES:
        data = bytes.fromhex(example["bytes"])
        understood = frames.decode(data.rstrip(b"\0"))
        assert understood is not None
        match understood.message:
            case frames.Hello(identity, version, calibrated, uptime_s):
                kind, body = (
                    frame.HELLO,
                    frame.hello_body(bytes.fromhex(identity), version, calibrated, uptime_s),
                )
            case frames.Snapshot(position, changed_us, settled_to_us):
                squares = bytearray(64)
                for square in range(64):
                    for value, held in ((1, position.black), (2, position.white), (3, position.unknown)):
                        if held >> square & 1:
                            squares[square] = value
                kind, body = frame.SNAPSHOT, bytes(frame.snapshot_body(squares, changed_us, settled_to_us))
            case frames.Touched(square, contact, ambiguous):
                kind = frame.TOUCH
                body = frame.touch_body(frame.NO_SQUARE if square is None else square, contact, ambiguous)
            case frames.Raw(counts):
                kind, body = frame.RAW, frame.raw_body(list(counts))
            case frames.FaultReport(code, square, detail):
                kind = frame.FAULT
                body = frame.fault_body(code, frame.NO_SQUARE if square is None else square, detail)
            case _:
                commands = frame.Commands()
                ((kind, body),) = commands.feed(data)
                assert (
                    frames.decode(bytes(frame.encode(kind, example["sequence"], 0, body)).rstrip(b"\0"))
                    == understood
                )
        assert bytes(frame.encode(kind, example["sequence"], example["board_us"], body)) == data
        written += 1
    assert written == len(EXAMPLES)


@given(st.lists(st.binary(max_size=80), max_size=8))
def test_no_bytes_from_the_host_raise_and_a_command_after_them_is_heard(pieces: list[bytes]) -> None:
    commands = frame.Commands()
    for piece in pieces:
        for kind, body in commands.feed(piece):
            assert frames.decode(bytes(frame.encode(kind, 0, 0, body)).rstrip(b"\0")) is not None
    commands.feed(b"\0")
    assert commands.feed(frames.encode(frames.Frame(3, 0, frames.Calibrate(2)))) == [
        (frame.CALIBRATE, b"\x02")
    ]


def test_no_damaged_command_is_obeyed() -> None:
    sound = frames.encode(frames.Frame(3, 0, frames.Calibrate(2)))
    assert frame.Commands().feed(sound)
    for bit in range(8 * (len(sound) - 1)):
        data = bytearray(sound)
        data[bit // 8] ^= 1 << bit % 8
        assert frame.Commands().feed(bytes(data)) == []


def calibration() -> Calibration:
    return Calibration([2000] * 64, [800] * 64, [-760] * 64)


def verdict(classifier: Classifier, *readings: int) -> int:
    """Return the verdict on square 0 after these readings less zero, the others empty."""
    for reading in readings:
        classifier.classify(array("h", [2000 + reading] + [2000] * 63))
    return classifier.values[0]


@pytest.mark.parametrize(
    ("readings", "value"),
    [
        ([0], EMPTY),
        ([800], BLACK),
        ([-760], WHITE),
        ([430], UNKNOWN),  # 54 % of a disc is none yet
        ([441], BLACK),
        ([800, 330], BLACK),  # but a disc stays one down to 40 %
        ([800, 310], UNKNOWN),
        ([-760, -310], WHITE),
        ([0, 200], EMPTY),  # hysteresis below too
        ([430, 200], UNKNOWN),
        ([800, -310], UNKNOWN),  # what held for black does not hold for white
        ([1400], UNKNOWN),  # stronger than any disc: something else lies there
        ([2050], UNKNOWN),  # at the rail
        ([-1980], UNKNOWN),
    ],
)
def test_a_reading_is_a_disc_or_nothing_or_not_known(readings: list[int], value: int) -> None:
    assert verdict(Classifier(calibration()), *readings) == value


def test_without_calibration_every_square_is_not_known() -> None:
    classifier = Classifier()
    classifier.classify(array("h", [2000] * 64))
    assert set(classifier.values) == {UNKNOWN}
    assert not classifier.calibrated


def test_the_zero_follows_a_slow_drift_and_no_disc() -> None:
    # A drift of 120 counts would be taken for an approaching disc; followed to its reach it is not.
    classifier = Classifier(calibration())
    for step in range(4000):
        verdict(classifier, min(35, step // 100))
    assert classifier.values[0] == EMPTY
    assert abs(classifier.less_zero(array("h", [2035] * 64), 0)) <= 6
    for _ in range(4000):
        verdict(classifier, 140)
    assert classifier.less_zero(array("h", [2000] * 64), 0) >= -41, "the reach is bounded"
    before = classifier.less_zero(array("h", [2000] * 64), 0)
    for _ in range(4000):
        verdict(classifier, 800)
    assert classifier.less_zero(array("h", [2000] * 64), 0) == before


def test_the_scanner_reads_every_square_through_its_own_channel_with_power_on() -> None:
    class Sensors:
        def __init__(self) -> None:
            self.powered: set[int] = set()
            self.most = 0

        def power(self, group: int, on: bool) -> None:
            (self.powered.add if on else self.powered.discard)(group)
            self.most = max(self.most, len(self.powered))

        def read(self, multiplexer: int, channel: int, adc: int) -> int:
            for group, places in enumerate(hwconfig.GROUPS):
                for square, *place in places:
                    if place == [multiplexer, channel, adc]:
                        return 100 + square if group in self.powered else 0
            raise AssertionError((multiplexer, channel, adc))

    sensors = Sensors()
    scanner = Scanner(sensors)
    scanner.start()
    raw = array("h", [0] * 64)
    for _ in range(2):
        scanner.scan(raw)
        assert list(raw) == list(range(100, 164))
    assert sensors.most == 2


def test_a_stuck_address_line_is_found() -> None:
    raw = array("h", [2000 + 37 * square % 101 for square in range(64)])
    assert stuck_line(raw) is None
    for line in range(4):
        stuck = array("h", [raw[(square & ~15) | (square & 15 & ~(1 << line))] for square in range(64)])
        assert stuck_line(stuck) == line


def test_calibration_needs_three_good_steps_and_survives_its_text() -> None:
    calibrator = Calibrator()
    assert calibrator.result() == (None, [])
    for step, reading in ((AT_EMPTY, 2000), (AT_BLACK, 2800), (AT_WHITE, 1240)):
        calibrator.begin(step)
        for _ in range(SCANS - 1):
            assert calibrator.take(array("h", [reading] * 64)) is None
        assert calibrator.take(array("h", [reading] * 64)) == []
    calibration, wrong = calibrator.result()
    assert wrong == []
    assert calibration is not None
    again = from_text(as_text(calibration))
    assert again is not None
    assert (again.zeros[5], again.blacks[5], again.whites[5]) == (2000, 800, -760)


def step(calibrator: Calibrator, number: int, *changes: tuple[int, int]) -> list[tuple[int, int, int]]:
    """Run one step with usual readings but for (square, reading)."""
    readings = [(2000, 2800, 1240)[number]] * 64
    for square, reading in changes:
        readings[square] = reading
    calibrator.begin(number)
    for _ in range(SCANS):
        wrong = calibrator.take(array("h", readings))
    assert wrong is not None
    return wrong


def test_calibration_names_the_square_that_moved() -> None:
    calibrator = Calibrator()
    calibrator.begin(AT_EMPTY)
    wrong = None
    for scan in range(SCANS):
        wrong = calibrator.take(array("h", [2000] * 30 + [2000 + scan] + [2000] * 33))
    assert wrong == [(30, NOISY, SCANS - 1)]
    assert calibrator.result() == (None, [])


def test_calibration_names_every_square_that_cannot_be_right_and_why() -> None:
    calibrator = Calibrator()
    assert step(calibrator, AT_EMPTY, (3, 4090), (9, 2900)) == [(3, SENSOR_STUCK, 4090), (9, NOT_EMPTY, 852)]
    assert step(calibrator, AT_EMPTY) == []
    wrong = step(calibrator, AT_BLACK, (0, 2050), (12, 1200), (20, 2500), (21, 3300))
    assert wrong == [(0, NO_DISC, 50), (12, REVERSED, -800), (20, UNLIKE, 500), (21, UNLIKE, 1300)]
    assert step(calibrator, AT_BLACK) == []
    assert step(calibrator, AT_WHITE, (63, 2800)) == [(63, REVERSED, -800)]
    assert step(calibrator, AT_WHITE) == []
    assert calibrator.result()[0] is not None


def test_steps_taken_in_another_order_are_judged_together() -> None:
    calibrator = Calibrator()
    assert step(calibrator, AT_BLACK, (7, 2010)) == []
    assert step(calibrator, AT_WHITE) == []
    assert step(calibrator, AT_EMPTY) == []
    assert calibrator.result() == (None, [(7, NO_DISC, 10)])


@pytest.mark.parametrize("cut", range(0, 700, 37))
def test_a_torn_calibration_is_none(cut: int) -> None:
    text = as_text(calibration())
    assert from_text(text[:cut]) is None
    assert from_text(text.replace("800", "801", 1)) is None
    assert from_text("x\n" * 70) is None


def test_the_outbox_keeps_whole_frames_and_writes_only_what_fits() -> None:
    class Port:
        def __init__(self) -> None:
            self.room = 0
            self.got = bytearray()

        def receive(self) -> bytes:
            return b""

        def writable(self) -> bool:
            return self.room > 0

        def write(self, data: bytes | bytearray) -> None:
            assert len(data) == 64
            self.room -= 1
            self.got += data

    port, outbox = Port(), Outbox()
    taken = [outbox.add(bytes([number]) * 100) for number in range(1, 20)]
    outbox.drain(port)
    assert taken.count(True) == ROOM // 100
    assert outbox.dropped == 19 - ROOM // 100
    port.room = 1000
    outbox.drain(port)
    assert port.got.rstrip(b"\0") == b"".join(bytes([number]) * 100 for number in range(1, ROOM // 100 + 1))

"""Frames of the cable: COBS(type, sequence, board time, body, CRC-32) and a zero.

The computer's side of it is `flagfall/link/board/frames.py`.

Runs under MicroPython and CPython alike; both sides are held to tests/data/board_frames.json.
"""

import binascii
import struct

HELLO, SNAPSHOT, TOUCH, RAW, FAULT = 1, 2, 3, 4, 5
ASK_HELLO, ASK_SNAPSHOT, RAW_STREAM, CALIBRATE, SELF_TEST = 16, 17, 18, 19, 20
WALK = 22

BY_DISC, BY_HAND = 1, 2
AMBIGUOUS = 1
NO_SQUARE = 255

NOT_CALIBRATED, SENSOR_STUCK, LINE_STUCK, NO_ELECTRODES, HOST_DEAF = 1, 2, 3, 4, 5
NOT_UNDERSTOOD, STEP_REFUSED, WATCHDOG, TEST_PASSED, SLOW, STEP_DONE, NOT_KEPT = 6, 7, 8, 9, 10, 11, 12
# Codes of faults, as in `flagfall/link/board/faults.py`; the last five are a square's in one step of calibration.
NOISY, NOT_EMPTY, NO_DISC, REVERSED, UNLIKE = 13, 14, 15, 16, 17
# A walk's: what reacts to the disc on a square; the verdict; what it suspects, with one or two numbers as bytes.
WALK_SEEN, WALK_ELSEWHERE, WALK_SPLIT, WALK_WEAK, WALK_NOTHING = 18, 19, 20, 21, 22
WALK_BEGUN, WALK_PASSED, WALK_FAILED, NOT_WALKED = 23, 24, 25, 26
NO_TOUCH, WEAK_DISC, WEAK_MAGNETS, ZERO_MOVED = 27, 28, 29, 30
TURNED, STRIPS_EXCHANGED, STRIP_REVERSED, MULTIPLEXERS_EXCHANGED, MULTIPLEXER_AS_ANOTHER = 40, 41, 42, 43, 44
MULTIPLEXERS_TOGETHER, LINES_EXCHANGED, SHORTED, SENSOR_DEAD = 45, 46, 47, 48
OUTPUTS_EXCHANGED, OUTPUTS_ROUND, STRIPS_ROUND, MULTIPLEXERS_ROUND, LINES_ROUND = 49, 50, 51, 52, 53
MIRRORED, STRIP_SILENT = 54, 55

# The host's longest frame in bytes, stuffed, without its zero.
LONGEST_COMMAND = 13

_U32 = 0xFFFFFFFF


def encode(kind: int, sequence: int, board_us: int, body: bytes | bytearray) -> bytearray:
    """Return the whole frame as bytes, ending zero included; `board_us` may be larger than 32 bits."""
    payload = bytearray(7 + len(body) + 4)
    struct.pack_into("<BHI", payload, 0, kind, sequence & 0xFFFF, board_us & _U32)
    payload[7:-4] = body
    # `memoryview` spares a copy of the payload on every frame.
    struct.pack_into("<I", payload, len(payload) - 4, binascii.crc32(memoryview(payload)[:-4]) & _U32)
    return _stuff(payload)


def hello_body(identity: bytes, version: tuple[int, int], calibrated: bool, uptime_s: int) -> bytes:
    return struct.pack("<8sBBBI", identity, version[0], version[1], 1 if calibrated else 0, uptime_s & _U32)


def snapshot_body(squares: bytearray, changed_us: int, settled_to_us: int) -> bytearray:
    """Pack `squares` (64 values: 0 empty, 1 black, 2 white, 3 not known) two bits each, a1 lowest."""
    body = bytearray(24)
    for index in range(16):
        at = index * 4
        body[index] = squares[at] | squares[at + 1] << 2 | squares[at + 2] << 4 | squares[at + 3] << 6
    struct.pack_into("<II", body, 16, changed_us & _U32, settled_to_us & _U32)
    return body


def touch_body(square: int, contact: int, ambiguous: bool) -> bytes:
    return bytes((square, contact, AMBIGUOUS if ambiguous else 0))


def raw_body(readings: list[int]) -> bytes:
    """Pack `readings`: 64 counts less the square's zero, so within 13 bits."""
    return struct.pack("<64h", *readings)


def fault_body(code: int, square: int = NO_SQUARE, detail: int = 0) -> bytes:
    return struct.pack("<BBh", code, square, max(-32768, min(32767, detail)))


def _stuff(payload: bytearray) -> bytearray:
    """Stuff a payload by COBS: no zero but the last. A payload here is never longer than 254 bytes."""
    stuffed = bytearray(len(payload) + 2)
    mark, at = 0, 1
    for byte in payload:
        if byte:
            stuffed[at] = byte
        else:
            stuffed[mark] = at - mark
            mark = at
        at += 1  # on a Pico `enumerate` would make a tuple for each byte
    stuffed[mark] = at - mark
    return stuffed


def _unstuff(stuffed: bytearray, size: int) -> bytearray | None:
    """Return the payload of `size` stuffed bytes, or None."""
    payload = bytearray(size)
    at = end = 0
    while at < size:
        distance = stuffed[at]
        if distance == 0 or at + distance > size:
            return None
        for index in range(at + 1, at + distance):
            payload[end] = stuffed[index]
            end += 1
        at += distance
        if at < size:
            end += 1  # the zero is there already
    return payload[:end]


class Commands:
    """The host's commands in the bytes that arrive, whatever they are: it keeps one frame at most, and never raises."""

    def __init__(self) -> None:
        self._piece = bytearray(LONGEST_COMMAND)
        self._size = 0

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """Return a list of (type, body) of the sound frames that ended in `data`."""
        commands = []
        for byte in data:
            if byte == 0:
                command = self._command()
                if command:
                    commands.append(command)
                self._size = 0
            elif self._size < LONGEST_COMMAND:
                self._piece[self._size] = byte
                self._size += 1
            else:
                self._size = LONGEST_COMMAND + 1
        return commands

    def _command(self) -> tuple[int, bytes] | None:
        if self._size == 0 or self._size > LONGEST_COMMAND:
            return None
        payload = _unstuff(self._piece, self._size)
        if payload is None or len(payload) < 11:
            return None
        if (
            binascii.crc32(memoryview(payload)[:-4]) & _U32
            != struct.unpack_from("<I", payload, len(payload) - 4)[0]
        ):
            return None
        return payload[0], bytes(payload[7:-4])

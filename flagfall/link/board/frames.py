"""The sensor board's frames: what its cable carries, as values and as bytes.

A frame on the cable is COBS(payload) + 0x00, so that a zero byte always ends a frame and nothing else does.
The payload is

    type u8, sequence u16, board time u32 (microseconds, wraps), body, CRC-32 (zlib's) over all before;

little-endian. The host's frames have the same form with board time 0. `firmware_py/frame.py` speaks the same;
both are held to the same bytes by tests/data/board_frames.json.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from flagfall.link.board.messages import (
    TOUCH_DISC,
    TOUCH_DROPPED,
    TOUCH_HAND,
    AskHello,
    AskSnapshot,
    Calibrate,
    FaultReport,
    Hello,
    Message,
    PlaceCorners,
    Raw,
    RawStream,
    SelfTest,
    Snapshot,
    Touched,
    UnknownMessage,
    Walk,
)
from flagfall.othello.board import Position

NO_SQUARE = 255

_HEAD = struct.Struct("<BHI")
_CRC = struct.Struct("<I")
_HELLO = struct.Struct("<8sBBBI")
# Boards of other kinds send more; a sensor board's HELLO has kept its form.
_HELLO_OF_KIND = struct.Struct("<8sBBBIBHH")
_SNAPSHOT = struct.Struct("<16sII")
_TOUCH = struct.Struct("<BBB")
_RAW = struct.Struct("<64h")
_FAULT = struct.Struct("<BBh")
_CORNERS = struct.Struct("<8H")
# The value for the picture's whole width or height.
_WHOLE = 0xFFFF
_AMBIGUOUS = 1

LONGEST_PAYLOAD = _HEAD.size + _RAW.size + _CRC.size
LONGEST_FRAME = LONGEST_PAYLOAD + 1 + LONGEST_PAYLOAD // 254


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame; `board_us` is the board's time when it was made (0 in the host's frames)."""

    sequence: int
    board_us: int
    message: Message


def encode(frame: Frame) -> bytes:
    """Return the frame as it goes over the cable, ending zero included."""
    kind, body = _body(frame.message)
    payload = _HEAD.pack(kind, frame.sequence & 0xFFFF, frame.board_us & 0xFFFF_FFFF) + body
    return _stuff(payload + _CRC.pack(zlib.crc32(payload))) + b"\0"


class Decoder:
    """Makes frames of arriving bytes in any pieces; never raises, and holds at most one frame's bytes.

    `bad` counts pieces between two zeros that were no frame. The first piece after `Decoder()` may be the end of a
    frame that began earlier: it is dropped without being counted.
    """

    def __init__(self) -> None:
        self.bad = 0
        self._piece = bytearray()
        self._too_long = False
        self._first = True

    def feed(self, data: bytes) -> list[Frame]:
        frames: list[Frame] = []
        *ended, rest = data.split(b"\0")
        for part in ended:
            self._add(part)
            if self._piece or self._too_long:
                frame = None if self._too_long else decode(bytes(self._piece))
                if frame is not None:
                    frames.append(frame)
                elif not self._first:
                    self.bad += 1
            self._first = False
            self._piece.clear()
            self._too_long = False
        self._add(rest)
        return frames

    def _add(self, part: bytes) -> None:
        if len(self._piece) + len(part) > LONGEST_FRAME:
            self._too_long = True
            self._piece.clear()
        elif not self._too_long:
            self._piece += part


def decode(piece: bytes) -> Frame | None:
    """Return the frame of the bytes between two zeros, or None if they are no frame."""
    payload = _unstuff(piece)
    if payload is None or len(payload) < _HEAD.size + _CRC.size:
        return None
    if _CRC.unpack_from(payload, len(payload) - _CRC.size)[0] != zlib.crc32(payload[: -_CRC.size]):
        return None
    kind, sequence, board_us = _HEAD.unpack_from(payload)
    message = _message(kind, payload[_HEAD.size : -_CRC.size])
    return None if message is None else Frame(sequence, board_us, message)


def why_no_frame(piece: bytes) -> str:
    """Return what is wrong with the bytes between two zeros, "" if they are a frame."""
    if len(piece) > LONGEST_FRAME:
        return f"{len(piece)} bytes without a zero, expected {LONGEST_FRAME} at most"
    payload = _unstuff(piece)
    if payload is None:
        return "not stuffed by COBS: a distance leads beyond the end"
    if len(payload) < _HEAD.size + _CRC.size:
        return f"{len(payload)} bytes, expected {_HEAD.size + _CRC.size} at least: head and CRC-32"
    sent, right = _CRC.unpack_from(payload, len(payload) - _CRC.size)[0], zlib.crc32(payload[: -_CRC.size])
    if sent != right:
        return f"its CRC-32 is {sent:08x}, expected {right:08x} (zlib's, little-endian, over all before it)"
    kind, body = payload[0], payload[_HEAD.size : -_CRC.size]
    if _message(kind, body) is not None:
        return ""
    sizes = sorted({_BODY_SIZES[kind], *(size for other, size in _ALSO if other == kind)})
    if len(body) not in sizes:
        return f"type {kind} with a body of {len(body)} bytes, expected {' or '.join(map(str, sizes))}"
    return f"type {kind} with a field out of its range: {body.hex()}"


def _stuff(payload: bytes) -> bytes:
    """COBS: each zero is replaced by the distance to the next one, the first distance stands in front."""
    stuffed = bytearray()
    for run in payload.split(b"\0"):
        while len(run) >= 254:
            stuffed += b"\xff" + run[:254]
            run = run[254:]
        stuffed.append(len(run) + 1)
        stuffed += run
    return bytes(stuffed)


def _unstuff(stuffed: bytes) -> bytes | None:
    payload = bytearray()
    at = 0
    while at < len(stuffed):
        distance = stuffed[at]
        end = at + distance
        if distance == 0 or end > len(stuffed):
            return None
        payload += stuffed[at + 1 : end]
        if distance < 255 and end < len(stuffed):
            payload.append(0)
        at = end
    return bytes(payload)


def _body(message: Message) -> tuple[int, bytes]:
    match message:
        case Hello(identity, version, calibrated, uptime_s, kind, late_ms, patience_ms):
            first = (bytes.fromhex(identity), *version, calibrated, uptime_s & 0xFFFF_FFFF)
            if not (kind or late_ms or patience_ms):
                return 1, _HELLO.pack(*first)
            return 1, _HELLO_OF_KIND.pack(*first, kind, late_ms, patience_ms)
        case Snapshot(position, changed_us, settled_to_us):
            squares = _pack_squares(position)
            return 2, _SNAPSHOT.pack(squares, changed_us & 0xFFFF_FFFF, settled_to_us & 0xFFFF_FFFF)
        case Touched(square, contact, ambiguous):
            return 3, _TOUCH.pack(NO_SQUARE if square is None else square, contact, _AMBIGUOUS * ambiguous)
        case Raw(counts):
            return 4, _RAW.pack(*counts)
        case FaultReport(code, square, detail):
            return 5, _FAULT.pack(code, NO_SQUARE if square is None else square, detail)
        case AskHello():
            return 16, b""
        case AskSnapshot():
            return 17, b""
        case RawStream(on):
            return 18, bytes([on])
        case Calibrate(step):
            return 19, bytes([step])
        case SelfTest():
            return 20, b""
        case PlaceCorners(corners):
            shares = [min(max(share, 0.0), 1.0) for corner in corners for share in corner]
            return 21, _CORNERS.pack(*(round(share * _WHOLE) for share in shares)) if shares else b""
        case Walk(command):
            return 22, bytes([command])
        case UnknownMessage(kind, body):
            return kind, body


_BODY_SIZES = {
    1: _HELLO.size,
    2: _SNAPSHOT.size,
    3: _TOUCH.size,
    4: _RAW.size,
    5: _FAULT.size,
    16: 0,
    17: 0,
    18: 1,
    19: 1,
    20: 0,
    21: _CORNERS.size,
    22: 1,
}

# Other possible sizes of a body.
_ALSO = ((1, _HELLO_OF_KIND.size), (21, 0))


def _message(kind: int, body: bytes) -> Message | None:
    """Return the message of a body; None if its size or a field is impossible for its type."""
    if kind not in _BODY_SIZES:
        return UnknownMessage(kind, body)
    if len(body) != _BODY_SIZES[kind] and (kind, len(body)) not in _ALSO:
        return None
    match kind:
        case 1:
            if len(body) == _HELLO.size:
                body += bytes(_HELLO_OF_KIND.size - _HELLO.size)
            identity, major, minor, calibrated, uptime_s, *of_kind = _HELLO_OF_KIND.unpack(body)
            return Hello(identity.hex(), (major, minor), bool(calibrated), uptime_s, *of_kind)
        case 2:
            squares, changed_us, settled_to_us = _SNAPSHOT.unpack(body)
            return Snapshot(_unpack_squares(squares), changed_us, settled_to_us)
        case 3:
            square, contact, flags = _TOUCH.unpack(body)
            if (square > 63 and square != NO_SQUARE) or contact not in (
                TOUCH_DISC,
                TOUCH_HAND,
                TOUCH_DROPPED,
            ):
                return None
            return Touched(None if square == NO_SQUARE else square, contact, bool(flags & _AMBIGUOUS))
        case 4:
            return Raw(_RAW.unpack(body))
        case 5:
            code, square, detail = _FAULT.unpack(body)
            return FaultReport(code, square if square < 64 else None, detail)
        case 16:
            return AskHello()
        case 17:
            return AskSnapshot()
        case 18:
            return RawStream(bool(body[0]))
        case 19:
            return Calibrate(body[0])
        case 21:
            shares = [share / _WHOLE for share in _CORNERS.unpack(body)] if body else []
            return PlaceCorners(tuple(zip(shares[::2], shares[1::2], strict=True)))
        case 22:
            return Walk(body[0])
        case _:
            return SelfTest()


def _pack_squares(position: Position) -> bytes:
    """Return the squares, two bits each, a1 in the lowest of the first byte: 0 empty, 1 black, 2 white, 3 not known."""
    low = position.black | position.unknown
    high = position.white | position.unknown
    return bytes(_SPREAD[low >> shift & 15] | _SPREAD[high >> shift & 15] << 1 for shift in range(0, 64, 4))


def _unpack_squares(squares: bytes) -> Position:
    low = high = 0
    for index, four in enumerate(squares):
        low |= _GATHERED[four] << (4 * index)
        high |= _GATHERED[four >> 1] << (4 * index)
    unknown = low & high
    return Position(low & ~unknown, high & ~unknown, unknown)


_SPREAD = tuple(sum((nibble >> bit & 1) << (2 * bit) for bit in range(4)) for nibble in range(16))
_GATHERED = tuple(sum((byte >> (2 * bit) & 1) << bit for bit in range(4)) for byte in range(256))

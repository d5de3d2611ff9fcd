"""The kept frames, read by a second decoder that shares nothing with the first: bit by bit, from the format alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.board import START, format_position

EXAMPLES = json.loads((Path(__file__).parents[3] / "data" / "board_frames.json").read_text("utf-8"))
KINDS = {
    "Hello": 1,
    "Snapshot": 2,
    "Touched": 3,
    "Raw": 4,
    "FaultReport": 5,
    "AskHello": 16,
    "AskSnapshot": 17,
    "RawStream": 18,
    "Calibrate": 19,
    "SelfTest": 20,
}
SAYS = {
    "hello": "e661385283774f2b 1 0 1 12",
    "start position": f"{format_position(START)} 1000 50500",
    "all squares unknown, time about to wrap": "?" * 64 + " 4294897296 4294967294",
    "h8 black": "XO" + "-" * 61 + "X 100000 100500",
}


def crc32(data: bytes) -> int:
    """Return the CRC-32 by its definition: reflected, polynomial 0xEDB88320, begun and ended inverted."""
    rest = 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0xEDB88320 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def payload_of(frame: bytes) -> bytes:
    """Return the payload without COBS: each count gives the place of the next zero."""
    assert frame[-1] == 0
    assert 0 not in frame[:-1]
    plain, at = b"", 0
    while at < len(frame) - 1:
        plain += frame[at + 1 : at + frame[at]] + (b"" if frame[at] == 255 else b"\0")
        at += frame[at]
    return plain[:-1]


def number(field: bytes) -> int:
    return sum(byte << 8 * index for index, byte in enumerate(field))


def in_words(kind: int, body: bytes) -> str:
    """Return the content of some bodies, in words."""
    if kind == 1:
        return f"{body[:8].hex()} {body[8]} {body[9]} {body[10]} {number(body[11:])}"
    squares = "".join("-XO?"[body[square // 4] >> 2 * (square % 4) & 3] for square in range(64))
    return f"{squares} {number(body[16:20])} {number(body[20:24])}"


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["name"] for example in EXAMPLES])
def test_each_kept_frame_says_what_its_name_says(example: dict[str, Any]) -> None:
    payload = payload_of(bytes.fromhex(example["bytes"]))
    assert number(payload[-4:]) == crc32(payload[:-4])
    head = KINDS[example["message"]], example["sequence"], example["board_us"]
    assert (payload[0], number(payload[1:3]), number(payload[3:7])) == head
    if example["name"] in SAYS:
        assert in_words(payload[0], payload[7:-4]) == SAYS[example["name"]]


def test_the_second_decoder_is_one() -> None:
    assert crc32(b"123456789") == 0xCBF43926
    with pytest.raises(AssertionError):
        payload_of(b"\x01\x00\x00")

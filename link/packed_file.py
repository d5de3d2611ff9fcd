"""A game file inside a result: compressed with zlib, encoded in base64, identified by its SHA-256."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from dataclasses import dataclass

LARGEST_FILE_BYTES = 16 << 20
MOST_INPUTS = 10_000
"""Of one game. Simulated hands at a board that senses make 284 to 353, with and without mistakes; the longest of 2,437
recorded games makes 530 if each disc that it turns is seen to go and to come by itself. Twenty times that for a board
that flickers; ten thousand take half a second, and what each costs grows with their number."""
LARGEST_GAME_BYTES = 4 << 20  # ten thousand inputs take one


class BadFile(ValueError):
    """The packed file cannot be unpacked, is too large, or is not the one its digest names; one line."""


class TooLarge(BadFile):
    """A file of more bytes than were expected; `start` is as much of it as was unpacked."""

    def __init__(self, most: int, start: bytes) -> None:
        super().__init__(f"file: expected {most} bytes at most when unpacked")
        self.start = start


@dataclass(frozen=True, slots=True)
class PackedFile:
    """`file` as a result carries it, `sha256` (hex) of the unpacked bytes."""

    file: str
    sha256: str


def pack(content: bytes) -> PackedFile:
    """BadFile if `content` is more than LARGEST_FILE_BYTES."""
    if len(content) > LARGEST_FILE_BYTES:
        raise BadFile(f"file: expected {LARGEST_FILE_BYTES} bytes at most, got {len(content)}")
    return PackedFile(
        base64.b64encode(zlib.compress(content, 9)).decode("ascii"), hashlib.sha256(content).hexdigest()
    )


def unpack(packed: PackedFile, most: int = LARGEST_FILE_BYTES) -> bytes:
    """Return the content; BadFile if it is not what `packed.sha256` says, TooLarge if it has more than `most` bytes."""
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(packed.file, validate=True), most)
    except (binascii.Error, ValueError, zlib.error) as bad:
        raise BadFile(f"file: expected a game file, zlib-compressed in base64: {bad}") from bad
    if unpacker.unconsumed_tail:
        raise TooLarge(most, content)
    if not unpacker.eof or hashlib.sha256(content).hexdigest() != packed.sha256:
        raise BadFile("sha256: expected the digest of the file unpacked")
    return content


def unpack_game(packed: PackedFile) -> str:
    """The text of a game file; BadFile also if it is none of UTF-8, or larger than a game's."""
    try:
        content = unpack(packed, LARGEST_GAME_BYTES)
        is_long = content.count(b"\n") > MOST_INPUTS + 1
    except TooLarge:
        is_long = True
    if is_long:
        raise BadFile(f"expected {MOST_INPUTS} inputs and {LARGEST_GAME_BYTES >> 20} MB at most")
    try:
        return content.decode()
    except UnicodeDecodeError as bad:
        raise BadFile(str(bad)) from None

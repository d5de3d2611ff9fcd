"""A game file inside a result: compressed with zlib, encoded in base64, identified by its SHA-256."""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from dataclasses import dataclass

from flagfall.base.errors import Invalid

LARGEST_FILE_BYTES = 16 << 20
_PIECE_BYTES = 256 << 10
# Of one game. Simulated hands at a board that senses make 284 to 353, with and without mistakes; the longest
# of 2,437 recorded games makes 530 if each disc that it turns is seen to go and to come by itself. Twenty
# times that for a board that flickers; ten thousand take half a second, and what each costs grows with their
# number.
MOST_INPUTS = 10_000
LARGEST_GAME_BYTES = 4 << 20  # ten thousand inputs take one


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A packed game file."""

    file: str  # as a result carries it
    sha256: str  # hex, of the unpacked bytes


def pack(content: bytes) -> PackedFile:
    """Return the content packed; Invalid if it is more than LARGEST_FILE_BYTES."""
    if len(content) > LARGEST_FILE_BYTES:
        raise Invalid("file", f"{LARGEST_FILE_BYTES} bytes at most", str(len(content)))
    return PackedFile(
        base64.b64encode(zlib.compress(content, 9)).decode("ascii"), hashlib.sha256(content).hexdigest()
    )


def unpack(packed: PackedFile, most: int = LARGEST_FILE_BYTES) -> bytes:
    """Return the content; Invalid if it is not what `packed.sha256` says, or has more than `most` bytes."""
    content, is_whole = unpack_start(packed, most)
    if not is_whole:
        raise Invalid("file", f"{most} bytes at most when unpacked")
    return content


def unpack_start(packed: PackedFile, most: int) -> tuple[bytes, bool]:
    """Return at most `most` bytes of the content, and True if that is all of it: its digest is checked only then.

    Raise Invalid for anything else than a packed file.
    """
    try:
        unpacker = zlib.decompressobj()
        content = unpacker.decompress(base64.b64decode(packed.file, validate=True), most)
    except (binascii.Error, ValueError, zlib.error) as bad:
        raise Invalid("file", f"a game file, zlib-compressed in base64: {bad}") from bad
    if unpacker.unconsumed_tail:
        return content, False
    if not unpacker.eof or unpacker.unused_data or hashlib.sha256(content).hexdigest() != packed.sha256:
        raise Invalid("sha256", "the digest of the file unpacked")
    return content, True


def check_digest(packed: PackedFile) -> None:
    """Raise Invalid unless the content is what `packed.sha256` says, and LARGEST_FILE_BYTES at most. It is unpacked
    in pieces, and nothing of it is kept."""
    digest, size = hashlib.sha256(), 0
    try:
        unpacker, rest = zlib.decompressobj(), base64.b64decode(packed.file, validate=True)
        while rest and not unpacker.eof:
            piece = unpacker.decompress(rest, _PIECE_BYTES)
            digest.update(piece)
            size, rest = size + len(piece), unpacker.unconsumed_tail
            if size > LARGEST_FILE_BYTES:
                raise Invalid("file", f"{LARGEST_FILE_BYTES} bytes at most when unpacked")
    except (binascii.Error, zlib.error) as bad:
        raise Invalid("file", f"a game file, zlib-compressed in base64: {bad}") from bad
    if not unpacker.eof or unpacker.unused_data or digest.hexdigest() != packed.sha256:
        raise Invalid("sha256", "the digest of the file unpacked")


def unpack_game(packed: PackedFile) -> str:
    """Return the text of a game file; Invalid also if it is larger than a game's, UnicodeDecodeError if not UTF-8."""
    content, is_whole = unpack_start(packed, LARGEST_GAME_BYTES)
    if not is_whole or content.count(b"\n") > MOST_INPUTS + 1:
        raise Invalid("", f"{MOST_INPUTS} inputs and {LARGEST_GAME_BYTES >> 20} MB at most")
    return content.decode()

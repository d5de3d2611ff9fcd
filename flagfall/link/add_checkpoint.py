"""The request by which the head of a record gets a witness's cosignature (https://c2sp.org/tlog-witness,
`add-checkpoint`): the size of the last head that the witness has cosigned, the path from there, and the new head.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass

from flagfall.base.errors import Invalid
from flagfall.ledger.merkle import HASH_BYTES
from flagfall.link.signed_note import LARGEST_BYTES as LARGEST_NOTE

ADDRESS = "/add-checkpoint"
# Of the answer 409: its body is the size of the last head that the witness has cosigned.
SIZE_TYPE = "text/x.tlog.size"
# Of a path between two heads.
MOST_HASHES = 63
LARGEST_BYTES = LARGEST_NOTE + 4096
_MOST_DIGITS = 15
_EXPECTED = "old N, at most 63 lines with a hash in base64, an empty line and a checkpoint"


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """The content of a request."""

    old_size: int
    path: tuple[bytes, ...]
    note: str

    @property
    def body(self) -> bytes:
        hashes = "".join(f"{base64.b64encode(node).decode()}\n" for node in self.path)
        return f"old {self.old_size}\n{hashes}\n{self.note}".encode()


def read_request(body: bytes) -> AddCheckpoint:
    """Return the content of a request's body. Invalid for any other bytes."""
    if len(body) > LARGEST_BYTES:
        raise Invalid("", f"{LARGEST_BYTES} bytes at most")
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise Invalid("", "a text in UTF-8") from None
    head, empty, note = text.partition("\n\n")
    first, *hashes = head.split("\n")
    word, _, digits = first.partition(" ")
    if not empty or word != "old" or len(hashes) > MOST_HASHES or not note.endswith("\n"):
        raise Invalid("", _EXPECTED)
    return AddCheckpoint(size_in(digits), read_hashes(hashes), note)


def size_in(digits: str) -> int:
    """Return a size from its digits, without leading zeros. Invalid for any other text."""
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= _MOST_DIGITS):
        raise Invalid("size", "digits", repr(digits[:80]))
    if str(int(digits)) != digits:
        raise Invalid("size", "digits without leading zeros", repr(digits[:80]))
    return int(digits)


def read_hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    """Return the hashes of a path, one in base64 on each line. Invalid for any other text."""
    if len(lines) > MOST_HASHES:
        raise Invalid("path", f"{MOST_HASHES} lines at most", str(len(lines)))
    return tuple(map(_hash, lines))


def _hash(line: str) -> bytes:
    try:
        node = base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        node = b""
    if len(node) != HASH_BYTES or base64.b64encode(node).decode() != line:
        raise Invalid("path", f"on each line a hash of {HASH_BYTES} bytes in base64", repr(line[:80]))
    return node

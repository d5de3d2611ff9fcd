"""Texts signed with Ed25519, as C2SP's signed notes (https://c2sp.org/signed-note), and heads of a record in them.

A note is a text, an empty line, and a line for each signature. A head of a record is a note whose text is a checkpoint
(https://c2sp.org/tlog-checkpoint): the record's origin, its number of leaves, and the root of its Merkle tree.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from dataclasses import dataclass

from flagfall.base.errors import Invalid
from flagfall.ledger.merkle import HASH_BYTES
from flagfall.link.keys import KEY_EXPECTED, is_public_key, is_signed, public_key, signature_of

LARGEST_BYTES = 100_000
_MOST_SIGNATURES = 16
_ED25519 = b"\x01"
_ID_BYTES = 4
_BLANKS = " \t\r\n"
# Of a size: it is exact in a double, for those who read it in a browser.
_MOST_DIGITS = 15
_DASH = "\N{EM DASH} "


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name of its holder; `str()` is its line, NAME+ID+KEY."""

    name: str
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Four bytes by which a signature names this key."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.public).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(_ED25519 + self.public).decode()}"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A head of a record. `root` is the hash at the top of the Merkle tree of its first `size` entries."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text that is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"


def read_key(text: str) -> VerifierKey:
    """Return the key of a line NAME+ID+KEY; Invalid for any other text."""
    expected = "a key as flagfall-hub key prints it: NAME+8 hexadecimal digits+base64"
    name, _, rest = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS).partition("+")
    digits, _, encoded = rest.partition("+")
    data = _decoded(encoded)
    key = VerifierKey(name, data[1:])
    if not _is_name(name) or data[:1] != _ED25519 or key.key_id.hex() != digits:
        raise Invalid("key", expected, repr(text[:80]))
    if not is_public_key(key.public):
        raise Invalid("key", KEY_EXPECTED, repr(text[:80]))
    return key


def sign_note(text: str, name: str, key: bytes) -> str:
    """Return the note of `text`, which ends with a newline, signed by `name` with this private key."""
    public = VerifierKey(name, public_key(key))
    signature = base64.b64encode(public.key_id + signature_of(text.encode(), key)).decode()
    return f"{text}\n{_DASH}{name} {signature}\n"


def open_note(note: str, key: VerifierKey) -> str:
    """Return the text of `note`; Invalid unless `key` has signed it. Other signatures are ignored.

    A copy by an editor or a mail program counts: with a byte order mark, with other line ends, without the last one.
    """
    note = note.removeprefix("\N{BYTE ORDER MARK}").replace("\r\n", "\n").rstrip("\n") + "\n"
    text, empty, lines = note.rpartition("\n\n")
    text += "\n"
    if not empty or not lines.endswith("\n") or len(note.encode()) > LARGEST_BYTES:
        raise Invalid("checkpoint", "a text, an empty line and its signatures")
    if any(ord(character) < 0x20 and character != "\n" for character in note):
        raise Invalid("checkpoint", "a text without control characters")
    signatures = lines[:-1].split("\n")
    if len(signatures) > _MOST_SIGNATURES:
        raise Invalid("checkpoint", f"{_MOST_SIGNATURES} signatures at most", str(len(signatures)))
    for line in signatures:
        if not line.startswith(_DASH) or line.count(" ") != 2:
            raise Invalid("checkpoint", "lines of signatures after the empty line", repr(line[:80]))
        _, name, encoded = line.split(" ")
        signature = _decoded(encoded)
        if name == key.name and signature[:_ID_BYTES] == key.key_id:
            if is_signed(text.encode(), signature[_ID_BYTES:], key.public):
                return text
            raise Invalid("checkpoint", f"the signature of {key.name}, this one is not of this text")
    raise Invalid("checkpoint", f"a signature of {key.name}+{key.key_id.hex()}")


def read_checkpoint(text: str) -> Checkpoint:
    """Return the head of a record in the text of a note; further lines are ignored. Invalid for any other text."""
    origin, _, rest = text.partition("\n")
    size, _, rest = rest.partition("\n")
    encoded, newline, _ = rest.partition("\n")
    root = _decoded(encoded)
    plain = size.isascii() and size.isdecimal() and len(size) <= _MOST_DIGITS and str(int(size)) == size
    if not (origin and plain and newline and len(root) == HASH_BYTES):
        raise Invalid("checkpoint", "an origin, a size and a root, each on a line", repr(text[:80]))
    return Checkpoint(origin, int(size), root)


def _decoded(encoded: str) -> bytes:
    """Return the bytes of a base64 text, none of a text that is not in its one form."""
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        return b""
    return data if base64.b64encode(data).decode() == encoded else b""


def _is_name(name: str) -> bool:
    return bool(name) and name.isascii() and name.isprintable() and not {" ", "+"} & set(name)

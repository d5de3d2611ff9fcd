"""Texts signed with Ed25519, as C2SP's signed notes (https://c2sp.org/signed-note), and heads of a record in them.

A note is a text, an empty line, and a line for each signature. A head of a record is a note whose text is a checkpoint
(https://c2sp.org/tlog-checkpoint): the record's origin, its number of leaves, and the root of its Merkle tree.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from flagfall.base.errors import Invalid
from flagfall.ledger.merkle import HASH_BYTES
from flagfall.link.keys import KEY_EXPECTED, is_public_key, is_signed, public_key, signature_of

LARGEST_BYTES = 100_000
MOST_SIGNATURES = 16
# Of a head: the hub signs it under two names.
MOST_WITNESSES = MOST_SIGNATURES - 2
# The type of a key: of one that signs notes, and of one that cosigns heads (https://c2sp.org/tlog-cosignature).
SIGNS_NOTES, COSIGNS = b"\x01", b"\x04"
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
    kind: bytes = SIGNS_NOTES

    @property
    def key_id(self) -> bytes:
        """Four bytes by which a signature names this key."""
        return hashlib.sha256(self.name.encode() + b"\n" + self.kind + self.public).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64.b64encode(self.kind + self.public).decode()}"

    def line(self, signature: bytes) -> str:
        """Return the line of this key's signature in a note."""
        return f"{_DASH}{self.name} {base64.b64encode(self.key_id + signature).decode()}\n"


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


_PRINTED_BY = {SIGNS_NOTES: "flagfall-hub key", COSIGNS: "flagfall-hub witness key"}


def read_key(text: str, kind: bytes = SIGNS_NOTES) -> VerifierKey:
    """Return the key of a line NAME+ID+KEY; Invalid for any other text, and for a key of another kind."""
    expected = f"a key as {_PRINTED_BY[kind]} prints it: NAME+8 hexadecimal digits+base64"
    name, _, rest = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS).partition("+")
    digits, _, encoded = rest.partition("+")
    data = _decoded(encoded)
    key = VerifierKey(name, data[1:], kind)
    if not is_name(name) or data[:1] != kind or key.key_id.hex() != digits:
        raise Invalid("key", expected, repr(text[:80]))
    if not is_public_key(key.public):
        raise Invalid("key", KEY_EXPECTED, repr(text[:80]))
    return key


def sign_note(text: str, name: str, key: bytes, *other_names: str) -> str:
    """Return the note of `text`, which ends with a newline, signed by `name` with this private key; and under other
    names that the key has."""
    public, signature = public_key(key), signature_of(text.encode(), key)
    lines = (VerifierKey(signer, public).line(signature) for signer in (name, *other_names))
    return f"{text}\n{''.join(lines)}"


def open_note(note: str, key: VerifierKey) -> str:
    """Return the text of `note`; Invalid unless `key` has signed it. Other signatures are ignored.

    A copy by an editor or a mail program counts: with a byte order mark, with other line ends, without the last one.
    """
    text, signatures = split_note(note)
    for signature in signatures:
        if signature.is_of(key):
            if is_signed(text.encode(), signature.content, key.public):
                return text
            raise Invalid("checkpoint", f"the signature of {key.name}, this one is not of this text")
    raise Invalid("checkpoint", f"a signature of {key.name}+{key.key_id.hex()}")


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """A line under a note, not checked: the signer's name, the four bytes that name the key, and the signature."""

    name: str
    key_id: bytes
    content: bytes

    def is_of(self, key: VerifierKey) -> bool:
        return self.name == key.name and self.key_id == key.key_id


def split_note(note: str) -> tuple[str, tuple[NoteSignature, ...]]:
    """Return the text of a note and its signatures, none of which is checked. Invalid for what is no note."""
    note = note.removeprefix("\N{BYTE ORDER MARK}").replace("\r\n", "\n").rstrip("\n") + "\n"
    text, empty, lines = note.rpartition("\n\n")
    if not empty or not lines.endswith("\n") or len(note.encode()) > LARGEST_BYTES:
        raise Invalid("checkpoint", "a text, an empty line and its signatures")
    if any(ord(character) < 0x20 and character != "\n" for character in note):
        raise Invalid("checkpoint", "a text without control characters")
    return f"{text}\n", tuple(read_signatures(lines))


def read_signatures(lines: str) -> Iterator[NoteSignature]:
    """Yield the signatures in lines as they stand under a note. Invalid for other lines."""
    signatures = lines.removesuffix("\n").split("\n")
    if len(signatures) > MOST_SIGNATURES:
        raise Invalid("checkpoint", f"{MOST_SIGNATURES} signatures at most", str(len(signatures)))
    for line in signatures:
        if not line.startswith(_DASH) or line.count(" ") != 2:
            raise Invalid("checkpoint", "lines of signatures after the empty line", repr(line[:80]))
        _, name, encoded = line.split(" ")
        content = _decoded(encoded)
        yield NoteSignature(name, content[:_ID_BYTES], content[_ID_BYTES:])


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


def is_name(name: str) -> bool:
    return bool(name) and name.isascii() and name.isprintable() and not {" ", "+"} & set(name)

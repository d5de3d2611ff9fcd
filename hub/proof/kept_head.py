"""A signed head of a record that somebody has kept, and the path between it and the head of a proof: what a hub that
rewrites its record cannot make.

`hub/web/static/verify.js` takes and refuses the same: a change here belongs there too.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from flagfall.base.errors import FlagfallError, Invalid
from flagfall.ledger.merkle import HASH_BYTES, is_consistent
from flagfall.link.add_checkpoint import read_hashes
from flagfall.link.keys import SIGNATURE_BYTES
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint, split_note

# Of a head or a path as text.
LARGEST_BYTES = 100_000
VERIFY_PAGE = "/verify.html"
# The same page in the link of a code, which is short so that phones read it on a slip.
SHORT_PAGE = "/v"
# Decimal digits of a root and a signature.
_DIGITS = 232
_BLANKS = " \t\r\n"
# EVENT/SIZE/DIGITS
_SHORT = re.compile(rf"([^/]+)/([0-9]{{1,15}})/([0-9]{{{_DIGITS}}})")
_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")


class PathMissing(FlagfallError):
    """The path between two heads of different sizes, which was not given. `str()` names its address at the hub."""

    def __init__(self, event: str, sizes: tuple[int, int]) -> None:
        earlier, later = sizes
        self.address = consistency_address(event, earlier, later)
        super().__init__(
            f"--path: expected the hashes between the heads of {earlier} and {later} entries, as the hub has them at"
            f" {self.address}, or the hub's address"
        )


@dataclass(frozen=True, slots=True)
class Kept:
    """A head that was kept, in its signed note, and the path between it and the proof's head; None if that was not
    given."""

    note: str
    head: Checkpoint
    path: tuple[bytes, ...] | None = None


def consistency_address(event: str, earlier: int, later: int) -> str:
    """Return the address of the path between two heads of an event's record, on its hub."""
    return f"/t/{quote(event, safe='')}/consistency.txt?from={earlier}&to={later}"


def link_of_head(hub: str, note: str, key: VerifierKey) -> tuple[str, str]:
    """Return the link of a QR code, which is the page that checks results at the hub's address with a head behind `#`:
    the part before the digits, and the digits, which a code holds in less space than other signs.

    The head is EVENT/SIZE/DIGITS: its root and the hub's signature in one number. Whoever has the hub's key makes the
    note from it again.
    """
    text, signatures = split_note(note)
    head = read_checkpoint(text)
    signature = next(line.content for line in signatures if line.is_of(key))
    event = quote(head.origin.removeprefix(f"{key.name}/"), safe="")
    digits = str(int.from_bytes(head.root + signature)).zfill(_DIGITS)
    return f"{hub}{SHORT_PAGE}#{event}/{head.size}/", digits


def read_kept_note(text: str, key: VerifierKey) -> str:
    """Return the note of a head that was kept: a signed note, or a link that has a head behind `#`, short or whole.
    Invalid for any other text, and for a head that `key` has not signed."""
    plain = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS)
    if "\n" not in plain and "#" in plain:
        fragment = plain.partition("#")[2]
        short = _SHORT.fullmatch(fragment)
        plain = _note_of(_unquoted(short[1]), short[2], short[3], key) if short else _unquoted(fragment)
    try:
        head = read_checkpoint(open_note(plain, key))
    except Invalid as fault:
        raise Invalid("kept head", fault.expected, fault.got) from None
    except UnicodeEncodeError:  # half of a surrogate pair
        raise Invalid("kept head", "a text in UTF-8") from None
    if head.size == 0:
        raise Invalid("kept head", "a record with entries", "none")
    return plain


def read_kept(text: str, key: VerifierKey) -> Kept:
    """Return the head that was kept, as `read_kept_note` reads it, without a path."""
    note = read_kept_note(text, key)
    return Kept(note, read_checkpoint(open_note(note, key)))


def _note_of(event: str, size: str, digits: str, key: VerifierKey) -> str:
    """Return the note of a short link. Invalid if its number is too large for a root and a signature."""
    try:
        content = int(digits).to_bytes(HASH_BYTES + SIGNATURE_BYTES)
    except OverflowError:
        raise Invalid("kept head", "a link with a signed head behind #") from None
    root, signature = content[:HASH_BYTES], content[HASH_BYTES:]
    text = f"{key.name}/{event}\n{size}\n{base64.b64encode(root).decode()}\n"
    return f"{text}\n{key.line(signature)}"


def read_path(text: str) -> tuple[bytes, ...]:
    """Return the hashes in a text, one in base64 on each line. Invalid for any other text."""
    plain = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS)
    lines = [line.strip(_BLANKS) for line in plain.split("\n")] if plain else []
    return read_hashes(lines)


def compare_heads(proven: Checkpoint, kept: Kept) -> None:
    """Raise Invalid unless the records of both heads are one: that of the smaller is the beginning of the other's.
    PathMissing if the path is needed for that and was not given."""
    head, path = kept.head, kept.path
    if head.origin != proven.origin:
        raise Invalid("kept head", f"one of the record {proven.origin[:120]}", repr(head.origin[:120]))
    if head.size == proven.size and head.root != proven.root:
        raise Invalid(
            "kept head",
            f"the root of the proof's head: the hub has signed two records of {head.size} entries",
        )
    earlier, later = sorted((head, proven), key=lambda of: of.size)
    if path is None and earlier.size != later.size:
        event = proven.origin.rpartition("/")[2]
        raise PathMissing(event, (earlier.size, later.size))
    if not is_consistent(earlier.size, earlier.root, later.size, later.root, path or ()):
        raise Invalid(
            "path",
            f"hashes that lead from the head of {earlier.size} entries to that of {later.size}: the hub has rewritten"
            " its record, or this is the path of other heads",
        )


def _unquoted(fragment: str) -> str:
    """Return the text in a link, as a browser's decodeURIComponent does."""
    try:
        if _BAD_ESCAPE.search(fragment):
            raise ValueError
        return unquote_to_bytes(fragment).decode()
    except ValueError:  # UnicodeDecodeError and UnicodeEncodeError too
        raise Invalid("kept head", "a link with a signed head behind #") from None

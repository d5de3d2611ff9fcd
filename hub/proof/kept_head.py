"""A signed head of a record that somebody has kept, and the path between it and the head of a proof: what a hub that
rewrites its record cannot make.

`hub/web/static/verify.js` takes and refuses the same: a change here belongs there too.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from urllib.parse import quote, unquote_to_bytes

from flagfall.base.errors import FlagfallError, Invalid
from flagfall.ledger.merkle import HASH_BYTES, is_consistent
from flagfall.link.signed_note import Checkpoint, VerifierKey, open_note, read_checkpoint

# As in the C2SP's protocol of witnesses.
MOST_HASHES = 63
# Of a head or a path as text.
LARGEST_BYTES = 100_000
VERIFY_PAGE = "/verify.html"
_BLANKS = " \t\r\n"
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
    """A head that was kept, and the path between it and the proof's head; None if that was not given."""

    head: Checkpoint
    path: tuple[bytes, ...] | None = None


def consistency_address(event: str, earlier: int, later: int) -> str:
    """Return the address of the path between two heads of an event's record, on its hub."""
    return f"/t/{quote(event, safe='')}/consistency.txt?from={earlier}&to={later}"


def link_of_head(hub: str, note: str) -> str:
    """Return the link of a QR code: the page that checks results, at the hub's address, with this head behind `#`."""
    return f"{hub}{VERIFY_PAGE}#{quote(note, safe='/+=')}"


def read_kept(text: str, key: VerifierKey) -> Checkpoint:
    """Return the head in a signed note, or in a link that has one behind `#`. Invalid for any other text, and for a
    head that `key` has not signed."""
    plain = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS)
    if "\n" not in plain and "#" in plain:
        plain = _unquoted(plain.partition("#")[2])
    try:
        head = read_checkpoint(open_note(plain, key))
    except Invalid as fault:
        raise Invalid("kept head", fault.expected, fault.got) from None
    except UnicodeEncodeError:  # half of a surrogate pair
        raise Invalid("kept head", "a text in UTF-8") from None
    if head.size == 0:
        raise Invalid("kept head", "a record with entries", "none")
    return head


def read_path(text: str) -> tuple[bytes, ...]:
    """Return the hashes in a text, one in base64 on each line. Invalid for any other text."""
    plain = text.removeprefix("\N{BYTE ORDER MARK}").strip(_BLANKS)
    lines = [line.strip(_BLANKS) for line in plain.split("\n")] if plain else []
    if len(lines) > MOST_HASHES:
        raise Invalid("path", f"{MOST_HASHES} lines at most", str(len(lines)))
    return tuple(map(_hash, lines))


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


def _hash(line: str) -> bytes:
    try:
        node = base64.b64decode(line, validate=True)
    except (binascii.Error, ValueError):
        node = b""
    if len(node) != HASH_BYTES or base64.b64encode(node).decode() != line:
        raise Invalid("path", f"on each line a hash of {HASH_BYTES} bytes in base64", repr(line[:80]))
    return node

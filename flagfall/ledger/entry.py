"""One entry of the record, and the hash chain of entries.

An entry is hashed by its author and checked by the store. The hash covers every stored field and the hash of the
previous entry, each with its length in front, so that no two entries share an encoding.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

import msgspec

# The head of a chain without entries.
START = ""

_DOMAIN = b"flagfall-entry/1"


class EntryDraft(msgspec.Struct, frozen=True):
    """An entry before it has a place in the chain."""

    # Unique within the tournament.
    id: str
    type: str
    # Counts the forms of this `type`.
    version: int
    # A wall-clock label (ISO 8601), never used for a decision.
    at: str
    # The operator or device.
    who: str
    tournament: str
    # Canonical JSON.
    body: bytes


_CONTENT = EntryDraft.__struct_fields__


class Entry(EntryDraft, frozen=True):
    """A draft at its place in the chain."""

    # The hash of the previous entry, `START` for the first.
    previous: str
    hash: str


def canonical(value: object) -> bytes:
    """Return the one JSON text of `value`: keys sorted, no spaces, UTF-8. Raise ValueError for NaN."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.encode()


def hash_of(draft: EntryDraft, previous: str) -> str:
    """Return the SHA-256 (hex) over all fields of `draft` and over `previous`, each led by its length in eight
    bytes.
    """
    texts = (draft.id, draft.type, str(draft.version), draft.at, draft.who, draft.tournament)
    parts = [_DOMAIN]
    for field in (*(text.encode() for text in texts), draft.body, previous.encode()):
        parts += len(field).to_bytes(8, "big"), field
    return hashlib.sha256(b"".join(parts)).hexdigest()


def leaf(entry: Entry) -> bytes:
    """Return the leaf of an entry in its record's Merkle tree: canonical JSON of all fields, `body` as the text that it
    is."""
    fields = {name: getattr(entry, name) for name in Entry.__struct_fields__}
    return canonical({**fields, "body": entry.body.decode(errors="backslashreplace")})


def place(draft: EntryDraft, head: str) -> Entry:
    """Return `draft` as the entry that follows `head`."""
    content = {name: getattr(draft, name) for name in _CONTENT}
    return Entry(**content, previous=head, hash=hash_of(draft, head))


def chain(drafts: Iterable[EntryDraft], head: str) -> tuple[Entry, ...]:
    """Return `drafts` as the entries that follow `head`, in this order."""
    entries: list[Entry] = []
    for draft in drafts:
        entry = place(draft, head)
        entries.append(entry)
        head = entry.hash
    return tuple(entries)


def fault(entry: Entry, previous: str) -> str | None:
    """Return why `entry` cannot follow the hash `previous`, in a few words, or None."""
    if entry.previous != previous:
        return "does not follow the entry before it"
    if entry.hash != hash_of(entry, entry.previous):
        return "its hash is not that of its content"
    return None


def same_content(draft: EntryDraft, other: EntryDraft) -> bool:
    """Return whether two drafts with one id have the same content. `at` is ignored: a repeated delivery gets a new
    label.
    """
    return all(getattr(draft, name) == getattr(other, name) for name in _CONTENT if name != "at")

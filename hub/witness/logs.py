"""The records that a witness knows: the keys that it trusts, and the last head of each record that it has cosigned.

One SQLite file, `witness.sqlite`. A head is compared, cosigned and stored in one transaction, which is on disk before
the answer is given: two requests at once cannot make the witness go back. A record takes one row, however often it
grows.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flagfall.base.errors import Failed, FlagfallError, Invalid
from flagfall.ledger.merkle import is_consistent
from flagfall.ledger.merkle import root as root_of
from flagfall.link.add_checkpoint import AddCheckpoint
from flagfall.link.keys import is_signed
from flagfall.link.signed_note import (
    Checkpoint,
    NoteSignature,
    VerifierKey,
    read_checkpoint,
    read_key,
    split_note,
)

FILE_NAME = "witness.sqlite"
# Keys that one witness trusts, records of one hub's key, and records altogether.
MOST_KEYS, MOST_OF_KEY, MOST_RECORDS = 1_000, 500, 10_000
# The name of a hub's key: it signs the records of all its events, whose names begin with it.
_HUB = re.compile(r"flagfall/[A-Za-z0-9._-]{1,64}\Z")
_LONGEST_ORIGIN = 300
_SCHEMA = """
CREATE TABLE IF NOT EXISTS trusted (origin TEXT NOT NULL, vkey TEXT NOT NULL, PRIMARY KEY (origin, vkey)) STRICT;
CREATE TABLE IF NOT EXISTS head (
    origin TEXT PRIMARY KEY, origin_hash TEXT NOT NULL UNIQUE, family TEXT NOT NULL,
    size INTEGER NOT NULL, root BLOB NOT NULL, note TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS head_of_family ON head (family);
"""
# Returns the line with which the witness cosigns a text.
Cosign = Callable[[str], str]


class HeadRefused(FlagfallError):
    """The reason in one line why a head was not cosigned, and the status of HTTP that says so. `size`: of the last head
    that was cosigned, where the client needs it."""

    def __init__(self, status: int, why: str, size: int | None = None) -> None:
        super().__init__(why)
        self.status, self.size = status, size


@dataclass(frozen=True, slots=True)
class Trusted:
    """A key that signs a record; with a hub's own key the records of all its events."""

    origin: str
    key: VerifierKey


class WitnessLogs:
    """The file in `folder`, made if it is missing. Each call may come from another thread than the one before."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._connection = sqlite3.connect(
                self._path, timeout=5.0, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as fault:
            raise Failed(f"{self._path}: {fault}") from None

    def close(self) -> None:
        self._connection.close()

    def trust(self, key: VerifierKey, origin: str | None = None) -> None:
        """Trust a key for the record `origin`, the record of its own name by default. Invalid if it is too much."""
        name = key.name if origin is None else origin
        if not name or len(name) > _LONGEST_ORIGIN or not name.isprintable():
            raise Invalid("--origin", "the first line of the record's heads", repr(name[:80]))
        with self._transaction():
            count = self._number("SELECT count(*) FROM trusted")
            if count >= MOST_KEYS:
                raise Invalid("VKEY", f"{MOST_KEYS} keys at most, there are as many")
            self._connection.execute("INSERT OR IGNORE INTO trusted VALUES (?, ?)", (name, str(key)))

    def distrust(self, key: VerifierKey) -> bool:
        """Trust a key no longer, and return whether it was trusted. The heads stay: the key may come back."""
        with self._transaction():
            return bool(self._connection.execute("DELETE FROM trusted WHERE vkey = ?", (str(key),)).rowcount)

    @property
    def trusted(self) -> tuple[Trusted, ...]:
        rows = self._rows("SELECT origin, vkey FROM trusted ORDER BY origin, vkey")
        return tuple(Trusted(origin, read_key(line)) for origin, line in rows)

    @property
    def heads(self) -> tuple[Checkpoint, ...]:
        """The last head of each record."""
        return tuple(
            Checkpoint(*row) for row in self._rows("SELECT origin, size, root FROM head ORDER BY origin")
        )

    def note(self, origin_hash: str) -> str | None:
        """Return the last head of a record with its cosignature; None for an unknown record. `origin_hash` is the
        SHA-256 of the record's name, in hexadecimal digits."""
        rows = self._rows("SELECT note FROM head WHERE origin_hash = ?", origin_hash)
        return str(rows[0][0]) if rows else None

    def add(self, request: AddCheckpoint, cosign: Cosign) -> str:
        """Compare a head with the last one, store it, and return the line that cosigns it. Raise HeadRefused, with
        nothing changed, if the record is unknown, the head is not signed, or it does not continue the last one."""
        try:
            text, signatures = split_note(request.note)
            head = read_checkpoint(text)
        except Invalid as fault:
            raise HeadRefused(400, str(fault)) from None
        if len(head.origin) > _LONGEST_ORIGIN:
            raise HeadRefused(404, "a record that this witness does not know")
        with self._transaction():
            family, signed_by = self._signer(head.origin, text, signatures)
            rows = self._rows("SELECT size, root FROM head WHERE origin = ?", head.origin)
            last_size, last_root = rows[0] if rows else (0, b"")
            _expect_continued(request, head, last_size, last_root)
            if not rows:
                self._expect_room(family)
            line = cosign(text)
            note = f"{text}\n{signed_by}{line}"
            self._connection.execute(
                "INSERT OR REPLACE INTO head VALUES (?, ?, ?, ?, ?, ?)",
                (head.origin, origin_hash(head.origin), family, head.size, head.root, note),
            )
        return line

    def _signer(self, origin: str, text: str, signatures: tuple[NoteSignature, ...]) -> tuple[str, str]:
        """Return the name for which the key is trusted that has signed, and its line."""
        family = origin.rpartition("/")[0]
        names = (origin, family) if _HUB.match(family) else (origin,)
        keys = [
            Trusted(name, read_key(line))
            for name in names
            for (line,) in self._rows("SELECT vkey FROM trusted WHERE origin = ? ORDER BY vkey", name)
        ]
        if not keys:
            raise HeadRefused(404, "a record that this witness does not know")
        signed = line = ""
        for signature in signatures:
            for trusted in keys:
                if signature.is_of(trusted.key):
                    if not is_signed(text.encode(), signature.content, trusted.key.public):
                        raise HeadRefused(403, f"the signature of {trusted.key.name} is not of this head")
                    signed, line = signed or trusted.origin, line or trusted.key.line(signature.content)
        if not signed:
            raise HeadRefused(403, "no signature of a key that this witness trusts for the record")
        return signed, line

    def _expect_room(self, family: str) -> None:
        of_key = self._number("SELECT count(*) FROM head WHERE family = ?", family)
        records = self._number("SELECT count(*) FROM head")
        if of_key >= MOST_OF_KEY or records >= MOST_RECORDS:
            raise HeadRefused(404, "a further record: this witness has as many as it keeps")

    def _number(self, query: str, *values: str) -> int:
        return int(self._connection.execute(query, values).fetchone()[0])

    def _rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def origin_hash(origin: str) -> str:
    """Return the name of a record in the address of its last head."""
    return hashlib.sha256(origin.encode()).hexdigest()


def _expect_continued(request: AddCheckpoint, head: Checkpoint, last_size: int, last_root: bytes) -> None:
    if request.old_size > head.size:
        raise HeadRefused(400, f"old {request.old_size}: above the size of the head, {head.size}")
    if request.old_size != last_size:
        raise HeadRefused(409, f"the last head has {last_size} entries", last_size)
    if request.old_size == 0:
        if request.path:
            raise HeadRefused(422, "a path from nothing: expected none")
        if head.size == 0 and head.root != root_of(()):
            raise HeadRefused(422, "the root of no entries: expected the hash of nothing")
        return
    if not is_consistent(last_size, last_root, head.size, head.root, request.path):
        raise HeadRefused(422, f"the path does not lead from the head of {last_size} entries to this one")

"""The ledger in one SQLite file: write-ahead log, every commit synced, one connection writes and checkpoints.

The thread that opens a `SqliteLedger` owns it: every call comes from that thread (SQLite refuses others).
Another thread or program reads through a ledger of its own, opened with `read_only=True`.
A second writer is refused: the writer holds an exclusive lock in a small database beside the file, which the
operating system frees when the process dies.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import astuple

from flagfall.ledger.entry import START, Entry, fault, same_content
from flagfall.ledger.store import OTHER_CONTENT, Appended, Ledger, StaleHead, StoreFailed, entry_error

_APPLICATION_ID = 0x464C4146  # "FLAF": distinguishes this file from any other database
_FORMAT = 1
_PAGE = 500
_PAGE_BYTES = 8_192
_COLUMNS = "id, type, version, at, who, tournament, body, previous, hash"

_SCHEMA = f"""
CREATE TABLE entry (
    tournament TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL,
    version INTEGER NOT NULL, at TEXT NOT NULL, who TEXT NOT NULL, body BLOB NOT NULL,
    previous TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (tournament, position), UNIQUE (tournament, id)
) STRICT;
CREATE TRIGGER entry_is_final BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN SELECT RAISE(ABORT, 'the ledger only grows'); END;
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_FORMAT};
"""


class SqliteLedger(Ledger):
    """A `Ledger` in the file `path`, made if it is missing (not with `read_only`)."""

    failures = (sqlite3.Error, UnicodeError)
    faults_of_callers = (sqlite3.ProgrammingError,)

    def __init__(self, path: Path, read_only: bool = False) -> None:
        """Open the file. Raise StoreFailed if another program writes to it, or it is not a ledger of a known format."""
        super().__init__(str(path), read_only)
        self._path = path
        self._lock = None if read_only else write_lock(path)
        try:
            self._connection = self._open()
        except StoreFailed:
            self._unlock()
            raise

    def head(self, tournament: str) -> str:
        return self._end(tournament)[1]

    def append(self, entries: Sequence[Entry], expected_head: str) -> Appended:
        tournament = self._tournament_of(entries)
        with self._failing_plainly(), self._transaction():
            stored = dict(self.find(tournament, [entry.id for entry in entries]))
            position, head = self._end(tournament)
            new: list[Entry] = []
            for entry in entries:
                if entry.id not in stored:
                    stored[entry.id] = entry
                    new.append(entry)
                elif not same_content(stored[entry.id], entry):
                    raise entry_error(tournament, entry.id, OTHER_CONTENT)
            if new and head != expected_head:
                raise StaleHead(tournament, expected_head, head)
            for entry in new:
                if why := fault(entry, head):
                    raise entry_error(tournament, entry.id, why)
                head = entry.hash
            self._connection.executemany(
                f"INSERT INTO entry (position, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [(position + nth, *astuple(entry)) for nth, entry in enumerate(new, 1)],
            )
        return Appended(len(new), head)

    def find(self, tournament: str, ids: Iterable[str]) -> Mapping[str, Entry]:
        chosen = "tournament = ? AND id IN (SELECT value FROM json_each(?))"
        query = f"SELECT {_COLUMNS} FROM entry WHERE {chosen}"
        with self._failing_plainly():
            rows = self._connection.execute(query, (tournament, json.dumps(list(set(ids))))).fetchall()
        return {entry.id: entry for entry in (Entry(*row) for row in rows)}

    def tournaments(self) -> tuple[str, ...]:
        with self._failing_plainly():
            query = "SELECT DISTINCT tournament FROM entry ORDER BY tournament"
            rows = self._connection.execute(query).fetchall()
        return tuple(str(tournament) for (tournament,) in rows)

    def _damage(self, tournament: str, count: int) -> str | None:
        damage = [str(line) for (line,) in self._connection.execute("PRAGMA integrity_check(1)")]
        return None if damage == ["ok"] else f"the file is damaged: {' '.join(damage[0].split())}"

    def close(self) -> None:
        if self._lock is not None:
            with self._failing_plainly():
                self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        self._connection.close()
        self._unlock()

    def _open(self) -> sqlite3.Connection:
        with self._failing_plainly():
            address = f"{self._path.absolute().as_uri()}?mode={'ro' if self._read_only else 'rwc'}"
            connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=5.0)
        try:
            with self._failing_plainly():
                self._prepare(connection)
        except StoreFailed:
            connection.close()
            raise
        return connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        (application_id,) = connection.execute("PRAGMA application_id").fetchone()
        (file_format,) = connection.execute("PRAGMA user_version").fetchone()
        (objects,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        is_new = not self._read_only and (application_id, file_format, objects) == (0, 0, 0)
        if not is_new and application_id != _APPLICATION_ID:
            raise StoreFailed(f"{self._path}: not a ledger, expected a file made by flagfall-hub")
        if not is_new and file_format != _FORMAT:
            raise StoreFailed(f"{self._path}: ledger format {file_format}, this program knows {_FORMAT}")
        if is_new:  # two results to a page: half the writes of a commit
            connection.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        if not self._read_only:
            connection.execute("PRAGMA journal_mode = WAL").fetchall()
            connection.execute("PRAGMA synchronous = FULL")
        if is_new:
            connection.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} COMMIT;")

    def _end(self, tournament: str) -> tuple[int, str]:
        """Return the position and hash of the last entry."""
        query = "SELECT position, hash FROM entry WHERE tournament = ? ORDER BY position DESC LIMIT 1"
        with self._failing_plainly():
            row = self._connection.execute(query, (tournament,)).fetchone()
        return (int(row[0]), str(row[1])) if row else (0, START)

    def _numbered(self, tournament: str, after: int) -> Iterator[tuple[int, Entry]]:
        chosen = "tournament = ? AND position > ? ORDER BY position LIMIT ?"
        query = f"SELECT position, {_COLUMNS} FROM entry WHERE {chosen}"
        while True:
            with self._failing_plainly():
                rows = self._connection.execute(query, (tournament, after, _PAGE)).fetchall()
            if not rows:
                return
            for position, *fields in rows:
                yield position, Entry(*fields)
            after = rows[-1][0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None


def write_lock(path: Path) -> sqlite3.Connection:
    """Return a lock that is held until it is closed: no other program writes to the ledger `path`. Raise StoreFailed
    while another one does.
    """
    lock_path = path.with_name(f"{path.name}.lock")
    try:
        lock = sqlite3.connect(lock_path, isolation_level=None, timeout=0.0, check_same_thread=False)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as failure:
        if getattr(failure, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise StoreFailed(f"{path}: another program is writing to this ledger") from failure
        raise StoreFailed(f"{path}: cannot be opened for writing: {failure}") from failure
    return lock

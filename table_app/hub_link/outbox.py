"""Messages of a table to the hub, kept on disk until the hub's receipt.

The thread that opens an `Outbox` owns it. The time of the next attempt is in memory only: after a restart everything is
due at once, in the order in which it was put.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from flagfall.base.errors import Failed
from flagfall.link.client.backoff import delay_s

_FORMAT = 2
_NEW_FILE = 0
_MOST_KEPT = 500


@dataclass(frozen=True, slots=True)
class Letter:
    """A message that waits for its receipt."""

    id: str
    topic: str
    payload: bytes


@dataclass(slots=True)
class _Unanswered:
    letter: Letter
    attempts: int = 0
    due_ns: int | None = None


class Outbox:
    """A durable outbox in the SQLite file `path`. Instants are monotonic nanoseconds of the caller's."""

    def __init__(self, path: Path, random: Random) -> None:
        self._path = path
        self._random = random
        try:
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=1.0)
        except sqlite3.Error as failure:
            raise Failed(f"{path}: {failure}") from failure
        try:
            self._prepare()
            rows = self._run("SELECT id, topic, payload FROM letter ORDER BY number")
            self._trials = {row[0]: _Unanswered(Letter(*row)) for row in rows}
        except Failed:
            self._connection.close()
            raise

    def put(self, letter_id: str, topic: str, payload: bytes) -> bool:
        """Keep a message; it is on disk when this returns. Return False if the id is there already: then
        nothing changes."""
        if letter_id in self._trials:
            return False
        self._run("INSERT INTO letter (id, topic, payload) VALUES (?, ?, ?)", letter_id, topic, payload)
        self._trials[letter_id] = _Unanswered(Letter(letter_id, topic, payload))
        return True

    def due(self, now_ns: int) -> tuple[Letter, ...]:
        """Return the messages to be sent now, in the order in which they were put."""
        return tuple(
            trial.letter for trial in self._trials.values() if trial.due_ns is None or trial.due_ns <= now_ns
        )

    def sent(self, letter_id: str, now_ns: int) -> None:
        """Record that the message was given to the network. It is due again after the back-off, unless its
        receipt comes first."""
        if trial := self._trials.get(letter_id):
            trial.attempts += 1
            trial.due_ns = now_ns + round(delay_s(trial.attempts, self._random) * 1e9)

    def next_due_ns(self) -> int | None:
        """Return the earliest instant at which a message is due: None if none waits, 0 if it was never sent."""
        return min((trial.due_ns or 0 for trial in self._trials.values()), default=None)

    def reconnected(self) -> None:
        """Make everything due after a new connection: messages that the old one had taken may be lost."""
        for trial in self._trials.values():
            trial.due_ns = None

    def receipt(self, letter_id: str, head: str = "") -> bool:
        """Record that the hub has recorded the message at `head` of its ledger, or refused it finally ("").
        Return False if none waited.

        An accepted message is sent no more, but kept (the latest 500), in case the hub loses its record.
        """
        trial = self._trials.get(letter_id)
        if trial is None:
            return False
        self._run("BEGIN IMMEDIATE")
        try:
            if head:
                self._run("DELETE FROM kept WHERE id = ?", letter_id)
                kept = (trial.letter.id, trial.letter.topic, trial.letter.payload, head)
                self._run("INSERT INTO kept (id, topic, payload, head) VALUES (?, ?, ?, ?)", *kept)
                self._run("DELETE FROM kept WHERE number <= (SELECT max(number) FROM kept) - ?", _MOST_KEPT)
            self._run("DELETE FROM letter WHERE id = ?", letter_id)
            self._run("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        del self._trials[letter_id]
        return True

    def again(self, letter_id: str) -> bool:
        """Make a message due that the hub requests again, though it may have acknowledged it; it waits for a
        receipt as before. Return False if it is not kept."""
        if trial := self._trials.get(letter_id):
            trial.due_ns = None
            return True
        for row in self._run("SELECT id, topic, payload FROM kept WHERE id = ?", letter_id):
            return self.put(*row)
        return False

    def remember_head(self, tournament: str, entries: int, head: str) -> bool:
        """Remember that the hub's record of `tournament` has grown to so many entries. Return False if that
        is not more than known."""
        known = self.remembered_head(tournament)
        if known is not None and known[0] >= entries:
            return False
        self._run("INSERT OR REPLACE INTO told VALUES (?, ?, ?)", tournament, entries, head)
        return True

    def remembered_head(self, tournament: str) -> tuple[int, str] | None:
        """Return (entries, head) of the longest record of `tournament` that the hub ever reported."""
        for row in self._run("SELECT entries, head FROM told WHERE tournament = ?", tournament):
            return int(row[0]), str(row[1])
        return None

    def kept(self, topic: str, most: int = 100) -> dict[str, str]:
        """Return the latest acknowledged messages of this topic: id -> the ledger's head in the receipt."""
        query = "SELECT id, head FROM kept WHERE topic = ? ORDER BY number DESC LIMIT ?"
        return {row[0]: row[1] for row in self._run(query, topic, most)}

    def pending(self) -> tuple[Letter, ...]:
        """Everything that waits, in the order in which it was put."""
        return tuple(trial.letter for trial in self._trials.values())

    def close(self) -> None:
        self._connection.close()

    def _prepare(self) -> None:
        written = self._run("PRAGMA user_version")[0][0]
        if written not in (_NEW_FILE, _FORMAT):
            raise Failed(f"{self._path}: outbox format {written}, this program knows {_FORMAT}")
        self._run("PRAGMA journal_mode = WAL")
        self._run("PRAGMA synchronous = FULL")
        self._run(
            "CREATE TABLE IF NOT EXISTS letter (number INTEGER PRIMARY KEY AUTOINCREMENT,"
            " id TEXT NOT NULL UNIQUE, topic TEXT NOT NULL, payload BLOB NOT NULL) STRICT"
        )
        self._run(
            "CREATE TABLE IF NOT EXISTS kept (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE,"
            " topic TEXT NOT NULL, payload BLOB NOT NULL, head TEXT NOT NULL) STRICT"
        )
        self._run(
            "CREATE TABLE IF NOT EXISTS told (tournament TEXT PRIMARY KEY, entries INTEGER NOT NULL,"
            " head TEXT NOT NULL) STRICT"
        )
        self._run(f"PRAGMA user_version = {_FORMAT}")

    def _run(self, statement: str, *values: object) -> list[Any]:
        try:
            return self._connection.execute(statement, values).fetchall()
        except sqlite3.ProgrammingError:
            raise  # a wrong thread or a closed outbox: an error of the caller
        except (sqlite3.Error, UnicodeError) as failure:
            raise Failed(f"{self._path}: {' '.join(str(failure).split())}") from failure

"""The contract of every store of entries.

One chain per tournament; ids are unique within a tournament. `tests/flagfall/ledger/test_ledger_contract.py` tests
each store against it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

from flagfall.base.errors import FlagfallError
from flagfall.ledger.entry import START, Entry, fault

_BATCH = 500
OTHER_CONTENT = "is stored with other content"


class LedgerError(FlagfallError):
    """An entry that a store refuses, or whose content this program cannot use."""


def entry_error(tournament: str, entry_id: str, why: str) -> LedgerError:
    """Return the error of an entry: "ledger open: entry 7 is stored with other content"."""
    return LedgerError(f"ledger {tournament}: entry {entry_id} {why}")


class StaleHead(LedgerError):
    """Another program has appended meanwhile: read the new entries, decide again, chain on the new head."""

    def __init__(self, tournament: str, expected: str, head: str) -> None:
        super().__init__(
            f"ledger {tournament}: the head is {_short(head)}, not {_short(expected)}: changed meanwhile"
        )
        self.head = head


class StoreFailed(LedgerError):
    """The store cannot be read or written: locked by another program, full, damaged, opened read-only."""


@dataclass(frozen=True, slots=True)
class Appended:
    """The outcome of an append: how many entries are new, and the present head."""

    new: int
    head: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The first entry that fails."""

    # Counts from 1.
    position: int
    # Empty if it cannot be read.
    id: str
    why: str


class Ledger(ABC):
    """A durable record. What `append` has returned survives a power cut. `name` is for messages."""

    # What the store's own library raises.
    failures: ClassVar[tuple[type[Exception], ...]]
    # Of these, what says nothing about the store: a wrong thread, a closed ledger.
    faults_of_callers: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, name: str, read_only: bool) -> None:
        self._name = name
        self._read_only = read_only

    @abstractmethod
    def head(self, tournament: str) -> str:
        """Return the hash of the last entry, `START` without one."""

    @abstractmethod
    def append(self, entries: Sequence[Entry], expected_head: str) -> Appended:
        """Store `entries` (of one tournament) all or none, in one commit.

        An entry whose id is stored with the same content counts as done and is left out; if all are, the
        head does not matter. The others must form a chain from `expected_head`, which must be the head.
        Raises StaleHead, StoreFailed or, for other content or entries that form no chain, LedgerError; then nothing
        has changed.
        """

    @abstractmethod
    def find(self, tournament: str, ids: Iterable[str]) -> Mapping[str, Entry]:
        """Return the stored entries among `ids`, by id."""

    @abstractmethod
    def tournaments(self) -> tuple[str, ...]:
        """Return the tournaments that have an entry, sorted."""

    @abstractmethod
    def close(self) -> None: ...

    @abstractmethod
    def _numbered(self, tournament: str, after: int) -> Iterator[tuple[int, Entry]]:
        """Yield position and entry, from the one after `after` on, in pages: no cursor stays open while the caller uses
        the ledger otherwise.
        """

    @abstractmethod
    def _damage(self, tournament: str, count: int) -> str | None:
        """Return a fault of the store beside its whole chain of `count` entries, or None."""

    def _misplaced(self, position: int, entry: Entry) -> str | None:
        """Return a fault of the place of an entry, or None."""
        return None

    def read(self, tournament: str, after: int = 0) -> Iterator[Entry]:
        """Yield the entries in order, without the first `after`."""
        for _, entry in self._numbered(tournament, after):
            yield entry

    def verify(self, tournament: str) -> Broken | None:
        """Return the first entry that breaks the chain or cannot be read, or None. Never raise for damaged data."""
        count, head = 0, START
        try:
            with self._failing_plainly():
                for position, entry in self._numbered(tournament, 0):
                    if position != count + 1:
                        return Broken(count + 1, "", "is missing")
                    if why := fault(entry, head) or self._misplaced(position, entry):
                        return Broken(position, entry.id, why)
                    count, head = position, entry.hash
                why = self._damage(tournament, count)
        except (StoreFailed, TypeError, AttributeError) as unreadable:
            why = f"cannot be read: {unreadable}"
        return Broken(count + 1, "", why) if why else None

    def _tournament_of(self, entries: Sequence[Entry]) -> str:
        """Return the tournament of entries that are to be appended."""
        if self._read_only:
            raise StoreFailed(f"{self._name}: opened read-only, nothing can be added")
        if not entries:
            raise ValueError("append needs at least one entry")
        tournament = entries[0].tournament
        for entry in entries:
            if entry.tournament != tournament:
                raise entry_error(tournament, entry.id, f"belongs to tournament {entry.tournament}")
        return tournament

    @contextmanager
    def _failing_plainly(self) -> Iterator[None]:
        try:
            yield
        except self.faults_of_callers:
            raise
        except self.failures as failure:
            raise StoreFailed(f"{self._name}: {' '.join(str(failure).split())}") from failure


def _short(head: str) -> str:
    return head[:12] or "empty"


def copy(source: Ledger, target: Ledger) -> int:
    """Add to `target` what it lacks of `source`, while other programs go on writing to it. Return the number of entries
    added.

    The copied entries are checked: raise LedgerError if the source is damaged, or if the two have diverged. Each
    tournament is copied up to some moment during the copying, always to a whole commit.
    """
    added = 0
    for tournament in source.tournaments():
        head = target.head(tournament)
        entries = source.read(tournament)
        if head != START:
            while (entry := next(entries, None)) is not None and entry.hash != head:
                target.append([entry], START)  # the target has it, or raises because it has other content
        while batch := list(islice(entries, _BATCH)):
            added += target.append(batch, head).new
            head = batch[-1].hash
    return added

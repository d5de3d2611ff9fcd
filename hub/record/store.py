"""All tournaments of the ledger, folded, and the only way to write to it.

Every entry is tried on the fold before it is stored, and the fold moves on only after the store has it.
The ledger lives in a thread of its own: the loop goes on while a disk syncs.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

from msgspec.structs import replace

from flagfall.ledger.entry import START, Entry, leaf, place, same_content
from flagfall.ledger.merkle import Tree, leaf_hash
from flagfall.ledger.store import Ledger, LedgerError, StaleHead
from hub.model.games import Game
from hub.record.codec import draft, file_entry_id, happening, result_entry_id
from hub.record.events import EntryUndone, GameFileReceived, ResultReceived
from hub.record.fold import apply, begin, fold
from hub.record.happening import Happening
from hub.record.heads import Gap, Head, broken_chain, missing
from hub.record.state import TournamentState
from hub.text import Refused, UnknownGame

_T = TypeVar("_T")
# The author of what the record holds without an operator.
OF_RECORD = "hub"
_ANOTHER_USE = "id: expected one of its own, got that of another entry"


# Returns the happenings to record, from the tournament as it is under the writing lock; raises Refused to record none.
Decide = Callable[[TournamentState], Awaitable[Sequence[Happening]]]


@dataclass(frozen=True, slots=True)
class Write:
    """A request to record one happening or several.

    `entry_id` is unique in the tournament: a repeated write is recorded once. If a question precedes the write, or the
    content depends on the tournament, `happening` is a function: it is called under the writing lock, so that nothing
    comes between its answer and the entry. Of several entries all are recorded or none; the first has the id, the
    others have it with their number.
    """

    entry_id: str
    happening: Happening | Decide
    who: str
    # Returns True if the recorded entry of this id is the requested one; used if `happening` is a function.
    same: Callable[[Happening], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class RecordedEntry:
    """An entry in the ledger."""

    entry: Entry
    # False if it was there before the write.
    new: bool


class TournamentStore:
    """The tournaments of the ledger. `opened` makes the store, and one loop uses it."""

    def __init__(self, thread: ThreadPoolExecutor, ledger: Ledger, label: Callable[[], str]) -> None:
        self._thread = thread
        self._ledger = ledger
        self._label = label
        self._states: dict[str, TournamentState] = {}
        # The state of each tournament, by id.
        self.states: Mapping[str, TournamentState] = self._states
        self._ids: dict[str, set[str]] = {}
        # By tournament, in the order of the chain: the position of each entry by its hash, from 1.
        self._hashes: dict[str, dict[str, int]] = {}
        self._trees: dict[str, Tree] = {}
        self._unreadable: dict[str, str] = {}
        # The reason in one line why a tournament cannot be used, by id.
        self.unreadable: Mapping[str, str] = self._unreadable
        self._writing = asyncio.Lock()
        # Counts the changes.
        self.version = 0
        # Returns what else the record must hold in a state, in the same commit: the keys of its devices.
        self.companions: Callable[[TournamentState], Sequence[Happening]] = lambda state: ()
        # Called after a new tournament has been stored or read.
        self.begun: Callable[[], None] = lambda: None

    @classmethod
    async def opened(cls, open_ledger: Callable[[], Ledger], label: Callable[[], str]) -> TournamentStore:
        """Read the whole ledger and return its store. Raise LedgerError if it cannot be opened.

        `label` gives the wall-clock label of a new entry. A tournament that this program is too old for, or
        whose chain is broken, is in `unreadable` and can be neither shown nor changed.
        """
        thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        try:
            ledger = await asyncio.get_running_loop().run_in_executor(thread, open_ledger)
        except BaseException:
            thread.shutdown(wait=False)
            raise
        store = cls(thread, ledger, label)
        for tournament in await store._in_thread(ledger.tournaments):
            await store._read(tournament)
        return store

    def beginning(self, tournament: str) -> str:
        """Return the hash of the chain's first entry, which no other event has."""
        return next(iter(self._hashes.get(tournament, {})), START)

    def head(self, tournament: str) -> str:
        return next(reversed(self._hashes.get(tournament, {})), START)

    def holds(self, tournament: str, entry_id: str) -> bool:
        """Return True if an entry with this id is in the ledger."""
        return entry_id in self._ids.get(tournament, ())

    def tree(self, tournament: str) -> Tree:
        """Return the Merkle tree over the entries of the chain."""
        return self._trees.get(tournament) or Tree()

    def had_head(self, tournament: str, head: str) -> bool:
        """Return True if the chain has ever ended in `head`."""
        return head in self._hashes.get(tournament, ())

    def entries_of(self, tournament: str) -> int:
        """Return the number of entries in the chain."""
        return len(self._hashes.get(tournament, ()))

    @property
    def heads(self) -> dict[str, Head]:
        """The present head of each tournament's chain."""
        return {name: Head(len(chain), self.head(name)) for name, chain in self._hashes.items()}

    def gaps(self, remembered: Mapping[str, Head]) -> tuple[Gap, ...]:
        """Return the remembered heads that a readable chain does not contain. An unreadable chain has a fault of its
        own."""
        readable = {name: head for name, head in remembered.items() if name not in self._unreadable}
        return tuple(missing(readable, self._hashes))

    async def entries(self, tournament: str) -> list[Entry]:
        """Return the whole chain, for audits and exports."""
        return await self._in_thread(lambda: list(self._ledger.read(tournament)))

    async def entry(self, tournament: str, entry_id: str) -> Entry | None:
        """Return an entry of the chain, or None if there is none with this id. Raise LedgerError if the store fails."""
        if not self.holds(tournament, entry_id):
            return None
        entries = await self._in_thread(lambda: self._ledger.find(tournament, [entry_id]))
        return entries.get(entry_id)

    async def placed(self, tournament: str, ids: Sequence[str]) -> dict[str, tuple[int, Entry]]:
        """Return the entries of the chain among `ids`, each with its position from 1. Raise LedgerError if the store
        fails."""
        entries = await self._in_thread(lambda: self._ledger.find(tournament, ids))
        positions = self._hashes.get(tournament, {})
        return {name: (positions[entry.hash], entry) for name, entry in entries.items()}

    async def message(self, tournament: str, game: Game) -> str:
        """Return the latest result of a game with its game file, or "" if none has come. Raise LedgerError if the
        store fails."""
        if game.reported is None:
            return ""
        result_id = f"{game.id}.{game.reported.revision}"
        ids = result_entry_id(result_id), file_entry_id(result_id)
        entries = await self._in_thread(lambda: self._ledger.find(tournament, ids))
        return message_with_file(*(happening(entries[name]) for name in ids if name in entries))

    async def record(self, tournament: str, writes: Sequence[Write]) -> list[RecordedEntry | Refused]:
        """Store in one commit the writes that the fold accepts, in this order and with what goes with them
        (`companions`), and return the outcome of each.

        Raise LedgerError if the store fails: then nothing has changed.
        """
        async with self._writing:
            try:
                return await self._record(tournament, writes)
            except StaleHead:
                # Another hub writes to the same store: its entries count, and the writes are tried after them.
                await self._read(tournament)
                return await self._record(tournament, writes)

    async def record_companions(self) -> None:
        """Record in every event what it lacks of what goes with it. Raise LedgerError if the store fails."""
        for tournament, state in [*self._states.items()]:
            if self.companions(state):
                await self.record(tournament, [])

    async def _record(self, tournament: str, writes: Sequence[Write]) -> list[RecordedEntry | Refused]:
        if tournament in self._unreadable:
            raise LedgerError(self._unreadable[tournament])
        state = self._states.get(tournament)
        label = self._label()
        results: list[RecordedEntry | Refused] = []
        new: dict[str, Entry] = {}
        for write in writes:
            known = new.get(write.entry_id) or await self.entry(tournament, write.entry_id)
            if known is not None:
                same = _asks_for(write, known, tournament)
                results.append(RecordedEntry(known, new=False) if same else Refused(_ANOTHER_USE))
                continue
            try:
                placed, after = await self._place(write, tournament, state, [*new.values()], label)
            except Refused as refused:
                results.append(refused)
                continue
            state = after
            new |= {entry.id: entry for entry in placed}
            results.append(RecordedEntry(placed[0], new=True))
        for companion in self.companions(state) if state is not None else ():
            number = self.entries_of(tournament) + len(new) + 1
            write = Write(f"of-record.{number}", companion, OF_RECORD)
            placed, state = await self._place(write, tournament, state, [*new.values()], label)
            new |= {entry.id: entry for entry in placed}
        if new and state is not None:
            done = await self._in_thread(lambda: self._ledger.append([*new.values()], self.head(tournament)))
            if done.new != len(new):  # another hub has stored the same entries
                raise StaleHead(tournament, self.head(tournament), done.head)
            self._keep(tournament, state, new.values())
        return results

    async def _place(
        self, write: Write, tournament: str, before: TournamentState | None, new: Sequence[Entry], label: str
    ) -> tuple[list[Entry], TournamentState | None]:
        """Return the entries of a write after those that are `new`, and the state after them. Raise Refused if an entry
        makes no sense."""
        if isinstance(write.happening, Happening):
            happenings: Sequence[Happening] = (write.happening,)
        elif before is None:
            expected = "expected one of this hub's, got {tournament!r}"
            raise UnknownGame(expected, field="tournament", tournament=tournament[:80])
        else:
            happenings = await write.happening(before)
        state, placed = before, list[Entry]()
        for number, decided in enumerate(happenings):
            entry_id = f"{write.entry_id}.{number}" if number else write.entry_id
            head = next((entry.hash for entry in reversed([*new, *placed])), self.head(tournament))
            entry = place(draft(decided, entry_id, tournament, write.who, label), head)
            placed.append(entry)
            if state is None:
                state = begin(entry)
            elif entry.type == EntryUndone.TYPE:
                state = await self._fold_with([*new, *placed])
            else:
                state = apply(state, entry)
        return placed, state

    async def close(self) -> None:
        async with self._writing:
            await self._in_thread(self._ledger.close)
        self._thread.shutdown()

    async def _fold_with(self, new: Sequence[Entry]) -> TournamentState:
        """Return the fold of the whole chain with these entries at its end."""
        return await self._in_thread(lambda: fold([*self._ledger.read(new[0].tournament), *new]))

    async def _read(self, tournament: str) -> None:
        def read() -> tuple[TournamentState, list[Entry]]:
            broken = self._ledger.verify(tournament)
            if broken is not None:
                raise Refused(broken_chain(tournament, broken))
            entries = list(self._ledger.read(tournament))
            return fold(entries), entries

        try:
            state, entries = await self._in_thread(read)
        except (Refused, LedgerError) as fault:
            self._unreadable[tournament] = str(fault)
            return
        self._ids.pop(tournament, None)
        self._hashes.pop(tournament, None)
        self._trees.pop(tournament, None)
        self._keep(tournament, state, entries)

    def _keep(self, tournament: str, state: TournamentState, new: Iterable[Entry]) -> None:
        """Keep the state after `new`, the entries that the chain has got."""
        begins = tournament not in self._states
        self._states[tournament] = state
        ids, hashes = self._ids.setdefault(tournament, set()), self._hashes.setdefault(tournament, {})
        tree = self._trees.setdefault(tournament, Tree())
        for entry in new:
            ids.add(entry.id)
            hashes[entry.hash] = len(hashes) + 1
            tree.add(leaf_hash(leaf(entry)))
        self.version += 1
        if begins:
            self.begun()

    async def _in_thread(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _asks_for(write: Write, known: Entry, tournament: str) -> bool:
    """Return True if the write is a repetition of the recorded entry with its id."""
    if isinstance(write.happening, Happening):
        drafted = draft(write.happening, write.entry_id, tournament, write.who, known.at)
        # An older hub has written the same under another version.
        return same_content(known, replace(drafted, version=known.version))
    return known.who == write.who and write.same(happening(known))


def message_with_file(*entries: Happening) -> str:
    """Return the message of a result with its game file, "" without a result. One of 0.2.0 has the file in itself."""
    message: dict[str, Any] = {}
    for kept in entries:
        if isinstance(kept, ResultReceived):
            message |= json.loads(kept.message) | {"v": 2}
            message.pop("signature", None)
        elif isinstance(kept, GameFileReceived):
            message["file"] = kept.file
    return json.dumps(message, ensure_ascii=False) if message else ""

"""The recovery of lost entries from tables: they learn how long the record is, and are asked for missing results.

A table's status names the results it keeps, each with the ledger's head in its receipt, and the longest record of its
tournament that it has heard of. After a restore from an old backup the ledger lacks some results: they are requested
until they are there. A head that the ledger never had means that entries were lost or changed, and the operator is
told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from flagfall.link.messages import RECORD_ALONE, Receipt, RecordHead, Status
from hub.record.codec import result_entry_id
from hub.record.store import TournamentStore
from hub.tables.live import Live
from hub.tables.outbound import Outbound

# Time that a table has to send a requested result.
AGAIN_NS = 5_000_000_000
# Shortest interval at which a table is told how long the record is.
GROWN_NS = 15_000_000_000
# Maximum number of requested results and warnings. Beyond it all are forgotten, and requested or logged again: a table
# that was taken over can name ever new ones. A thousand tables keep some twenty each.
MOST_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True)
class KeptResult:
    """A result that a device keeps."""

    tournament: str
    device: str
    result: str
    # The head in its receipt, "" while the device waits for one.
    head: str

    @property
    def game(self) -> str:
        return self.result.rpartition(".")[0]


@dataclass(slots=True)
class Recovery:
    """The comparison of the results that tables keep with the ledger. `compare_records` is called about once a
    second.
    """

    store: TournamentStore
    outbound: Outbound
    live: Live
    now_ns: Callable[[], int]
    _asked: dict[tuple[str, str], int] = field(default_factory=dict)
    _warned: set[tuple[str, str]] = field(default_factory=set)
    _grown: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)

    def compare_records(self) -> None:
        if len(self._asked) + len(self._warned) > MOST_REMEMBERED:
            self._asked.clear()
            self._warned.clear()
        for device, statuses in self.live.statuses.items():
            for tournament, status in statuses.items():
                if tournament in self.store.states and status.online:
                    self._tell_growth(tournament, device, status)
        for kept in self.kept_results():
            if not self.store.holds(kept.tournament, result_entry_id(kept.result)):
                self._ask_for_result(kept)
            elif kept.head and not self.store.had_head(kept.tournament, kept.head):
                lost = kept.head[:12]
                self._warn(
                    kept.device, f"{kept.result}: its receipt names the head {lost}, which the record lacks"
                )

    def kept_results(self) -> Iterator[KeptResult]:
        """Yield the results of this hub's tournaments that tables keep, by their own statuses."""
        for device, statuses in self.live.statuses.items():
            for tournament, status in statuses.items():
                if tournament in self.store.states:
                    for result, head in status.receipts.items():
                        yield KeptResult(tournament, device, result, head)

    def _ask_for_result(self, kept: KeptResult) -> None:
        state = self.store.states[kept.tournament]
        if kept.game not in state.games:
            return  # its round is lost too, which the operator is told (`hub/console/views/alerts.py`)
        asked_ns = self._asked.get((kept.device, kept.result))
        if asked_ns is not None and self.now_ns() - asked_ns < AGAIN_NS:
            return
        self._asked[(kept.device, kept.result)] = self.now_ns()
        lost = Receipt(id=kept.result, accepted=False, again=True, why="not in this ledger")
        self.outbound.send_receipt(kept.tournament, kept.device, lost)

    def _tell_growth(self, tournament: str, device: str, status: Status) -> None:
        known, head = status.record, self.store.head(tournament)
        if known is not None and not self.store.had_head(tournament, known.head):
            self._warn(
                device,
                f"{tournament}: it remembers entry {known.entries} with the head {known.head[:12]}, which the"
                " record lacks: entries are lost or changed (`flagfall-hub verify`)",
            )
        if known is not None and (known.head == head or known.entries >= self.store.entries_of(tournament)):
            return
        now_ns = self.now_ns()
        sent_ns, sent_head = self._grown.get((tournament, device), (-GROWN_NS, ""))
        if sent_head == head or now_ns - sent_ns < GROWN_NS:
            return
        self._grown[tournament, device] = now_ns, head
        record = RecordHead(tournament, self.store.entries_of(tournament), head)
        self.outbound.send_receipt(tournament, device, Receipt(id=RECORD_ALONE, accepted=True, record=record))

    def _warn(self, device: str, line: str) -> None:
        if (device, line) not in self._warned:
            self._warned.add((device, line))
            self.live.drop("receipt without entry", f"{device}: {line}")

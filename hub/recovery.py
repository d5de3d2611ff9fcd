"""A hub whose ledger is older than the tables' receipts: it asks the tables for the results that it lacks.

That happens after a restore from an old backup. A table's status names the results it keeps, each with the ledger's
head in its receipt. What the ledger lacks is asked for until it is there; a head that the ledger never had, though it
has the result, means that the ledger is not the one that gave the receipt: the operator is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from hub.book import Book
from hub.dispatch import Dispatch
from hub.live import Live
from hub.reception import entry_id
from link.messages import Receipt

AGAIN_NS = 5_000_000_000
"""How long a table is given to send what it was asked for."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A result that a device keeps, acknowledged with `head`; "" if it still waits for its receipt."""

    tournament: str
    device: str
    result: str
    head: str

    @property
    def game(self) -> str:
        return self.result.rpartition(".")[0]


@dataclass(slots=True)
class Recovery:
    """`look` compares what tables keep with what the ledger holds; to be called about once a second."""

    book: Book
    dispatch: Dispatch
    live: Live
    now_ns: Callable[[], int]
    _asked: dict[tuple[str, str], int] = field(default_factory=dict)
    _told: set[Kept] = field(default_factory=set)

    def look(self) -> None:
        for kept in self.kept():
            if not self.book.holds(kept.tournament, entry_id(kept.result)):
                self._ask(kept)
            elif kept.head and not self.book.had_head(kept.tournament, kept.head):
                self._tell(kept, "its receipt is from another ledger")

    def kept(self) -> Iterator[Kept]:
        """What tables keep of this hub's tournaments, by their own word."""
        for device, statuses in self.live.statuses.items():
            for tournament, status in statuses.items():
                if tournament in self.book.states:
                    for result, head in status.receipts.items():
                        yield Kept(tournament, device, result, head)

    def _ask(self, kept: Kept) -> None:
        state = self.book.states[kept.tournament]
        if kept.game not in state.games:
            # Its round is lost too: published again, it gets the same game ids if it is paired as before.
            self._tell(kept, "its game is not in this ledger: publish its round again")
            return
        asked_ns = self._asked.get((kept.device, kept.result))
        if asked_ns is not None and self.now_ns() - asked_ns < AGAIN_NS:
            return
        self._asked[(kept.device, kept.result)] = self.now_ns()
        lost = Receipt(id=kept.result, accepted=False, again=True, why="not in this ledger")
        self.dispatch.receipt(kept.tournament, kept.device, lost)

    def _tell(self, kept: Kept, what: str) -> None:
        if kept not in self._told:
            self._told.add(kept)
            self.live.drop("receipt without entry", f"result {kept.result} of {kept.device}: {what}")

"""What every command of an operator writes with: the record, the tables that hear of it, the pairing, ids."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from hub.record.state import TournamentState
from hub.record.store import TournamentStore
from hub.rounds.paired import Pair
from hub.tables.devices import Devices
from hub.tables.outbound import Outbound
from hub.text import UnknownGame
from ledger.store import LedgerError


@dataclass(frozen=True)
class Writer:
    """`fresh_id` makes ids for commands without one, `changed` is called after each command that was done."""

    store: TournamentStore
    devices: Devices
    outbound: Outbound
    pair: Pair
    fresh_id: Callable[[], str]
    changed: Callable[[], None]
    publishing: asyncio.Lock = field(default_factory=asyncio.Lock)

    def state(self, tournament: str) -> TournamentState:
        """UnknownGame if there is no such tournament, LedgerError if this program cannot read it."""
        if tournament in self.store.unreadable:
            raise LedgerError(self.store.unreadable[tournament])
        found = self.store.states.get(tournament)
        if found is None:
            raise UnknownGame(
                "expected one of this hub's, got {tournament!r}",
                field="tournament",
                tournament=tournament[:80],
            )
        return found

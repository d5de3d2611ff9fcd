"""The record of the players' choices at a table: colours and draw-win.

A choice is recorded before any result of its game, because the result repeats it. It comes with a status. If the store
does not take it, it is tried again with the next batch of messages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from flagfall.ledger.store import LedgerError
from flagfall.link.messages import ColourChosen
from flagfall.link.topics import Topic
from hub.record.events import ColoursChosen
from hub.record.store import TournamentStore, Write
from hub.tables.devices import Devices
from hub.tables.live import Live
from hub.tables.outbound import Outbound
from hub.text import Refused


@dataclass(frozen=True, slots=True)
class ReportedChoice:
    """A choice, with the topic of the status that reported it."""

    topic: Topic
    choice: ColourChosen


@dataclass(slots=True)
class Choices:
    """The choices that wait to be recorded."""

    store: TournamentStore
    devices: Devices
    live: Live
    outbound: Outbound
    # Takes a level and a line.
    log: Callable[[str, str], None]
    # Takes a kind of useless message and a line.
    drop: Callable[[str, str], None]
    _waiting: dict[str, ReportedChoice] = field(default_factory=dict)

    async def take(self, chosen: ReportedChoice) -> None:
        self._waiting[chosen.topic.device] = chosen
        await self.record()

    async def record(self) -> None:
        """Record the waiting choices."""
        for device, chosen in list(self._waiting.items()):
            try:
                await self._record(chosen)
            except LedgerError as fault:
                self.log("error", f"choice not recorded why={str(fault)!r}")
            else:
                del self._waiting[device]

    async def _record(self, chosen: ReportedChoice) -> None:
        topic, choice = chosen.topic, chosen.choice
        state = self.store.states.get(topic.tournament or "")
        record = state.games.get(choice.game) if state is not None else None
        if state is None or record is None:
            self.drop("choice put aside", f"{topic}: expected one of a game of this tournament")
            return
        if record.device != topic.device or record.final is None or self.devices.key(topic.device) is None:
            return
        if not record.final.awaits_choice:
            # Known already, or decided otherwise by the director: the table does not know it yet.
            self.outbound.send_assignment(topic.device)
            return
        seq = self.devices.reserve_seq(above=state.seq)
        happening = ColoursChosen(game=choice.game, black=choice.black, draw_win=choice.draw_win, seq=seq)
        write = Write(f"choice.{choice.game}", happening, topic.device)
        (outcome,) = await self.store.record(state.id, [write])
        if isinstance(outcome, Refused):
            self.drop("choice put aside", f"{topic}: {outcome}")
            return
        self.log("info", f"colours chosen game={choice.game} black={choice.black}")
        self.outbound.send_assignment(topic.device)
        self.live.changed()

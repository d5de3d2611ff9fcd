"""The operator's commands of the whole hub: an event is made, a device enrolled; and the way to those of one event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hub.formats.event_size import check_counts
from hub.record.codec import happening
from hub.record.events import TournamentCreated
from hub.record.state import TournamentState, seated
from hub.rounds.event_operations import EventOperations
from hub.rounds.writer import Writer
from hub.text import Refused
from link.identity import Identity
from link.topics import ID_EXPECTED, is_id


@dataclass(frozen=True)
class Operations(Writer):
    """`who` of each command is the operator's name. Every command is recorded or raises `Refused` with one line."""

    creating: asyncio.Lock = field(default_factory=asyncio.Lock)

    def of(self, tournament: str, who: str) -> EventOperations:
        """The commands at one event; errors as in `state`."""
        return EventOperations(self, self.state(tournament).id, who)

    async def enroll(
        self,
        device: str,
        seat: int | None,
        who: str,
        *,
        again: bool = False,
        judge_pin: str = "",
        director_pin: str = "",
    ) -> Identity:
        """Enrols a device and gives it its seat in every open tournament. The identity is returned this once; PINs as
        in `Devices.enroll`."""
        identity = self.devices.enroll(device, seat, again, judge_pin, director_pin)
        states = self.store.states.values()
        open_ = [state for state in states if not (state.closed or state.away)]
        if seat is not None and open_:
            latest = max(open_, key=lambda state: state.seq)
            home = seated(states).get(device, latest)
            if home.seats.get(seat) != device:
                await self.of(home.id, who).seat(seat, device)
        return identity

    async def create(
        self,
        tournament: str | Callable[[], str],
        file: Mapping[str, Any],
        who: str,
        take_devices: bool = False,
    ) -> TournamentState:
        """A tournament from a `flagfall-tournament/1` object; the enrolled devices take their seats. Those at another
        open event stay there unless `take_devices`. `tournament` may be a function that gives a free id: then an
        event that was made of the same object, and has not gone on since, is not made a second time."""
        async with self.creating:
            if callable(tournament) and (made := await self._made_of(file)) is not None:
                return made
            name = tournament() if callable(tournament) else tournament
            return await self._create(name, file, who, take_devices)

    async def _made_of(self, file: Mapping[str, Any]) -> TournamentState | None:
        """The event of this object, whatever the seed of its lots, that still stands as it was made."""
        for state in self.store.states.values():
            if state.away or state.closed or state.round != len(file.get("rounds", ())):
                continue
            entry = await self.store.entry(state.id, "created")
            created = happening(entry) if entry is not None else None
            if isinstance(created, TournamentCreated) and {**created.file, "seed": 0} == {**file, "seed": 0}:
                return state
        return None

    async def _create(
        self, tournament: str, file: Mapping[str, Any], who: str, take_devices: bool
    ) -> TournamentState:
        if not is_id(tournament):
            raise Refused(
                "expected {id_expected}, got {tournament!r}",
                field="tournament",
                id_expected=ID_EXPECTED,
                tournament=tournament[:80],
            )
        check_counts(file)
        if tournament in self.store.states:
            first = happening((await self.store.entries(tournament))[0])
            if isinstance(first, TournamentCreated) and first.file == file:
                return self.state(tournament)
            raise Refused(
                "expected an id of its own, got {tournament!r} again",
                field="tournament",
                tournament=tournament,
            )
        seats = self.devices.seats
        if take_devices:
            for state in list(self.store.states.values()):
                if not state.away:
                    await self.of(state.id, who).leave_seats(seats.values())
        elsewhere = seated(self.store.states.values())
        free = {seat: device for seat, device in seats.items() if device not in elsewhere}
        created = TournamentCreated(file=dict(file), seats=free, seq=self.devices.reserve_seq())
        return await EventOperations(self, tournament, who).record(created, "created")

"""The operator's commands at one event, each one entry of its ledger; API and console call them.

Every command is recorded or raises `Refused` with one line. A command may carry an id of the caller: repeated with the
same content it is done once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from hub.entries.check import late_entry_fault
from hub.entries.conditions import check_conditions
from hub.ranking.matches import MatchKey
from hub.record import events
from hub.record.codec import happening
from hub.record.corrections import AnyChange, check_score
from hub.record.events import Conditions
from hub.record.fold import undone
from hub.record.state import GameRecord, TournamentState, seated
from hub.record.store import Command, RecordedEntry
from hub.rounds.paired import Paired
from hub.rounds.publish import (
    FinalChoice,
    expect_all_scored,
    expect_undisputed,
    finals_publication,
    publication,
    suffix_of,
    walkover,
)
from hub.text import Refused, UnknownGame
from othello.gamefile import GameFileError, parse_input
from othello.reason import Reason

if TYPE_CHECKING:
    from hub.rounds.operations import Operations

START_LIFETIME_S = 600
_LONGEST_LIFETIME_S = 86_400


@dataclass(frozen=True)
class EventOperations:
    """The commands of `who`, an operator's name, at the event `id`; each returns the event after it."""

    hub: Operations
    id: str
    who: str

    @property
    def state(self) -> TournamentState:
        """The event as it is now; errors as in `Operations.state`."""
        return self.hub.state(self.id)

    def game(self, game: str) -> GameRecord:
        found = self.state.games.get(game)
        if found is None:
            raise UnknownGame("game: expected one of the tournament's, got {game!r}", game=game[:80])
        return found

    async def record(self, what: events.Happening, command_id: str | None = None) -> TournamentState:
        """Records one entry as it is, if the fold alone can judge it. Refused if it makes no sense."""
        check_conditions(what)
        return await self._record([Command(command_id or self.hub.fresh_id(), what, self.who)])

    async def publish(
        self, round_: int | None = None, conditions: Conditions | None = None, paired: Paired | None = None
    ) -> TournamentState:
        """Pairs the next round and publishes it to the tables. A `round_` that is published already stays. `paired`:
        the round as the director has drafted it."""
        async with self.hub.publishing:
            before = self.state
            if round_ is not None and round_ <= before.round:
                return before
            if round_ not in (None, before.round + 1):
                raise Refused("round: expected {round}, got {round2}", round=before.round + 1, round2=round_)
            expect_all_scored(before)
            if paired is None:
                paired = await self.hub.pair(before.tournament)
            state = self.state
            if state.tournament != before.tournament:
                raise Refused("the tournament changed while the round was paired: pair again")
            entries = await self.hub.store.entries(self.id)
            return await self.record(
                publication(state, entries, paired, conditions or Conditions(), self._next_seq())
            )

    async def start(self) -> TournamentState:
        """The director's signal to all tables that wait for it, and to a spare that comes later."""
        state = self.state
        waiting = tuple(game.game for game in state.not_started)
        if not waiting:
            if state.round in state.started:
                return state
            raise Refused("round: expected a published round with games to start, got none")
        name = f"start-{state.round}-{suffix_of(self.hub.store.head(self.id), state.round)}"
        return await self.record(
            events.RulingSent(ruling=name, rule="start", games=waiting, lifetime_s=START_LIFETIME_S)
        )

    async def rule(
        self,
        rule: str,
        games: Sequence[str],
        fields: Mapping[str, Any],
        lifetime_s: int = 60,
        command_id: str | None = None,
    ) -> TournamentState:
        """A ruling for the tables of these games, in the game file's words."""
        if not games:
            raise Refused("games: expected one at least, got none")
        for game in games:
            self.game(game)
        if not 1 <= lifetime_s <= _LONGEST_LIFETIME_S:
            raise Refused(
                "lifetime_s: expected 1 to {longest_lifetime_s}, got {lifetime_s}",
                longest_lifetime_s=_LONGEST_LIFETIME_S,
                lifetime_s=lifetime_s,
            )
        try:
            parse_input({**fields, "type": "ruling", "at_ns": 0, "rule": rule})
        except GameFileError as fault:
            raise Refused(str(fault)) from None
        command_id = command_id or self.hub.fresh_id()
        sent = events.RulingSent(
            ruling=f"ruling-{command_id}"[:120],
            rule=rule,
            games=tuple(games),
            fields=dict(fields),
            lifetime_s=lifetime_s,
        )
        self.hub.outbound.begin_ruling(sent.ruling)
        return await self.record(sent, command_id)

    async def publish_finals(
        self,
        games: Sequence[FinalChoice],
        broadcast: bool = False,
        increment_s: float = 0,
        delay_s: float = 0,
    ) -> TournamentState:
        """Publishes games of playoffs or finals that are due to their tables, with the seconds for each move."""
        async with self.hub.publishing:
            state = self.state
            expect_undisputed(state)
            entries = await self.hub.store.entries(self.id)
            due = finals_publication(state, entries, games, self._next_seq())
            return await self.record(
                msgspec.structs.replace(due, broadcast=broadcast, increment_s=increment_s, delay_s=delay_s)
            )

    async def walk_over(self, match: MatchKey) -> TournamentState:
        """Settles a match with a withdrawn player: its next game is forfeited, in one commit."""
        async with self.hub.publishing:
            seq = self._next_seq()
            name = f"walkover-{seq}-{suffix_of(self.hub.store.head(self.id), *match[:2])}"
            game, score = walkover(self.state, match, name)
            published = events.FinalsPublished(games=(game,), seq=seq, judged=False, sensors=False)
            entered = events.ResultEntered(game=name, score=score, reason="forfeit")
            return await self._record(
                [Command(self.hub.fresh_id(), what, self.who) for what in (published, entered)]
            )

    async def enter_result(
        self, game: str, score: tuple[int, int], reason: str, command_id: str | None = None
    ) -> TournamentState:
        """A score typed in: it counts if there is none, confirms the table's, or conflicts with it."""
        self._check_score(game, score, reason)
        return await self.record(events.ResultEntered(game=game, score=score, reason=reason), command_id)

    async def resolve(self, game: str, score: tuple[int, int], reason: str, why: str) -> TournamentState:
        """The score that stands in a conflict between table and operator."""
        self._check_score(game, score, reason)
        return await self.record(events.ConflictResolved(game=game, score=score, reason=reason, why=why))

    async def correct(self, change: AnyChange, why: str, id: str | None = None) -> TournamentState:
        """Changes a paired round, with a reason; later rounds keep their pairings."""
        reason = getattr(change, "reason", Reason.BOARD)
        if reason not in tuple(Reason):
            raise Refused(
                "{field}: expected one of {choices}, got {said}",
                field="reason",
                choices=", ".join(Reason),
                said=reason[:40],
            )
        seq = self._next_seq()
        if id is not None and (entry := await self.hub.store.entry(self.id, id)):
            # A repeated request gets the seq of the first one, which makes its content the same.
            known = happening(entry)
            seq = known.seq if isinstance(known, events.CorrectionMade) else seq
        return await self.record(events.CorrectionMade(change=change, why=why, seq=seq), id)

    async def withdraw(
        self, player: str, after_round: int | None = None, expelled: bool = False, why: str | None = None
    ) -> TournamentState:
        """This player is not paired from the next round on; by default after the last published round. `expelled`: by
        the director, for the reason `why`."""
        last = self.state.round if after_round is None else after_round
        return await self.record(
            events.PlayerWithdrawn(player=player, after_round=last, expelled=expelled, why=why or "")
        )

    async def absent(
        self, player: str, round: int | None = None, half_point: bool = False
    ) -> TournamentState:
        """This player misses one round, by default the next."""
        missed = self.state.round + 1 if round is None else round
        return await self.record(events.PlayerAbsent(player=player, round=missed, half_point=half_point))

    async def change(self, fields: Mapping[str, Any]) -> TournamentState:
        """Changes fields of the event (`hub.record.events.CHANGEABLE`); present games are sent to their tables
        again."""
        return await self.record(events.EventChanged(fields=dict(fields), seq=self._next_seq()))

    async def put_away(self, away: bool) -> TournamentState:
        """Hides the event from everybody but the console; `away` False shows it again."""
        if not away:
            await self.leave_seats(seated(self.hub.store.states.values(), self.id))
        return await self.record(events.EventPutAway(away=away, seq=self._next_seq()))

    async def add_player(self, player: Mapping[str, Any]) -> TournamentState:
        """A late entrant, from the next round on unless `from_round` is later.

        If the text closes entries with the first round, `admitted_because` must give the director's reason.
        """
        state = self.state
        fault = late_entry_fault(state.tournament, player, state.round)
        if fault is not None:
            raise Refused(fault)
        late = dict(player) if state.round == 0 else {"from_round": state.round + 1, **player}
        return await self.record(events.PlayerAdded(player=late))

    async def seat(self, seat: int, device: str | None) -> TournamentState:
        """Gives a seat to another device, with the seat's present game."""
        if device is not None:
            if self.hub.devices.key(device) is None:
                raise Refused("device: expected an enrolled one, got {device!r}", device=device[:80])
            for other in list(self.hub.store.states.values()):
                if other.id != self.id and not other.away:
                    await replace(self, id=other.id).leave_seats((device,))
        return await self.record(events.SeatAssigned(seat=seat, device=device, seq=self._next_seq()))

    async def leave_seats(self, devices: Collection[str]) -> None:
        """Where an event is open, or comes back, these devices sit here no longer: each is at one event."""
        for seat, device in self.state.seats.items():
            if device in devices and not self.state.closed:
                await self.record(events.SeatAssigned(seat=seat, device=None, seq=self._next_seq()))

    async def undo(self, entry: str | None = None) -> TournamentState:
        """Undoes one entry, by default the last one that can be undone."""
        entries = await self.hub.store.entries(self.id)
        gone = undone(entries)
        can = [one.id for one in entries if one.type in events.UNDOABLE and one.id not in gone]
        if not can or (entry is not None and entry not in can):
            got = "none" if entry is None else repr(entry[:80])
            raise Refused("entry: expected one that can be taken back, got {got}", got=got)
        chosen = can[-1] if entry is None else entry
        try:
            return await self.record(events.EntryUndone(entry=chosen, seq=self._next_seq()))
        except Refused as fault:
            raise Refused(
                "entry: {chosen} cannot be taken back, later entries build on it ({fault})",
                chosen=chosen,
                fault=fault.line,
            ) from None

    async def show(
        self, starts_at: str | None = None, boards: tuple[int, ...] | None = None, delay_s: int | None = None
    ) -> TournamentState:
        """Sets what the projector and the outside mirror show (`hub.record.events.ShowingSet`)."""
        return await self.record(events.ShowingSet(starts_at=starts_at, boards=boards, delay_s=delay_s or 0))

    async def close(self) -> TournamentState:
        expect_undisputed(self.state)
        return await self.record(events.TournamentClosed())

    def _next_seq(self) -> int:
        return self.hub.devices.reserve_seq(above=self.state.seq)

    def _check_score(self, game: str, score: tuple[int, int], reason: str) -> None:
        self.game(game)
        check_score(self.state.tournament, score, reason)

    async def _record(self, commands: Sequence[Command]) -> TournamentState:
        for outcome in await self.hub.store.record(self.id, commands):
            if not isinstance(outcome, RecordedEntry):
                raise outcome
        self.hub.outbound.send_assignments()
        self.hub.changed()
        return self.state

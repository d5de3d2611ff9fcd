"""The operator's commands at one event, each one entry of its ledger; API and console call them.

Every command is recorded or raises `Refused` with one line. A command may carry an id of the caller: repeated with the
same content it is done once.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import msgspec

from hub.entries.check import late_entry_fault
from hub.entries.conditions import check_conditions
from hub.formats.event_size import check_counts, check_number, check_player
from hub.model.games import Conditions, Game
from hub.ranking.matches import MatchKey
from hub.record import events
from hub.record.corrections import AnyChange, check_score
from hub.record.fold import undone
from hub.record.state import TournamentState, seated
from hub.record.store import RecordedEntry, Write
from hub.rounds.paired import Paired
from hub.rounds.publish import (
    FinalChoice,
    added_game,
    expect_all_scored,
    expect_undisputed,
    finals_publication,
    publication,
    suffix_of,
    walkover,
)
from hub.rounds.questions import (
    AlreadyDone,
    Ask,
    Replaces,
    expect_no_other_score,
    expect_open_conflict,
    nothing_asked,
    replaces_nothing,
)
from hub.rounds.writer import Writer
from hub.text import Refused, UnknownGame, refused
from othello.errors import Invalid
from othello.gamefile import parse_input
from othello.reason import Reason

START_LIFETIME_S = 600
_LONGEST_LIFETIME_S = 86_400


@dataclass(frozen=True)
class EventOperations:
    """The commands of `who`, an operator's name, at the event `id`; each returns the event after it.

    Whatever a command asks of the event, it asks under the writing lock: two commands at one moment never both pass.
    `ask` is what the caller asks there too.
    """

    hub: Writer
    id: str
    who: str

    @property
    def state(self) -> TournamentState:
        """The event as it is now; errors as in `Writer.state`."""
        return self.hub.state(self.id)

    def game(self, game: str) -> Game:
        found = self.state.games.get(game)
        if found is None:
            raise _unknown_game(game)
        return found

    async def record(
        self,
        what: events.Happening | Callable[[TournamentState], events.Happening | Awaitable[events.Happening]],
        command_id: str | None = None,
        ask: Ask = nothing_asked,
        same: Callable[[events.Happening], bool] | None = None,
    ) -> TournamentState:
        """Records one entry; `what` may be made from the event as it is then. Refused if it makes no sense."""
        return await self._record([self._command(what, command_id, ask, same)])

    def _command(
        self,
        what: events.Happening | Callable[[TournamentState], events.Happening | Awaitable[events.Happening]],
        command_id: str | None = None,
        ask: Ask = nothing_asked,
        same: Callable[[events.Happening], bool] | None = None,
    ) -> Write:
        entry_id = command_id or self.hub.fresh_id()
        if isinstance(what, events.Happening):
            check_conditions(what)
            _check_growth(self.hub.store.states.get(self.id), what)
            if ask is nothing_asked:
                return Write(entry_id, what, self.who)

        async def decide(state: TournamentState) -> Sequence[events.Happening]:
            ask(state)
            made = what if isinstance(what, events.Happening) else what(state)
            happening = made if isinstance(made, events.Happening) else await made
            check_conditions(happening)
            _check_growth(state, happening)
            return (happening,)

        def asks_for(known: events.Happening) -> bool:
            return known == what if isinstance(what, events.Happening) else same is None or same(known)

        return Write(entry_id, decide, self.who, asks_for)

    async def publish(
        self,
        round_: int | None = None,
        conditions: Conditions | None = None,
        drafted: Callable[[TournamentState], Paired] | None = None,
    ) -> TournamentState:
        """Pairs the next round and publishes it to the tables. A `round_` that is published already stays. `drafted`:
        the round as the director has drafted it, Refused if that draft does not fit the event any more."""
        async with self.hub.publishing:
            before = self.state
            if round_ is not None and round_ <= before.round:
                return before
            if round_ not in (None, before.round + 1):
                raise Refused(
                    "expected {round}, got {round2}", field="round", round=before.round + 1, round2=round_
                )
            if drafted is not None:
                drafted(before)
            expect_all_scored(before)
            paired = await self.hub.pair(before.tournament) if drafted is None else None

            async def decide(state: TournamentState) -> events.Happening:
                if drafted is None and state.tournament != before.tournament:
                    raise Refused("the tournament changed while the round was paired: pair again")
                entries = await self.hub.store.entries(self.id)
                round_now = drafted(state) if drafted is not None else paired
                assert round_now is not None
                expect_all_scored(state)
                return publication(
                    state, entries, round_now, conditions or Conditions(), self._next_seq(state)
                )

            return await self.record(decide)

    async def add_game(self, black: str, white: str, table: int, ask: Ask = nothing_asked) -> TournamentState:
        """One more game of the round at the tables, of two players who have none in it."""

        async def decide(state: TournamentState) -> events.Happening:
            entries = await self.hub.store.entries(self.id)
            return added_game(state, entries, (black, white), table, self._next_seq(state))

        return await self.record(decide, ask=ask)

    async def start(self, ask: Ask = nothing_asked) -> TournamentState:
        """The director's signal to all tables that wait for it, and to a spare that comes later."""

        def decide(state: TournamentState) -> events.Happening:
            waiting = tuple(game.id for game in state.not_started)
            if not waiting:
                fault = AlreadyDone if state.round in state.started else Refused
                raise fault("expected a published round with games to start, got none", field="round")
            name = f"start-{state.round}-{suffix_of(self.hub.store.head(self.id), state.round)}"
            return events.RulingSent(ruling=name, rule="start", games=waiting, lifetime_s=START_LIFETIME_S)

        try:
            return await self.record(decide, ask=ask)
        except AlreadyDone:
            return self.state

    async def rule(
        self,
        rule: str,
        games: Sequence[str] | Callable[[TournamentState], Sequence[str]],
        fields: Mapping[str, Any],
        lifetime_s: int = 60,
        command_id: str | None = None,
    ) -> TournamentState:
        """A ruling for the tables of these games, in the game file's words."""
        if not 1 <= lifetime_s <= _LONGEST_LIFETIME_S:
            raise Refused(
                "expected 1 to {longest_lifetime_s}, got {lifetime_s}",
                field="lifetime_s",
                longest_lifetime_s=_LONGEST_LIFETIME_S,
                lifetime_s=lifetime_s,
            )
        try:
            parse_input({**fields, "type": "ruling", "at_ns": 0, "rule": rule})
        except Invalid as fault:
            raise refused(fault) from None
        command_id = command_id or self.hub.fresh_id()
        name = f"ruling-{command_id}"[:120]

        def sent(to: Sequence[str]) -> events.RulingSent:
            return events.RulingSent(
                ruling=name, rule=rule, games=tuple(to), fields=dict(fields), lifetime_s=lifetime_s
            )

        def decide(state: TournamentState) -> events.Happening:
            chosen = games(state) if callable(games) else games
            if not chosen:
                raise Refused("expected one at least, got none", field="games")
            for game in chosen:
                if game not in state.games:
                    raise _unknown_game(game)
            self.hub.outbound.begin_ruling(name)
            return sent(chosen)

        return await self.record(
            decide, command_id, same=lambda known: callable(games) or known == sent(games)
        )

    async def publish_finals(
        self,
        games: Sequence[FinalChoice],
        broadcast: bool = False,
        increment_s: float = 0,
        delay_s: float = 0,
    ) -> TournamentState:
        """Publishes games of playoffs or finals that are due to their tables, with the seconds for each move."""
        async with self.hub.publishing:

            async def decide(state: TournamentState) -> events.Happening:
                expect_undisputed(state)
                entries = await self.hub.store.entries(self.id)
                due = finals_publication(state, entries, games, self._next_seq(state))
                return msgspec.structs.replace(
                    due, broadcast=broadcast, increment_s=increment_s, delay_s=delay_s
                )

            return await self.record(decide)

    async def walk_over(self, match: MatchKey) -> TournamentState:
        """Settles a match with a withdrawn player: its next game is forfeited, in one commit."""
        settled: list[tuple[str, tuple[int, int]]] = []

        def publish(state: TournamentState) -> events.Happening:
            settled.clear()
            seq = self._next_seq(state)
            name = f"walkover-{seq}-{suffix_of(self.hub.store.head(self.id), *match[:2])}"
            game, score = walkover(state, match, name)
            settled.append((name, score))
            return events.FinalsPublished(games=(game,), seq=seq, judged=False, sensors=False)

        def forfeit(state: TournamentState) -> events.Happening:
            if not settled or settled[0][0] not in state.games:
                raise Refused("expected one that is due, with a player who has withdrawn", field="match")
            name, score = settled[0]
            return events.ResultEntered(game=name, score=score, reason="forfeit")

        async with self.hub.publishing:
            return await self._record([self._command(publish), self._command(forfeit)])

    async def enter_result(
        self,
        game: str,
        score: tuple[int, int],
        reason: str,
        command_id: str | None = None,
        *,
        replaces: Replaces = replaces_nothing,
        ask: Ask = nothing_asked,
    ) -> TournamentState:
        """A score typed in: it counts if there is none, confirms the table's, or conflicts with it. Asks where a person
        has recorded another one, unless it `replaces` that."""
        typed = events.ResultEntered(game=game, score=score, reason=reason)

        def decide(state: TournamentState) -> events.Happening:
            expect_no_other_score(_checked_game(state, game, score, reason), typed, replaces)
            return typed

        return await self.record(decide, command_id, ask, same=lambda known: known == typed)

    async def resolve(
        self,
        game: str,
        score: tuple[int, int],
        reason: str,
        why: str,
        *,
        replaces: Replaces = replaces_nothing,
        ask: Ask = nothing_asked,
    ) -> TournamentState:
        """The score that stands in a conflict between table and operator. Asks where somebody has decided otherwise,
        unless it `replaces` that decision."""

        def decide(state: TournamentState) -> events.Happening:
            expect_open_conflict(_checked_game(state, game, score, reason), score, reason, replaces)
            return events.ConflictResolved(game=game, score=score, reason=reason, why=why)

        try:
            return await self.record(decide, ask=ask)
        except AlreadyDone:
            return self.state

    async def correct(
        self, change: AnyChange, why: str, id: str | None = None, ask: Ask = nothing_asked
    ) -> TournamentState:
        """Changes a paired round, with a reason; later rounds keep their pairings."""
        reason = getattr(change, "reason", Reason.BOARD)
        if reason not in tuple(Reason):
            raise Refused(
                "expected one of {choices}, got {said}",
                field="reason",
                choices=", ".join(Reason),
                said=reason[:40],
            )
        made = events.CorrectionMade(change=change, why=why, seq=0)

        def decide(state: TournamentState) -> events.Happening:
            return msgspec.structs.replace(made, seq=self._next_seq(state))

        def same(known: events.Happening) -> bool:
            return isinstance(known, events.CorrectionMade) and msgspec.structs.replace(known, seq=0) == made

        return await self.record(decide, id, ask, same)

    async def withdraw(
        self, player: str, after_round: int | None = None, expelled: bool = False, why: str | None = None
    ) -> TournamentState:
        """This player is not paired from the next round on; by default after the last published round. `expelled`: by
        the director, for the reason `why`."""
        return await self.record(
            lambda state: events.PlayerWithdrawn(
                player=player,
                after_round=state.round if after_round is None else after_round,
                expelled=expelled,
                why=why or "",
            )
        )

    async def absent(
        self, player: str, round: int | None = None, half_point: bool = False
    ) -> TournamentState:
        """This player misses one round, by default the next as it is now: refused if that is published meanwhile."""
        missed = self.state.round + 1 if round is None else round
        return await self.record(events.PlayerAbsent(player=player, round=missed, half_point=half_point))

    async def change(
        self, fields: Mapping[str, Any] | Callable[[TournamentState], Mapping[str, Any]]
    ) -> TournamentState:
        """Changes fields of the event (`hub.record.events.CHANGEABLE`); present games are sent to their tables
        again."""
        return await self.record(
            lambda state: events.EventChanged(
                fields=dict(fields(state) if callable(fields) else fields), seq=self._next_seq(state)
            )
        )

    async def put_away(self, away: bool) -> TournamentState:
        """Hides the event from everybody but the console; `away` False shows it again."""
        if not away:
            await self.leave_seats(seated(self.hub.store.states.values(), self.id))
        return await self.record(lambda state: events.EventPutAway(away=away, seq=self._next_seq(state)))

    async def add_player(
        self,
        player: Mapping[str, Any] | Callable[[TournamentState], Mapping[str, Any]],
        command_id: str | None = None,
    ) -> TournamentState:
        """A late entrant, from the next round on unless `from_round` is later.

        If the text closes entries with the first round, `admitted_because` must give the director's reason.
        """

        def decide(state: TournamentState) -> events.Happening:
            entrant = player(state) if callable(player) else player
            fault = late_entry_fault(state.tournament, entrant, state.round)
            if fault is not None:
                raise Refused(fault)
            late = dict(entrant) if state.round == 0 else {"from_round": state.round + 1, **entrant}
            return events.PlayerAdded(player=late)

        return await self.record(decide, command_id)

    async def seat(self, seat: int, device: str | None, ask: Ask = nothing_asked) -> TournamentState:
        """Gives a seat to another device, with the seat's present game."""
        if device is not None:
            if self.hub.devices.key(device) is None:
                raise Refused("expected an enrolled one, got {device!r}", field="device", device=device[:80])
            ask(self.state)
            for other in list(self.hub.store.states.values()):
                if other.id != self.id and not other.away:
                    await replace(self, id=other.id).leave_seats((device,))
        return await self.record(
            lambda state: events.SeatAssigned(seat=seat, device=device, seq=self._next_seq(state)), ask=ask
        )

    async def leave_seats(self, devices: Collection[str]) -> None:
        """Where an event is open, or comes back, these devices sit here no longer: each is at one event."""
        for seat, device in self.state.seats.items():
            if device in devices and not self.state.closed:
                with contextlib.suppress(AlreadyDone):
                    await self.record(partial(self._emptied, seat, device))

    def _emptied(self, seat: int, device: str, state: TournamentState) -> events.Happening:
        if state.seats.get(seat) != device:
            raise AlreadyDone("expected that of {device}", field="seat", device=device)
        return events.SeatAssigned(seat=seat, device=None, seq=self._next_seq(state))

    async def undo(self, entry: str | None = None, ask: Ask = nothing_asked) -> TournamentState:
        """Undoes one entry, by default the last one that can be undone."""
        chosen: list[str] = []

        async def decide(state: TournamentState) -> events.Happening:
            entries = await self.hub.store.entries(self.id)
            gone = undone(entries)
            can = [one.id for one in entries if one.type in events.UNDOABLE and one.id not in gone]
            if not can or (entry is not None and entry not in can):
                got = "none" if entry is None else repr(entry[:80])
                raise Refused("expected one that can be taken back, got {got}", field="entry", got=got)
            chosen[:] = [can[-1] if entry is None else entry]
            return events.EntryUndone(entry=chosen[0], seq=self._next_seq(state))

        try:
            return await self.record(decide, ask=ask)
        except Refused as fault:
            if not chosen:
                raise
            raise Refused(
                "{chosen} cannot be taken back, later entries build on it ({fault})",
                field="entry",
                chosen=chosen[0],
                fault=fault.message,
            ) from None

    async def show(
        self,
        starts_at: str | None = None,
        boards: tuple[int, ...] | None = None,
        delay_s: int | None = None,
        ask: Ask = nothing_asked,
    ) -> TournamentState:
        """Sets what the projector and the outside mirror show (`hub.record.events.ShowingSet`)."""
        showing = events.ShowingSet(starts_at=starts_at, boards=boards, delay_s=delay_s or 0)
        return await self.record(showing, ask=ask)

    async def close(self) -> TournamentState:
        def decide(state: TournamentState) -> events.Happening:
            if state.closed:
                raise AlreadyDone("expected an open one, got one that is closed", field="tournament")
            expect_undisputed(state)
            return events.TournamentClosed()

        try:
            return await self.record(decide)
        except AlreadyDone:
            return self.state

    def _next_seq(self, state: TournamentState) -> int:
        return self.hub.devices.reserve_seq(above=state.seq)

    async def _record(self, commands: Sequence[Write]) -> TournamentState:
        for outcome in await self.hub.store.record(self.id, commands):
            if not isinstance(outcome, RecordedEntry):
                raise outcome
        self.hub.outbound.send_assignments()
        self.hub.changed()
        return self.state


def _unknown_game(game: str) -> UnknownGame:
    return UnknownGame("expected one of the tournament's, got {game!r}", field="game", game=game[:80])


def _checked_game(state: TournamentState, game: str, score: tuple[int, int], reason: str) -> Game:
    """The game. UnknownGame if there is none, Refused where the rulebook cannot give it this score."""
    record = state.games.get(game)
    if record is None:
        raise _unknown_game(game)
    check_score(state.tournament, score, reason)
    return record


def _check_growth(state: TournamentState | None, happening: events.Happening) -> None:
    """Raise FormatError for an entry after which the event would have more of something than a hub takes.

    `state` is the event as it is, None before it is created. A record that has more already stays readable.
    """
    match happening:
        case events.EventChanged(fields=fields):
            check_counts(fields)
        case events.BansSet(bans=bans):
            check_number("bans", len(bans))
        case events.PlayerAdded(player=player) | events.PlayerChanged(player=player):
            check_player(player)
    if state is None:
        return
    tournament = state.tournament
    match happening:
        case events.PlayerAdded():
            check_number("players", len(tournament.players) + 1)
        case events.PlayerWithdrawn():
            check_number("withdrawals", len(tournament.withdrawals) + 1)
        case events.PlayerAbsent():
            check_number("absences", len(tournament.absences) + 1)
        case events.PairingPublished():
            check_number("rounds", len(tournament.rounds) + 1)
        case events.FinalsPublished(games=games):
            check_number("finals", len(tournament.finals) + len(games))

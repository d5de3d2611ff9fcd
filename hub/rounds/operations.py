"""The operator's commands, each one entry of the ledger; API and console call them.

Every command is recorded or raises `Refused` with one line. A command may carry an id of the caller: repeated with the
same content it is done once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from hub.entries.check import late_entry_fault
from hub.entries.conditions import check_conditions
from hub.record.corrections import AnyChange, check_score
from hub.record.events import (
    UNDOABLE,
    Conditions,
    ConflictResolved,
    CorrectionMade,
    EntryUndone,
    EventChanged,
    EventPutAway,
    FinalsPublished,
    Happening,
    PlayerAbsent,
    PlayerAdded,
    PlayerWithdrawn,
    ResultEntered,
    RulingSent,
    SeatAssigned,
    ShowingSet,
    TournamentClosed,
    TournamentCreated,
    happening,
)
from hub.record.fold import undone
from hub.record.state import GameRecord, TournamentState, seated
from hub.record.store import Command, RecordedEntry, TournamentStore
from hub.rounds.finals import FinalChoice, finals_games, walkover
from hub.rounds.paired import Pair, Paired
from hub.rounds.publish import expect_all_scored, expect_undisputed, publication, suffix_of
from hub.tables.devices import Devices
from hub.tables.outbound import Outbound
from hub.text import Refused
from ledger.versions import NewerLedger
from link.identity import Identity
from link.topics import ID_EXPECTED, is_id
from othello.gamefile import GameFileError, parse_input
from othello.reason import Reason

START_LIFETIME_S = 600
_LONGEST_LIFETIME_S = 86_400


class UnknownGame(Refused):
    """There is no such tournament or game."""


class Operations:
    """`who` of each command is the operator's name; `fresh_id` makes ids for commands without one; `changed` is called
    after each command that was done."""

    def __init__(
        self,
        store: TournamentStore,
        devices: Devices,
        outbound: Outbound,
        pair: Pair,
        fresh_id: Callable[[], str],
        changed: Callable[[], None],
    ) -> None:
        self._store = store
        self._devices = devices
        self._outbound = outbound
        self._pair = pair
        self._fresh_id = fresh_id
        self._changed = changed
        self._publishing = asyncio.Lock()

    def state(self, tournament: str) -> TournamentState:
        """Unknown if there is no such tournament, NewerLedger if this program cannot read it."""
        if tournament in self._store.unreadable:
            raise NewerLedger(self._store.unreadable[tournament])
        found = self._store.states.get(tournament)
        if found is None:
            raise UnknownGame(
                "tournament: expected one of this hub's, got {tournament!r}", tournament=tournament[:80]
            )
        return found

    async def enroll(
        self,
        device: str,
        seat: int | None,
        who: str,
        again: bool = False,
        judge_pin: str = "",
        director_pin: str = "",
    ) -> Identity:
        """Enrols a device and gives it its seat in every open tournament. The identity is returned this once; PINs as
        in `Devices.enroll`."""
        identity = self._devices.enroll(device, seat, again, judge_pin, director_pin)
        states = self._store.states.values()
        open_ = [state for state in states if not (state.closed or state.away)]
        if seat is not None and open_:
            latest = max(open_, key=lambda state: state.seq)
            home = seated(states).get(device, latest)
            if home.seats.get(seat) != device:
                await self.seat(home.id, seat, device, who)
        return identity

    async def create(
        self, tournament: str, file: Mapping[str, Any], who: str, take_devices: bool = False
    ) -> TournamentState:
        """A tournament from a `flagfall-tournament/1` object; the enrolled devices take their seats. Those at another
        open event stay there unless `take_devices`."""
        if not is_id(tournament):
            raise Refused(
                "tournament: expected {id_expected}, got {tournament!r}",
                id_expected=ID_EXPECTED,
                tournament=tournament[:80],
            )
        if tournament in self._store.states:
            first = happening((await self._store.entries(tournament))[0])
            if isinstance(first, TournamentCreated) and first.file == file:
                return self.state(tournament)
            raise Refused(
                "tournament: expected an id of its own, got {tournament!r} again", tournament=tournament
            )
        seats = self._devices.seats
        if take_devices:
            for state in list(self._store.states.values()):
                if not state.away:
                    await self._leave_seats(state, seats.values(), who)
        elsewhere = seated(self._store.states.values())
        free = {seat: device for seat, device in seats.items() if device not in elsewhere}
        created = TournamentCreated(file=dict(file), seats=free, seq=self._devices.reserve_seq())
        return await self.record(tournament, created, who, "created")

    async def _leave_seats(self, state: TournamentState, devices: Collection[str], who: str) -> None:
        """Where an event is open, or comes back, these devices sit there no longer: each is at one event."""
        for seat, device in state.seats.items():
            if device in devices and not state.closed:
                seq = self._devices.reserve_seq(above=self.state(state.id).seq)
                await self.record(state.id, SeatAssigned(seat=seat, device=None, seq=seq), who)

    async def publish(
        self,
        tournament: str,
        who: str,
        round_: int | None = None,
        conditions: Conditions | None = None,
        paired: Paired | None = None,
    ) -> TournamentState:
        """Pairs the next round and publishes it to the tables. A `round_` that is published already stays. `paired`:
        the round as the director has drafted it."""
        async with self._publishing:
            before = self.state(tournament)
            if round_ is not None and round_ <= before.round:
                return before
            if round_ not in (None, before.round + 1):
                raise Refused("round: expected {round}, got {round2}", round=before.round + 1, round2=round_)
            expect_all_scored(before)
            if paired is None:
                paired = await self._pair(before.tournament)
            state = self.state(tournament)
            if state.tournament != before.tournament:
                raise Refused("the tournament changed while the round was paired: pair again")
            entries, seq = await self._store.entries(tournament), self._devices.reserve_seq(above=state.seq)
            published = publication(state, entries, paired, conditions or Conditions(), seq)
            return await self.record(tournament, published, who)

    async def start(self, tournament: str, who: str) -> TournamentState:
        """The director's signal to all tables that wait for it, and to a spare that comes later."""
        state = self.state(tournament)
        waiting = tuple(game.game for game in state.not_started)
        if not waiting:
            if state.round in state.started:
                return state
            raise Refused("round: expected a published round with games to start, got none")
        suffix = suffix_of(self._store.head(tournament), state.round)
        sent = RulingSent(
            ruling=f"start-{state.round}-{suffix}", rule="start", games=waiting, lifetime_s=START_LIFETIME_S
        )
        return await self.record(tournament, sent, who)

    async def rule(
        self,
        tournament: str,
        rule: str,
        games: Sequence[str],
        fields: Mapping[str, Any],
        who: str,
        lifetime_s: int = 60,
        command_id: str | None = None,
    ) -> TournamentState:
        """A ruling for the tables of these games, in the game file's words."""
        if not games:
            raise Refused("games: expected one at least, got none")
        for game in games:
            self.game(tournament, game)
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
        command_id = command_id or self._fresh_id()
        sent = RulingSent(
            ruling=f"ruling-{command_id}"[:120],
            rule=rule,
            games=tuple(games),
            fields=dict(fields),
            lifetime_s=lifetime_s,
        )
        self._outbound.made(sent.ruling)
        return await self.record(tournament, sent, who, command_id)

    async def publish_finals(
        self, tournament: str, choices: Sequence[FinalChoice], who: str, broadcast: bool = False
    ) -> TournamentState:
        """Publishes games of playoffs or finals that are due to their tables."""
        async with self._publishing:
            state = self.state(tournament)
            expect_undisputed(state)
            entries = await self._store.entries(tournament)
            published = sum(entry.type == FinalsPublished.TYPE for entry in entries)

            def name(choice: FinalChoice) -> str:
                parts = (choice.title, choice.stage, choice.table, choice.black, choice.white)
                return f"f{published + 1}-{choice.table}-{suffix_of(entries[0].hash, published, *parts)}"

            games = finals_games(state, choices, name)
            seq = self._devices.reserve_seq(above=state.seq)
            published_games = FinalsPublished(games=games, seq=seq, broadcast=broadcast)
            return await self.record(tournament, published_games, who)

    async def walk_over(
        self, tournament: str, title: str, stage: str, players: frozenset[str], who: str
    ) -> TournamentState:
        """Settles a match with a withdrawn player: its next game is forfeited, in one commit."""
        async with self._publishing:
            state = self.state(tournament)
            seq = self._devices.reserve_seq(above=state.seq)
            name = f"walkover-{seq}-{suffix_of(self._store.head(tournament), title, stage)}"
            game, score = walkover(state, title, stage, players, name)
            published = FinalsPublished(games=(game,), seq=seq, judged=False, sensors=False)
            entered = ResultEntered(game=name, score=score, reason="forfeit")
            return await self._record(
                tournament,
                [Command(self._fresh_id(), published, who), Command(self._fresh_id(), entered, who)],
            )

    async def enter_result(
        self,
        tournament: str,
        game: str,
        score: tuple[int, int],
        reason: str,
        who: str,
        command_id: str | None,
    ) -> TournamentState:
        """A score typed in: it counts if there is none, confirms the table's, or conflicts with it."""
        self._check_score(tournament, game, score, reason)
        entered = ResultEntered(game=game, score=score, reason=reason)
        return await self.record(tournament, entered, who, command_id)

    async def resolve(
        self, tournament: str, game: str, score: tuple[int, int], reason: str, why: str, who: str
    ) -> TournamentState:
        """The score that stands in a conflict between table and operator."""
        self._check_score(tournament, game, score, reason)
        resolved = ConflictResolved(game=game, score=score, reason=reason, why=why)
        return await self.record(tournament, resolved, who)

    async def correct(
        self, tournament: str, change: AnyChange, why: str, who: str, command_id: str | None = None
    ) -> TournamentState:
        """Changes a paired round, with a reason; later rounds keep their pairings."""
        reason = getattr(change, "reason", Reason.BOARD)
        if reason not in tuple(Reason):
            raise Refused(
                "{field}: expected one of {choices}, got {said}",
                field="reason",
                choices=", ".join(Reason),
                said=reason[:40],
            )
        seq = self._devices.reserve_seq(above=self.state(tournament).seq)
        if command_id is not None and (entry := await self._store.entry(tournament, command_id)):
            # A repeated request gets the seq of the first one, which makes its content the same.
            known = happening(entry)
            seq = known.seq if isinstance(known, CorrectionMade) else seq
        return await self.record(tournament, CorrectionMade(change=change, why=why, seq=seq), who, command_id)

    async def withdraw(
        self,
        tournament: str,
        player: str,
        after_round: int | None,
        who: str,
        expelled: bool = False,
        why: str = "",
    ) -> TournamentState:
        """This player is not paired from the next round on; by default after the last published round. `expelled`: by
        the director, for the reason `why`."""
        last = self.state(tournament).round if after_round is None else after_round
        gone = PlayerWithdrawn(player=player, after_round=last, expelled=expelled, why=why)
        return await self.record(tournament, gone, who)

    async def absent(
        self, tournament: str, player: str, round_: int | None, who: str, half_point: bool = False
    ) -> TournamentState:
        """This player misses one round, by default the next."""
        missed = self.state(tournament).round + 1 if round_ is None else round_
        gone = PlayerAbsent(player=player, round=missed, half_point=half_point)
        return await self.record(tournament, gone, who)

    async def change(self, tournament: str, fields: Mapping[str, Any], who: str) -> TournamentState:
        """Changes fields of the event (`hub.record.events.CHANGEABLE`); present games are sent to their tables
        again."""
        seq = self._devices.reserve_seq(above=self.state(tournament).seq)
        return await self.record(tournament, EventChanged(fields=dict(fields), seq=seq), who)

    async def put_away(self, tournament: str, away: bool, who: str) -> TournamentState:
        """Hides the event from everybody but the console; `away` False shows it again."""
        if not away:
            others = seated(self._store.states.values(), tournament)
            await self._leave_seats(self.state(tournament), others, who)
        seq = self._devices.reserve_seq(above=self.state(tournament).seq)
        return await self.record(tournament, EventPutAway(away=away, seq=seq), who)

    async def add_player(self, tournament: str, player: Mapping[str, Any], who: str) -> TournamentState:
        """A late entrant, from the next round on unless `from_round` is later.

        If the text closes entries with the first round, `admitted_because` must give the director's reason.
        """
        state = self.state(tournament)
        fault = late_entry_fault(state.tournament, player, state.round)
        if fault is not None:
            raise Refused(fault)
        late = dict(player) if state.round == 0 else {"from_round": state.round + 1, **player}
        return await self.record(tournament, PlayerAdded(player=late), who)

    async def seat(self, tournament: str, seat: int, device: str | None, who: str) -> TournamentState:
        """Gives a seat to another device, with the seat's present game."""
        state = self.state(tournament)
        if device is not None and self._devices.key(device) is None:
            raise Refused("device: expected an enrolled one, got {device!r}", device=device[:80])
        if device is not None:
            for other in list(self._store.states.values()):
                if other.id != tournament and not other.away:
                    await self._leave_seats(other, (device,), who)
        seq = self._devices.reserve_seq(above=state.seq)
        return await self.record(tournament, SeatAssigned(seat=seat, device=device, seq=seq), who)

    async def undo(self, tournament: str, entry_id: str | None, who: str) -> TournamentState:
        """Undoes one entry, by default the last one that can be undone."""
        state = self.state(tournament)
        entries = await self._store.entries(tournament)
        gone = undone(entries)
        can = [entry.id for entry in entries if entry.type in UNDOABLE and entry.id not in gone]
        if not can or (entry_id is not None and entry_id not in can):
            got = "none" if entry_id is None else repr(entry_id[:80])
            raise Refused("entry: expected one that can be taken back, got {got}", got=got)
        chosen = can[-1] if entry_id is None else entry_id
        seq = self._devices.reserve_seq(above=state.seq)
        try:
            return await self.record(tournament, EntryUndone(entry=chosen, seq=seq), who)
        except Refused as fault:
            raise Refused(
                "entry: {chosen} cannot be taken back, later entries build on it ({fault})",
                chosen=chosen,
                fault=fault.line,
            ) from None

    async def show(
        self,
        tournament: str,
        starts_at: str | None,
        boards: tuple[int, ...] | None,
        delay_s: int,
        who: str,
    ) -> TournamentState:
        """Sets what the projector and the outside mirror show (`hub.record.events.ShowingSet`)."""
        shown = ShowingSet(starts_at=starts_at, boards=boards, delay_s=delay_s)
        return await self.record(tournament, shown, who)

    async def close(self, tournament: str, who: str) -> TournamentState:
        expect_undisputed(self.state(tournament))
        return await self.record(tournament, TournamentClosed(), who)

    def game(self, tournament: str, game: str) -> GameRecord:
        found = self.state(tournament).games.get(game)
        if found is None:
            raise UnknownGame("game: expected one of the tournament's, got {game!r}", game=game[:80])
        return found

    def _check_score(self, tournament: str, game: str, score: tuple[int, int], reason: str) -> None:
        self.game(tournament, game)
        check_score(self.state(tournament).tournament, score, reason)

    async def record(
        self, tournament: str, what: Happening, who: str, command_id: str | None = None
    ) -> TournamentState:
        """Records one entry as it is, if the fold alone can judge it. Refused if it makes no sense."""
        check_conditions(what)
        return await self._record(tournament, [Command(command_id or self._fresh_id(), what, who)])

    async def _record(self, tournament: str, commands: Sequence[Command]) -> TournamentState:
        for outcome in await self._store.record(tournament, commands):
            if not isinstance(outcome, RecordedEntry):
                raise outcome
        self._outbound.everything()
        self._changed()
        return self.state(tournament)

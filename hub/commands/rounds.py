"""A round: its draft, its publication, its start, a game more, its withdrawal. Games of playoffs and finals, matches
that are settled without one, and the committee's places."""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from flagfall.ledger.entry import Entry
from flagfall.othello.rulebook import Stage
from hub.commands.corrections import take_back
from hub.commands.desk import Event, Fields, Nothing
from hub.desk.forms import expect_choice
from hub.fields import ShortText, TableNumber, Whole, whole_in
from hub.model.games import Conditions
from hub.model.players import alphabetical
from hub.model.tournament import Tournament
from hub.record.acts.players import BansSet
from hub.record.codec import happening
from hub.record.events import FinalsPublished, GameAdded, PairingPublished, ResultEntered, RulingSent
from hub.record.happening import Happening
from hub.record.state import TournamentState
from hub.record.unanswered import expect_undisputed
from hub.rounds.draft import (
    Draft,
    paired_of,
    with_bye,
    with_game,
    with_kept,
    with_players_exchanged,
    with_tables_exchanged,
    without_game,
)
from hub.rounds.paired import Paired
from hub.rounds.publish import (
    FinalChoice,
    added_game,
    expect_all_scored,
    finals_publication,
    publication,
    suffix_of,
    walkover,
)
from hub.rulebook import rules_at_tables
from hub.text import AlreadyDone, Refused, Stale

START_LIFETIME_S = 600
_PUBLISHED = (PairingPublished.TYPE, FinalsPublished.TYPE)
_Number = Annotated[int, Meta(ge=1, le=1_000_000)]


class Pairings(Conditions, frozen=True, kw_only=True):
    stage: Stage = Stage.QUALIFYING
    minutes: Annotated[int | float | None, Meta(description="a number of minutes")] = None
    increment_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    delay_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    byoyomi_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    round: Whole | None = None

    def conditions(self) -> Conditions:
        values = asdict(self)
        del values["round"]
        return Conditions(**values)


class ShownDraft(Fields, frozen=True, kw_only=True):
    """The draft as its page showed it: the games that are ticked to be kept stay, whatever is done next."""

    revision: _Number | None = None
    keep: tuple[str, ...] = ()
    ticks: str = ""

    def heed_ticks(self, event: Event) -> int:
        """Keep the ticked games, and return the draft's revision then."""
        drafting, revision = event.hub.drafting, self.revision or 0
        draft = drafting.of(event.id)
        if draft is None or draft.revision != revision or not (self.ticks or any(self.keep[:1])):
            return revision
        kept = {table for tick in self.keep if (table := whole_in(tick, 5)) is not None}
        if kept == {game.table for game in draft.games if game.kept}:
            return revision
        if drafting.stale(event.state) and not draft.by_hand:
            return revision
        return drafting.change(event.state, revision, lambda draft: with_kept(draft, kept)).revision


class PairedDraft(ShownDraft, frozen=True, kw_only=True):
    afresh: bool = False


class _Change(ShownDraft, frozen=True, kw_only=True, tag_field="change"):
    """A change of the draft."""


class PlayersExchanged(_Change, frozen=True, kw_only=True, tag="exchange"):
    one: ShortText
    other: ShortText

    def of(self, draft: Draft) -> Draft:
        return with_players_exchanged(draft, self.one, self.other)


class ColoursExchanged(_Change, frozen=True, kw_only=True, tag="colours"):
    table: _Number

    def of(self, draft: Draft) -> Draft:
        for game in draft.games:
            if game.table == self.table:
                return with_players_exchanged(draft, *game.players)
        raise Refused("expected a table of this pairing, got {table}", field="table", table=self.table)


class TablesExchanged(_Change, frozen=True, kw_only=True, tag="tables"):
    table: _Number
    to: TableNumber

    def of(self, draft: Draft) -> Draft:
        return with_tables_exchanged(draft, self.table, self.to)


class GameSet(_Change, frozen=True, kw_only=True, tag="game"):
    black: ShortText
    white: ShortText
    table: TableNumber | None = None

    def of(self, draft: Draft) -> Draft:
        return with_game(draft, self.black, self.white, self.table)


class ByeSet(_Change, frozen=True, kw_only=True, tag="bye"):
    player: ShortText

    def of(self, draft: Draft) -> Draft:
        return with_bye(draft, self.player)


class GameTakenApart(_Change, frozen=True, kw_only=True, tag="apart"):
    table: _Number

    def of(self, draft: Draft) -> Draft:
        return without_game(draft, self.table)


DraftChange: TypeAlias = (
    PlayersExchanged | ColoursExchanged | TablesExchanged | GameSet | ByeSet | GameTakenApart
)


class Ban(ShownDraft, frozen=True, kw_only=True):
    one: ShortText
    other: ShortText
    lift: bool = False


class PublishedDraft(Fields, frozen=True, kw_only=True):
    revision: _Number
    overrule: str = ""
    minutes: Annotated[int, Meta(ge=1, le=600)] | None = None
    per_move_s: Annotated[int, Meta(ge=0, le=600)] = 0
    byoyomi_s: Annotated[int, Meta(ge=0, le=600)] = 0
    judged: bool = False
    sensors: bool = False
    broadcast: bool = False


class MoreGame(Fields, frozen=True, kw_only=True):
    black: str = ""
    white: str = ""
    table: TableNumber


class WithdrawnRound(Fields, frozen=True, kw_only=True):
    sure: bool = False


class StillRuns(Refused):
    """A request for confirmation: the games to be ended may be in play at this moment."""


async def publish_round(event: Event, fields: Pairings) -> TournamentState:
    """Pair the next round and publish it to the tables; a round that is published already stays."""
    async with event.hub.publishing:
        before = event.state
        if fields.round is not None and fields.round <= before.round:
            return before
        if fields.round not in (None, before.round + 1):
            raise Refused(
                "expected {round}, got {round2}", field="round", round=before.round + 1, round2=fields.round
            )
        expect_all_scored(before)
        paired = await event.hub.pair(before.tournament)

        async def decide(state: TournamentState) -> PairingPublished:
            if state.tournament != before.tournament:
                raise Refused("the event has changed while the round was paired. Pair again")
            return _publication(event, state, await event.entries(), paired, fields.conditions())

        return await event.record(decide)


async def publish_draft(event: Event, fields: PublishedDraft) -> TournamentState:
    """Publish the drafted round to the projector, the paper and the tables; phones see it after its start."""
    async with event.hub.publishing:

        async def decide(state: TournamentState) -> PairingPublished:
            entries = await event.entries()
            draft = event.hub.drafting.current(_expect_open(state), fields.revision)
            conditions = Conditions(
                minutes=fields.minutes,
                **move_seconds(state.tournament, fields.per_move_s, fields.byoyomi_s),
                judged=fields.judged,
                sensors=fields.sensors,
                broadcast=fields.broadcast,
            )
            return _publication(event, state, entries, paired_of(draft, fields.overrule), conditions)

        state = await event.record(decide)
        event.hub.drafting.drop(event.id)
        return state


def _publication(
    event: Event, state: TournamentState, entries: list[Entry], paired: Paired, conditions: Conditions
) -> PairingPublished:
    expect_all_scored(state)
    return publication(state, entries, paired, conditions, event.next_seq(state))


def per_move_key(tournament: Tournament) -> str:
    """Return the field of `Conditions` for time added per move under the event's rulebook, "" if it adds none."""
    rules = rules_at_tables(tournament)
    gives = rules.per_move if rules is not None else "nothing"
    return {"nothing": "", "delay": "delay_s"}.get(gives, "increment_s")


def has_byoyomi(tournament: Tournament) -> bool:
    """Tell whether the event's rulebook has a count-down."""
    rules = rules_at_tables(tournament)
    return rules is not None and rules.byoyomi


def move_seconds(tournament: Tournament, seconds: int, byoyomi_s: int) -> dict[str, Any]:
    """Return the seconds that each move gives, and those of the count-down, as fields of `Conditions`, as far as the
    event's rulebook has them."""
    name = per_move_key(tournament)
    gives = {name: seconds} if name else {}
    return gives | {"byoyomi_s": byoyomi_s} if has_byoyomi(tournament) else gives


async def pair_draft(event: Event, fields: PairedDraft) -> Draft:
    """Pair the next round for a draft; games that are kept stay."""
    state = _expect_open(event.checked_state())
    if fields.afresh:
        event.hub.drafting.drop(event.id)
    fields.heed_ticks(event)
    return await event.hub.drafting.pair(state)


async def draft_by_hand(event: Event, _: Nothing) -> Draft:
    """Start a draft in which nobody has a place yet."""
    return event.hub.drafting.by_hand(_expect_open(event.checked_state()))


async def change_draft(event: Event, change: DraftChange) -> Draft:
    """Make one change of the draft."""
    state = _expect_open(event.state)
    return event.hub.drafting.change(state, change.heed_ticks(event), change.of)


async def ban_pairing(event: Event, ban: Ban) -> TournamentState:
    """Keep two players apart from this round on, or let them meet again."""
    _expect_open(event.state)
    if ban.one == ban.other:
        raise Refused("expected another player, got the same one", field="other")
    ban.heed_ticks(event)

    def decide(state: TournamentState) -> BansSet:
        rest = tuple(old for old in state.tournament.bans if set(old) != {ban.one, ban.other})
        return BansSet(bans=rest if ban.lift else (*rest, (ban.one, ban.other)))

    return await event.record(decide)


def _expect_open(state: TournamentState) -> TournamentState:
    if state.closed:
        raise Refused("expected an open event, got a closed one", field="tournament")
    return state


async def start_round(event: Event, _: Nothing) -> TournamentState:
    """Send the director's start signal to all waiting tables of the round, and to a spare that comes later."""

    def decide(state: TournamentState) -> RulingSent:
        waiting = tuple(game.id for game in state.not_started)
        if not waiting:
            fault = AlreadyDone if state.round in state.started else Refused
            raise fault("expected a published round with games to start, got none", field="round")
        name = f"start-{state.round}-{suffix_of(event.hub.store.head(event.id), state.round)}"
        return RulingSent(ruling=name, rule="start", games=waiting, lifetime_s=START_LIFETIME_S)

    return await event.record(decide)


async def add_game(event: Event, fields: MoreGame) -> TournamentState:
    """Add a game to the round at the tables, of two players who have none in it."""

    async def decide(state: TournamentState) -> GameAdded:
        free = players_without_game(state)
        for name, player in (("black", fields.black), ("white", fields.white)):
            expect_choice(name, player, free)
        players = fields.black, fields.white
        return added_game(state, await event.entries(), players, fields.table, event.next_seq(state))

    return await event.record(decide)


def players_without_game(state: TournamentState) -> tuple[str, ...]:
    """Return the players who could still join the round at the tables: first the player with the bye, then latecomers
    and absent ones."""
    present = [game for game in state.present_games if game.final is None]
    if not present or len(present) < len(state.present_games) or state.closed:
        return ()
    playing = {player for game in present for player in game.players}
    playing |= {withdrawal.player for withdrawal in state.tournament.withdrawals}
    byes = state.present_byes
    others = (player.id for player in alphabetical(state.tournament.players) if player.id not in byes)
    return tuple(player for player in (*byes, *others) if player not in playing)


async def withdraw_round(event: Event, fields: WithdrawnRound) -> PairingPublished | FinalsPublished:
    """Take back the last published round or finals if it has no result yet. A round is drafted again as it was."""
    present = event.state.present
    published: list[Entry] = []

    async def choose(state: TournamentState) -> str:
        if any(game.score is not None for game in state.present_games) or not state.present:
            raise Refused("expected a round without results. Correct its games instead", field="round")
        if state.present != present:
            raise Stale(
                "someone else has changed this in the meantime. Check it as it is now, then try again",
                field="form",
            )
        if len(state.not_started) < len(state.present_games) and not fields.sure:
            raise StillRuns("it has started, and clocks may be running. Withdraw it anyway?", field="round")
        published[:] = [entry for entry in await event.entries() if entry.type in _PUBLISHED][-1:]
        if not published:
            raise Refused("expected a round that this hub has published, got none", field="round")
        return published[0].id

    after = await take_back(event, choose)
    withdrawn = happening(published[0])
    assert isinstance(withdrawn, PairingPublished | FinalsPublished)
    if isinstance(withdrawn, PairingPublished):
        event.hub.drafting.bring_back(after, withdrawn)
    return withdrawn


class FinalGames(Fields, frozen=True, kw_only=True):
    games: Annotated[list[FinalChoice], Meta(min_length=1, max_length=100)]
    broadcast: bool = False
    increment_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    delay_s: Annotated[int | float, Meta(description="a number of seconds")] = 0
    byoyomi_s: Annotated[int | float, Meta(description="a number of seconds")] = 0


class Walkover(Fields, frozen=True, kw_only=True):
    title: ShortText
    stage: ShortText
    black: ShortText
    white: ShortText


async def publish_finals(event: Event, fields: FinalGames) -> TournamentState:
    """Publish games of playoffs and finals to their tables, as their choosers want them."""

    async def decide(state: TournamentState) -> FinalsPublished:
        expect_undisputed(state)
        entries = await event.entries()
        due = finals_publication(state, entries, fields.games, event.next_seq(state))
        return msgspec.structs.replace(
            due,
            broadcast=fields.broadcast,
            increment_s=fields.increment_s,
            delay_s=fields.delay_s,
            byoyomi_s=fields.byoyomi_s,
        )

    return await event.record(decide)


async def walk_over(event: Event, match: Walkover) -> TournamentState:
    """Settle a match whose player has withdrawn: its next game is forfeited."""
    key = (match.title, match.stage, frozenset((match.black, match.white)))

    def decide(state: TournamentState) -> tuple[Happening, ...]:
        seq = event.next_seq(state)
        name = f"walkover-{seq}-{suffix_of(event.hub.store.head(event.id), *key[:2])}"
        game, score = walkover(state, key, name)
        published = FinalsPublished(games=(game,), seq=seq, judged=False, sensors=False)
        return published, ResultEntered(game=name, score=score, reason="forfeit")

    return await event.record(decide)

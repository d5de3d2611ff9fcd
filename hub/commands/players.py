"""Commands on players: late entries, changes, absences, withdrawals, expulsions, notes of conduct."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from flagfall.base.message import N_
from flagfall.othello.rulebook import Rulebook
from hub.commands.corrections import Undo, undo_entry
from hub.commands.desk import AlreadyDone, Event, Fields
from hub.desk.accounts import Role
from hub.desk.world_list import new_player
from hub.entries.days import expect_birth
from hub.entries.findings import late_entry_fault
from hub.fields import Raw, ShortText, Whole
from hub.formats.reading import MOST_RATING
from hub.formats.spreadsheets.understood import NEW
from hub.formats.tournament_file import player_to_json
from hub.model.players import Player, clean_name, has_own_number, is_made_up
from hub.model.same_names import of_name
from hub.model.tournament import Tournament
from hub.ranking.teams import MOST_BOARDS, members, teams_of
from hub.record.codec import happening
from hub.record.events import (
    ConductKind,
    ConductNoted,
    EventChanged,
    PlayerAbsent,
    PlayerAdded,
    PlayerChanged,
    PlayerLinkSet,
    PlayerRemoved,
    PlayerReturned,
    PlayerWithdrawn,
)
from hub.record.fold import undone
from hub.record.state import PlayerLink, TournamentState
from hub.rulebook import rules_of
from hub.text import Refused, UnknownGame

_TEXTS = ("name", "country", "team", "born", "division", "grade")
_TRUTHS = ("past_semifinalist", "additional", "extra_young")


class PlayerDetails(Fields, frozen=True, kw_only=True):
    name: ShortText
    country: str = ""
    team: str = ""
    born: str = ""
    division: str = ""
    grade: str = ""
    past_semifinalist: bool = False
    additional: bool = False
    extra_young: bool = False
    gender: Literal["f", "m", "x"] | None = None
    rating: Annotated[int, Meta(ge=-MOST_RATING, le=MOST_RATING)] | None = None
    # Names with commas between them. If they are left out, they stay.
    categories: str | UnsetType = UNSET

    def in_file(self, old: Player, state: TournamentState) -> dict[str, Any]:
        """Return the player as an object of the tournament's file; what is not known here stays as in `old`."""
        fields: dict[str, Any] = {name: clean_name(getattr(self, name)) or None for name in _TEXTS}
        fields |= {name: getattr(self, name) or None for name in _TRUTHS}
        fields |= {"gender": self.gender, "rating": self.rating}
        if self.categories is not UNSET:
            named = (name.strip() for name in self.categories.split(","))
            fields["categories"] = [*dict.fromkeys(filter(None, named))]
        known = player_to_json(old, state.tournament.rulebook)
        kept = {name: value for name, value in known.items() if name not in fields}
        return kept | {name: value for name, value in fields.items() if value is not None}


class EnteredPlayer(PlayerDetails, frozen=True, kw_only=True):
    id: Annotated[str, Meta(max_length=64)] = ""
    # The number that was chosen of those that the world list has for the name.
    listed: Raw = ""
    admitted_because: str = ""
    # Another player of the event has this name, and this is another person.
    another_person: bool = False


class OfPlayer(Fields, frozen=True, kw_only=True):
    player: ShortText


class ChangedPlayer(PlayerDetails, frozen=True, kw_only=True):
    player: ShortText


class Withdrawal(Fields, frozen=True, kw_only=True):
    player: ShortText
    after_round: Whole | None = None
    expelled: bool = False
    why: ShortText | None = None


class Expulsion(OfPlayer, frozen=True, kw_only=True):
    why: ShortText


class Absence(Fields, frozen=True, kw_only=True):
    player: ShortText
    round: Whole | None = None


class AbsenceOfForm(Absence, frozen=True, kw_only=True):
    half_point: bool = False


class CancelledAbsence(OfPlayer, frozen=True, kw_only=True):
    round: Annotated[int, Meta(ge=1, le=999)]


class _Conduct(Fields, frozen=True, kw_only=True):
    kind: ConductKind
    why: ShortText
    until: str = ""


class ConductOfPlayer(_Conduct, frozen=True, kw_only=True):
    player: ShortText


class ConductOfSpectator(_Conduct, frozen=True, kw_only=True):
    person: ShortText


class BoardsOfMatch(Fields, frozen=True, kw_only=True):
    team_matches: Annotated[int, Meta(ge=1, le=MOST_BOARDS)] | None = None


class Teams(Fields, frozen=True, kw_only=True):
    """The team of each of these players."""

    teams: dict[str, str]


class LineUp(Fields, frozen=True, kw_only=True):
    """The board of each of the team's players; players without a board come last."""

    team: str
    boards: dict[str, int]


class NumberOffered(Refused):
    """The page offers the numbers that the world list has for this name."""

    def __init__(self, name: str, listed: tuple[Player, ...]) -> None:
        super().__init__(
            N_("{name} stands in the world list: say which number is theirs, or none"), name=name
        )
        self.listed = listed


class NameThere(Refused):
    """A player of the event has this name. The page asks whether this is another person."""

    def __init__(self, name: str, there: Player, withdrawn: bool) -> None:
        super().__init__(
            N_("{name}, number {number}, has withdrawn from this event. Is this another person?")
            if withdrawn
            else N_("{name} is entered already, number {number}. Is this another person?"),
            field="name",
            name=name,
            number=there.id,
        )
        self.there = there


async def add_player(event: Event, player: dict[str, Any]) -> TournamentState:
    """Add a player, from the next round on unless `from_round` is later. With `another_person` true a name may be there
    already."""
    another, plain = player.get("another_person") is True, dict(player)
    plain.pop("another_person", None)
    return await event.record(lambda state: _add(state, plain, another))


async def enter_player(event: Event, entered: EnteredPlayer) -> TournamentState:
    """Enter a player by name and give them a number. After the first round this is a late entry, which some rulebooks
    leave to the director."""
    because = entered.admitted_because
    if not (entered.another_person or entered.id or entered.listed):
        _expect_new_name(event.state.tournament, {"id": "", "name": entered.name})
    number = await _number_of(event, entered)
    if because and event.role < Role.DIRECTOR:
        raise Refused("only a director may admit late entries", field="admitted_because")
    known = event.hub.world_list.players

    def decide(state: TournamentState) -> PlayerAdded:
        taken = {player.id for player in state.tournament.players} | state.removed
        entrant = Player(number, new=is_made_up(number)) if number else new_player(taken, known)
        player = entered.in_file(entrant, state)
        player |= {"admitted_because": because} if because else {}
        return _add(state, player, entered.another_person)

    return await event.record(decide, event.once)


def _add(state: TournamentState, player: dict[str, Any], another_person: bool) -> PlayerAdded:
    """Return the entry of a new player. If the text closes entries with the first round, `admitted_because` must give
    the director's reason."""
    fault = late_entry_fault(state.tournament, player, state.round)
    if fault is not None:
        raise Refused(fault)
    expect_birth(player.get("born"), state.tournament.date)
    if not another_person:
        _expect_new_name(state.tournament, player)
    late = dict(player) if state.round == 0 else {"from_round": state.round + 1, **player}
    return PlayerAdded(player=late)


def _expect_new_name(tournament: Tournament, player: dict[str, Any]) -> None:
    """Raise NameThere if somebody of this name is entered: a different number of the rating list is another person."""
    number, name = player.get("id"), player.get("name")
    if not isinstance(name, str) or not isinstance(number, str) or number in tournament.by_id:
        return
    own = has_own_number(Player(number, new=player.get("new") is True)) and number.isdecimal()
    for there in of_name(tournament.players, name):
        if not (own and has_own_number(there) and there.id.isdecimal()):
            raise NameThere(name, there, there.id in tournament.withdrawn)


async def _number_of(event: Event, entered: EnteredPlayer) -> str:
    """Return the number of a new entry, "" for a new player; NumberOffered where it has to be said."""
    typed, name = clean_name(entered.id), clean_name(entered.name)
    world, chosen = event.hub.world_list.numbers, entered.listed
    if typed:
        known = world.players.get(typed)
        if known is not None and not world.agree(typed, name):
            raise Refused(
                "expected a number of {name}, got {id} of {other_name}",
                field="id",
                name=name,
                id=typed,
                other_name=known.name,
            )
        if known is None and world.players and typed.isdecimal():
            raise Refused(
                "expected a number of the world list, or none for a new player, got {id}",
                field="id",
                id=typed,
            )
        return typed
    playing = {player.id for player in event.state.tournament.players}
    named = await asyncio.to_thread(world.named, name)  # the first search puts the whole list in order
    listed = tuple(player for player in named if player.id not in playing)
    if chosen in {player.id for player in listed}:
        return chosen
    if listed and chosen != NEW:
        raise NumberOffered(name, listed)
    return ""


async def change_player(event: Event, changed: ChangedPlayer) -> TournamentState:
    """Change the details of a player."""

    def decide(state: TournamentState) -> PlayerChanged:
        old = player_of(state, changed.player)
        player = changed.in_file(old, state)
        if player.get("born") != old.born:
            expect_birth(player.get("born"), state.tournament.date)
        return PlayerChanged(player=player)

    return await event.record(decide)


def player_of(state: TournamentState, player: str) -> Player:
    """Return the player of the event, UnknownGame without one."""
    try:
        return state.tournament.player(player)
    except KeyError:
        raise UnknownGame(
            "expected a player of this event, got {player_id!r}", field="player", player_id=player[:40]
        ) from None


async def remove_player(event: Event, fields: OfPlayer) -> TournamentState:
    """Remove a player who was entered by mistake, and a draft that may name them."""

    def decide(state: TournamentState) -> PlayerRemoved:
        return PlayerRemoved(player=fields.player, name=player_of(state, fields.player).name)

    state = await event.record(decide)
    event.hub.drafting.drop(event.id)
    return state


async def withdraw_player(event: Event, withdrawal: Withdrawal) -> TournamentState:
    """Withdraw or expel a player: they are not paired again, by default after the last published round."""
    if withdrawal.expelled and event.role < Role.DIRECTOR:
        raise Refused("only a director may expel a player", field="expelled")
    after = withdrawal.after_round
    return await event.record(
        lambda state: PlayerWithdrawn(
            player=withdrawal.player,
            after_round=state.round if after is None else after,
            expelled=withdrawal.expelled,
            why=withdrawal.why or "",
        )
    )


async def expel_player(event: Event, expulsion: Expulsion) -> TournamentState:
    """Expel a player, with the director's reason."""
    return await withdraw_player(event, Withdrawal(player=expulsion.player, expelled=True, why=expulsion.why))


async def readmit_player(event: Event, fields: OfPlayer) -> TournamentState:
    """Readmit a withdrawn player, if the rulebook leaves that to the director."""
    return await event.record(lambda _: PlayerReturned(player=fields.player))


async def note_absence(event: Event, absence: Absence) -> TournamentState:
    """Record that a player misses one round, by default the next one. Refused if that round is published meanwhile."""
    missed = event.state.round + 1 if absence.round is None else absence.round
    half_point = isinstance(absence, AbsenceOfForm) and absence.half_point
    return await event.record(
        lambda _: PlayerAbsent(player=absence.player, round=missed, half_point=half_point)
    )


async def cancel_absence(event: Event, absence: CancelledAbsence) -> TournamentState:
    """Cancel a player's absence from a round that is not paired yet."""

    entries = await event.entries()
    gone = undone(entries)
    for entry in entries:
        happened = happening(entry) if entry.id not in gone else None
        if isinstance(happened, PlayerAbsent) and (happened.player, happened.round) == (
            absence.player,
            absence.round,
        ):
            await undo_entry(event, Undo(entry=entry.id))
    return event.state


async def renew_player_link(event: Event, fields: OfPlayer) -> TournamentState:
    """Give a player's own page another address; the one before opens nothing any more."""
    return await event.record(lambda state: _next_link(state, fields.player, active=True))


async def revoke_player_link(event: Event, fields: OfPlayer) -> TournamentState:
    """Take the address of a player's own page away without another one."""
    return await event.record(lambda state: _next_link(state, fields.player, active=False))


def _next_link(state: TournamentState, player: str, *, active: bool) -> PlayerLinkSet:
    number = state.links.get(player, PlayerLink()).number + 1
    return PlayerLinkSet(player=player, number=number, active=active)


async def note_conduct(event: Event, note: ConductOfPlayer | ConductOfSpectator) -> TournamentState:
    """Record a note of conduct (warning, abuse, expulsion from the room) on a player, or on anybody else there."""

    def decide(state: TournamentState) -> ConductNoted:
        return ConductNoted(
            kind=note.kind,
            player=note.player if isinstance(note, ConductOfPlayer) else None,
            person=note.person if isinstance(note, ConductOfSpectator) else "",
            clause=clause_of(rules_of(state.tournament).law, note.kind),
            why=note.why,
            until=note.until if note.kind == "room" else "",
            after_round=state.round,
        )

    return await event.record(decide, event.once)


def clause_of(rules: Rulebook, kind: str) -> str:
    """Return the rulebook's clause for such a note, "" if there is none."""
    clause = next((cited for cited, word in rules.event.told.items() if word == kind), "")
    return clause or ", ".join(rules.cites.get(kind, ()))


async def set_boards(event: Event, boards: BoardsOfMatch) -> TournamentState:
    """Make the event one of teams, or one of single players again."""
    fields = {"team_matches": boards.team_matches}
    return await event.record(lambda state: EventChanged(fields=fields, seq=event.next_seq(state)))


async def set_teams(event: Event, fields: Teams) -> TournamentState:
    """Set the teams of players; a player who is not named keeps theirs."""

    def decide(state: TournamentState) -> list[PlayerChanged]:
        tournament = state.tournament
        moved = [
            replace(player, team=team)
            for player in tournament.players
            if (team := fields.teams.get(player.id, player.team)) != player.team
        ]
        if not moved:
            raise AlreadyDone("expected a change, got none", field="team")
        return [PlayerChanged(player=player_to_json(player, tournament.rulebook)) for player in moved]

    return await event.record(decide)


async def set_line_up(event: Event, line_up: LineUp) -> TournamentState:
    """Set the order in which a team's players sit."""

    def decide(state: TournamentState) -> EventChanged:
        tournament, team = state.tournament, line_up.team
        players = [player.id for player in members(tournament, team)]
        order = sorted(players, key=lambda player: (line_up.boards.get(player, 1_000), players.index(player)))
        line_ups = tournament.line_ups or {}
        if team not in teams_of(tournament):
            raise Refused("expected a team of this event, got {team!r}", field="team", team=team[:40])
        if order == players and team in line_ups:
            raise AlreadyDone("expected a change, got none", field="line_ups")
        return EventChanged(fields={"line_ups": {**line_ups, team: order}}, seq=event.next_seq(state))

    return await event.record(decide)

"""Commands on players that are more than one act: late entries, changes, cancelled absences, teams."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from flagfall.base.message import N_
from hub.commands.corrections import Undo, undo_entry
from hub.commands.desk import Event, Fields, Nothing
from hub.desk.world_list import new_player
from hub.entries.days import expect_birth
from hub.entries.findings import late_entry_fault
from hub.fields import Raw, ShortText
from hub.formats.reading import MOST_RATING
from hub.formats.spreadsheets.understood import NEW
from hub.formats.tournament_file import player_to_json
from hub.model.players import Player, clean_name, has_own_number, is_made_up
from hub.model.same_names import of_name
from hub.model.tournament import Tournament
from hub.ranking.teams import MOST_BOARDS, members, teams_of
from hub.record.acts.event import EventChanged
from hub.record.acts.players import PlayerAbsent, PlayerAdded, PlayerChanged, PlayerRemoved
from hub.record.codec import happening
from hub.record.fold import undone
from hub.record.state import TournamentState
from hub.role import Role
from hub.text import AlreadyDone, Refused

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


class ChangedPlayer(PlayerDetails, frozen=True, kw_only=True):
    player: ShortText


class CancelledAbsence(Fields, frozen=True, kw_only=True):
    player: ShortText
    round: Annotated[int, Meta(ge=1, le=999)]


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
        old = state.player(changed.player)
        player = changed.in_file(old, state)
        if player.get("born") != old.born:
            expect_birth(player.get("born"), state.tournament.date)
        return PlayerChanged(player=player)

    return await event.record(decide)


async def remove_player(event: Event, removed: PlayerRemoved) -> TournamentState:
    """Remove a player who was entered by mistake, and a draft that may name them."""
    state = await event.record(lambda _: removed)
    event.hub.drafting.drop(event.id)
    return state


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


async def note_missing(event: Event, _: Nothing) -> TournamentState:
    """Note everybody who is missing as absent in the round of the list, which is not paired yet."""

    def decide(state: TournamentState) -> list[PlayerAbsent]:
        if state.arrival.round <= state.round:
            raise Refused(
                "expected a round that is not paired yet, got {round}",
                field="round",
                round=state.arrival.round,
            )
        if not state.missing:
            raise AlreadyDone("expected a missing player, got none", field="player")
        return [PlayerAbsent(player=player.id, round=state.arrival.round) for player in state.missing]

    return await event.record(decide)


async def set_boards(event: Event, boards: BoardsOfMatch) -> TournamentState:
    """Make the event one of teams, or one of single players again."""
    fields = {"team_matches": boards.team_matches}
    return await event.record(lambda _: EventChanged(fields=fields))


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
        return EventChanged(fields={"line_ups": {**line_ups, team: order}})

    return await event.record(decide)

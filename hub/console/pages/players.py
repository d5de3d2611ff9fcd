"""The players: who plays, late entries, absences, withdrawals; the rulebook's findings about the entries; and the
director's notes of conduct: warnings, abuses, expulsions from the room."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from typing import Any

import msgspec

from hub.console.context import Values, Visit
from hub.console.pages.finals import has_categories
from hub.console.pages.game import record_of
from hub.console.player_lists import player_to_json
from hub.console.views.conduct import ConductLine, conduct_lines
from hub.desk.accounts import Role
from hub.desk.world_list import new_player
from hub.entries.check import findings
from hub.event_words import told_at
from hub.formats.reading import MOST_RATING
from hub.formats.spreadsheets.understood import NEW
from hub.model.players import Player, alphabetical, clean_name, has_words
from hub.model.tournament import Tournament
from hub.pairing.stages import last_round
from hub.ranking.finals_played import placed_at_the_end
from hub.ranking.standings import Standing
from hub.record.codec import happening
from hub.record.events import (
    CONDUCT,
    ConductNoted,
    PlayerAbsent,
    PlayerChanged,
    PlayerRemoved,
    PlayerReturned,
)
from hub.record.fold import undone
from hub.record.state import Conduct, TournamentState
from hub.rulebook import FORMAT_RULES
from hub.text import FormatError, Refused, UnknownGame
from othello.message import N_
from othello.rulebook import Rulebook, rulebook

PLACE = "place"
SORTS = (PLACE, "name", "country", "rating")
_TEXTS = ("name", "country", "team", "born", "division")
_TRUTHS = ("past_semifinalist", "additional", "extra_young")


async def players_page(visit: Visit) -> Values:
    state = visit.state
    tournament = state.tournament
    asked, sought = visit.request.query_params.get("by", ""), visit.request.query_params.get("q", "")[:80]
    by = asked if asked in SORTS else PLACE if tournament.ranked else "name"
    try:
        found = findings(tournament)
    except FormatError:
        found = ()
    return {
        "lines": _sorted(tournament, by, sought),
        "by": by,
        "q": sought,
        "sorts": SORTS,
        "players": {player.id: player for player in tournament.players},
        "gone": {one.player: one for one in tournament.withdrawals},
        "absent": {one.player for one in tournament.absences if one.round == state.round + 1},
        "findings": found,
        "has_categories": has_categories(state),
        "out_of_room": out_of_room(state),
        "conduct_kinds": ("room", "let_in"),
        "told": told_at(state, "standings"),
        "listed": len(visit.hub.world_list.players),
        "offered": visit.refused.listed if isinstance(visit.refused, NumberOffered) else (),
    }


def _sorted(tournament: Tournament, by: str, sought: str) -> tuple[Standing, ...]:
    """The rows whose name, country or number has all words of the search, in the chosen order."""
    lines = {line.player: line for line in placed_at_the_end(tournament)}
    for one in tournament.players:  # who never started stands behind the others, without a place
        lines.setdefault(one.id, Standing(0, one.id, 0, Fraction(0), 0, by_lot=False))
    order = {
        "name": lambda: alphabetical(tournament.players),
        "country": lambda: sorted(alphabetical(tournament.players), key=lambda one: one.country),
        "rating": lambda: sorted(alphabetical(tournament.players), key=lambda one: -(one.rating or 0)),
    }.get(by, lambda: [tournament.player(player) for player in lines])()
    return tuple(
        lines[one.id] for one in order if has_words(f"{one.name} {one.country} {one.team} {one.id}", sought)
    )


async def player_page(visit: Visit) -> Values:
    state, player = visit.state, _player_in_address(visit)
    tournament = state.tournament
    games = [game for game in state.games.values() if player.id in game.players]
    return {
        "player": player,
        "games": games,
        "paired": bool(games) or any(player.id in one.byes for one in tournament.rounds),
        "gone": next((one for one in tournament.withdrawals if one.player == player.id), None),
        "conduct": await _player_conduct(visit, player.id),
        "conduct_kinds": CONDUCT,
        "to_come": state.round < last_round(tournament),
        "absences": sorted(
            (one.round, one.half_point) for one in tournament.absences if one.player == player.id
        ),
        "free_absences": FORMAT_RULES[tournament.rulebook].free_absences,
        "has_categories": has_categories(state),
    }


async def _player_conduct(visit: Visit, player: str) -> tuple[ConductLine, ...]:
    entries = await visit.entries()
    games = [one for one in visit.state.games.values() if player in one.players and one.reported]
    records = {game.id: await record_of(visit, game) for game in games}
    return conduct_lines(visit.state, player, entries, undone(entries), records)


async def add_player(visit: Visit) -> None:
    """Adds a player; after the first round this is a late entry, which some texts leave to the director."""
    player_id = await _number_of(visit)
    known = visit.hub.world_list.players
    because = visit.form.text_or_empty("admitted_because")
    if because and visit.role < Role.DIRECTOR:
        raise Refused("expected the director to admit late entries", field="admitted_because")

    def entrant(state: TournamentState) -> dict[str, Any]:
        taken = {player.id for player in state.tournament.players} | state.removed
        player = _player_typed(visit, Player(player_id) if player_id else new_player(taken, known))
        return {**player, "admitted_because": because} if because else player

    await visit.event.add_player(entrant, visit.once_id)


class NumberOffered(Refused):
    """The page offers the numbers that the world list has for this name."""

    def __init__(self, name: str, listed: tuple[Player, ...]) -> None:
        super().__init__(
            N_("{name} stands in the world list: say which number is theirs, or none"), name=name
        )
        self.listed = listed


async def _number_of(visit: Visit) -> str:
    """Return the number of a new entry, "" for a new player; NumberOffered where it has to be said."""
    typed, name = visit.form.text_or_empty("id", 64), clean_name(visit.form.text("name"))
    world, chosen = visit.hub.world_list.numbers, visit.form.typed("listed")
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
    entered = {player.id for player in visit.state.tournament.players}
    named = await asyncio.to_thread(world.named, name)  # the first search puts the whole list in order
    listed = tuple(player for player in named if player.id not in entered)
    if chosen in {player.id for player in listed}:
        return chosen
    if listed and chosen != NEW:
        raise NumberOffered(name, listed)
    return ""


async def change_player(visit: Visit) -> str:
    """Change what is known of a player; return the page that follows."""
    player = _player_in_address(visit)

    def decide(state: TournamentState) -> PlayerChanged:
        now = next((one for one in state.tournament.players if one.id == player.id), player)
        visit.expect_shown(now)
        return PlayerChanged(player=_player_typed(visit, now))

    await visit.event.record(decide)
    return "players"


async def withdraw_player(visit: Visit) -> str:
    await visit.event.withdraw(_player_in_address(visit).id)
    return "players"


async def remove_player(visit: Visit) -> str:
    """Who was entered by mistake is removed; a draft that may name the player goes with it."""
    player = _player_in_address(visit)
    await visit.event.record(PlayerRemoved(player=player.id, name=player.name))
    visit.hub.drafting.drop(visit.state.id)
    return "players"


async def expel_player(visit: Visit) -> str:
    await visit.event.withdraw(_player_in_address(visit).id, expelled=True, why=visit.form.text("why"))
    return "players"


async def note_absence(visit: Visit) -> str:
    round_ = visit.form.integer_or_none("round", 1, last_round(visit.state.tournament))
    await visit.event.absent(_player_in_address(visit).id, round_, visit.form.ticked("half_point"))
    return "players"


async def cancel_absence(visit: Visit) -> None:
    """The player is there after all in a round that is not paired yet."""
    player, round_ = _player_in_address(visit), visit.form.integer("round", 1, 999)
    entries = await visit.entries()
    gone = undone(entries)
    for entry in entries:
        said = happening(entry) if entry.id not in gone else None
        if isinstance(said, PlayerAbsent) and (said.player, said.round) == (player.id, round_):
            await visit.event.undo(entry.id)


async def readmit_player(visit: Visit) -> str:
    """A withdrawn player returns, if the rulebook leaves that to the director."""
    await visit.event.record(PlayerReturned(player=_player_in_address(visit).id))
    return "players"


def _player_in_address(visit: Visit) -> Player:
    """The player of the address."""
    player_id = visit.request.path_params["player"]
    try:
        return visit.state.tournament.player(player_id)
    except KeyError:
        raise UnknownGame(
            "expected one of the event's, got {player_id!r}", field="player", player_id=player_id[:40]
        ) from None


def _player_typed(visit: Visit, old: Player) -> dict[str, Any]:
    """The player as the form has it; fields that the form lacks stay."""
    form = visit.form
    form.text("name")
    said: dict[str, Any] = {name: clean_name(form.text_or_empty(name)) or None for name in _TEXTS}
    said |= {name: form.ticked(name) or None for name in _TRUTHS}
    said["gender"] = form.choice("gender", ("f", "m", "x")) if form.typed("gender") else None
    said["rating"] = form.integer_or_none("rating", -MOST_RATING, MOST_RATING)
    if "categories" in form.fields:
        named = (name.strip() for name in form.text_or_empty("categories").split(","))
        said["categories"] = [*dict.fromkeys(filter(None, named))]
    known = player_to_json(old, visit.state.tournament.rulebook)
    kept = {name: value for name, value in known.items() if name not in said}
    return kept | {name: value for name, value in said.items() if value is not None}


def clause_of(rules: Rulebook, kind: str) -> str:
    """The rulebook's clause for such a note, "" if there is none."""
    told = next((clause for clause, word in rules.event.told.items() if word == kind), "")
    return told or ", ".join(rules.cites.get(kind, ()))


def out_of_room(state: TournamentState) -> tuple[Conduct, ...]:
    """The people who are expelled from the room; readmission is a note as well."""
    latest = {note.about: note for note in state.conduct if note.said.kind in ("room", "let_in")}
    return tuple(note for note in latest.values() if note.said.kind == "room")


async def note_player(visit: Visit) -> None:
    """A note about a player of the event."""
    await _note_conduct(visit, visit.request.path_params["player"], "")


async def note_spectator(visit: Visit) -> None:
    """A note about anybody else in the room."""
    await _note_conduct(visit, None, visit.form.text("person"))


async def _note_conduct(visit: Visit, player: str | None, person: str) -> None:
    state, form = visit.state, visit.form
    kind = form.choice("kind", CONDUCT)
    noted = ConductNoted(
        kind=kind,
        player=player,
        person=person,
        clause=clause_of(rulebook(state.tournament.rulebook), kind),
        why=form.text("why"),
        until=form.text_or_empty("until") if kind == "room" else "",
    )
    await visit.event.record(
        lambda state: msgspec.structs.replace(noted, after_round=state.round), visit.once_id
    )

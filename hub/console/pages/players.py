"""The players: who plays, late entries, absences, withdrawals; the rulebook's findings about the entries; and the
director's notes of conduct: warnings, abuses, expulsions from the room."""

from __future__ import annotations

from fractions import Fraction

from hub.commands.events import has_categories
from hub.commands.players import ChangedPlayer, NameThere, NumberOffered
from hub.console.context import Values, Visit
from hub.console.pages.declared import entry_findings, event_fields, player_fields
from hub.console.pages.game import record_of
from hub.console.views.conduct import ConductLine, conduct_lines
from hub.event_words import clauses_at
from hub.model.letters import has_words
from hub.model.players import alphabetical
from hub.model.tournament import Tournament
from hub.pairing.state import last_round
from hub.ranking.finals import placed_at_the_end
from hub.ranking.standings import Standing
from hub.record.acts.arrivals import round_of_list
from hub.record.fold import undone
from hub.record.state import CONDUCT, Conduct, TournamentState
from hub.role import Role
from hub.rulebook import rules_of
from hub.slices import apart, in_slices
from hub.venue.names import NO_PUBLIC_PAGE
from hub.web.qr_code import qr_svg

PLACE = "place"
SORTS = (PLACE, "name", "country", "rating")


def players_page(visit: Visit) -> Values:
    state = visit.state
    tournament, rules = state.tournament, rules_of(state.tournament).entry
    asked, sought = visit.request.query_params.get("by", ""), visit.request.query_params.get("q", "")[:80]
    by = asked if asked in SORTS else PLACE if tournament.ranked else "name"
    return {
        "lines": _sorted(tournament, by, sought),
        "by": by,
        "q": sought,
        "sorts": SORTS,
        "players": {player.id: player for player in tournament.players},
        "gone": {withdrawal.player: withdrawal for withdrawal in tournament.withdrawals},
        "absent": {absence.player for absence in tournament.absences if absence.round == state.round + 1},
        "findings": entry_findings(tournament),
        "declares": bool(event_fields(rules) or player_fields(rules)),
        "has_categories": has_categories(state),
        "out_of_room": out_of_room(state),
        "conduct_kinds": ("room", "let_in"),
        "told": clauses_at(state, "standings"),
        "listed": len(visit.hub.world_list.players),
        "name_there": visit.refused.there if isinstance(visit.refused, NameThere) else None,
        "offered": visit.refused.listed if isinstance(visit.refused, NumberOffered) else (),
    }


def _sorted(tournament: Tournament, by: str, sought: str) -> tuple[Standing, ...]:
    """Return the rows whose name, country or number has all words of the search, in the chosen order."""
    lines = {line.player: line for line in placed_at_the_end(tournament)}
    for player in tournament.players:  # who never started stands behind the others, without a place
        lines.setdefault(player.id, Standing(0, player.id, 0, Fraction(0), 0, by_lot=False))
    order = {
        "name": lambda: alphabetical(tournament.players),
        "country": lambda: sorted(alphabetical(tournament.players), key=lambda player: player.country),
        "rating": lambda: sorted(alphabetical(tournament.players), key=lambda player: -(player.rating or 0)),
    }.get(by, lambda: [tournament.player(id_) for id_ in lines])()
    return tuple(
        lines[player.id]
        for player in order
        if has_words(f"{player.name} {player.country} {player.team} {player.id}", sought)
    )


async def player_page(visit: Visit) -> Values:
    state, player = visit.state, visit.state.player(visit.request.path_params["player"])
    tournament = state.tournament
    games = [game for game in state.games.values() if player.id in game.players]
    private_path = _private_path(visit, player.id)
    return {
        "player": player,
        "games": games,
        "paired": bool(games) or any(player.id in paired.byes for paired in tournament.rounds),
        "gone": next(
            (withdrawal for withdrawal in tournament.withdrawals if withdrawal.player == player.id), None
        ),
        "conduct": await _player_conduct(visit, player.id),
        "conduct_kinds": CONDUCT,
        "to_come": state.round < last_round(tournament),
        "absences": sorted(
            (absence.round, absence.half_point)
            for absence in tournament.absences
            if absence.player == player.id
        ),
        "free_absences": rules_of(tournament).free_absences,
        "has_categories": has_categories(state),
        "private_path": private_path,
        "private_address": visit.address_for_others(private_path),
        "unreachable": NO_PUBLIC_PAGE,
    }


async def arrival_page(visit: Visit) -> Values:
    state = visit.state
    path = visit.hub.player_links.arrival_path(state) if visit.role >= Role.DIRECTOR else ""
    return {
        "arrival": state.arrival,
        "list_round": round_of_list(state),
        "tablet_path": path,
        "tablet_address": visit.address_for_others(path),
        "unreachable": NO_PUBLIC_PAGE,
        "missing": alphabetical(state.missing),
        "missing_ids": [player.id for player in state.missing],
        "here": alphabetical(
            player for player in state.tournament.players if player.id in state.arrival.here
        ),
        "paired": state.arrival.round <= state.round,
    }


def _private_path(visit: Visit, player: str) -> str:
    """Return the address of the player's own page on this hub for those who may hand it out, "" without one."""
    return visit.hub.player_links.path(visit.state, player) if visit.role >= Role.ASSISTANT else ""


async def links_page(visit: Visit) -> Values:
    """Return a slip for each player who has a page of their own, with its address as a QR code."""
    players = alphabetical(visit.state.tournament.players)
    paths = [(player, path) for player in players if (path := _private_path(visit, player.id))]
    addresses = ((player, visit.address_for_others(path)) for player, path in paths)
    slips = ((player, address, qr_svg(address)) for player, address in addresses if address)
    found = [slip async for slip in in_slices(slips)]
    return {"slips": found, "unreachable": NO_PUBLIC_PAGE if paths and not found else None}


async def _player_conduct(visit: Visit, player: str) -> tuple[ConductLine, ...]:
    entries = await visit.entries()
    games = [game for game in visit.state.games.values() if player in game.players and game.reported]
    records = {game.id: await record_of(visit, game) for game in games}
    return await apart(lambda: conduct_lines(visit.state, player, entries, undone(entries), records))


def out_of_room(state: TournamentState) -> tuple[Conduct, ...]:
    """Return the people who are expelled from the room; readmission is a note as well."""
    latest = {note.about: note for note in state.conduct if note.body.kind in ("room", "let_in")}
    return tuple(note for note in latest.values() if note.body.kind == "room")


def shown_player(state: TournamentState, changed: ChangedPlayer) -> object:
    """Return what the form of a player shows."""
    return state.player(changed.player)

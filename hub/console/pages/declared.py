"""The page of facts of the entries that a person declares: of the event, and of each player."""

from __future__ import annotations

import re
from typing import Any

from hub.commands.declared import EventFacts, FactsOfPlayers, PlayerFacts
from hub.console.context import Values, Visit
from hub.entries.findings import Finding, findings
from hub.formats.tournament_file import tournament_to_json
from hub.model.players import Player, alphabetical
from hub.model.tournament import Tournament
from hub.record.state import TournamentState
from hub.rulebook import EntryRules, rules_of
from hub.text import FormatError

# Lists of nations, typed with commas between them.
LISTS = ("federations", "contact_nations", "admitted_nations", "federations_reporting", "confederation")
REPRESENTS = ("citizen", "resident", "wof-flag")
CREDENTIALS = ("requested", "shown")
PLAYER_FIELDS = PlayerFacts.__struct_fields__
# What the keys of the choices' texts begin with.
_WORDS = {"represents": "represents.", "credentials": "credentials."}


async def declared_page(visit: Visit) -> Values:
    state = visit.state
    rules = rules_of(state.tournament).entry
    file = tournament_to_json(state.tournament)
    return {
        "facts": {name: ", ".join(file.get(name) or ()) for name in LISTS}
        | {name: file.get(name, "") for name in ("host", "results_sent")},
        "event_fields": event_fields(rules),
        "player_fields": player_fields(rules),
        "players": alphabetical(state.tournament.players),
        "words": _WORDS,
        "represents": REPRESENTS,
        "credentials": CREDENTIALS,
        "findings": entry_findings(state.tournament),
        "shown_event": shown_event(state),
        "shown_players": shown_players(state),
    }


def entry_findings(tournament: Tournament) -> tuple[Finding, ...]:
    """Return the rulebook's findings, none where the entries cannot be checked."""
    try:
        return findings(tournament)
    except FormatError:
        return ()


def event_fields(rules: EntryRules) -> tuple[str, ...]:
    """Return the facts of the event with which this text's checks can do something."""
    fits = {
        "host": bool(rules.clauses.additional),
        "federations": rules.team is not None,
        "contact_nations": rules.contact is not None,
        "admitted_nations": rules.team is not None,
        "federations_reporting": rules.federations_report,
        "confederation": rules.confederation,
        "results_sent": rules.director_reports,
    }
    return tuple(name for name, fit in fits.items() if fit)


def player_fields(rules: EntryRules) -> tuple[str, ...]:
    """Return the facts of a player with which this text's checks can do something."""
    closes = rules.last_day is not None or rules.month_before
    fits = {
        "represents": bool(rules.clauses.resident or rules.confederation),
        "registered": closes,
        "credentials": rules.credentials,
        "needs": bool(rules.clauses.extra_minutes),
        "extra_minutes": bool(rules.clauses.extra_minutes),
        "hands_commit": bool(rules.clauses.extra_minutes or rules.clauses.hands),
    }
    return tuple(name for name, fit in fits.items() if fit)


def read_event_facts(visit: Visit) -> EventFacts:
    """Return the facts of the event in the fields that the form had."""
    form, given = visit.form, dict[str, Any]()
    for name in LISTS:
        if name in form.fields:
            words = re.split(r"[,;、，；\n]", form.text_or_empty(name, 4_000))
            given[name] = tuple(dict.fromkeys(filter(None, map(str.strip, words))))
    given |= {
        name: form.text_or_empty(name).strip() for name in ("host", "results_sent") if name in form.fields
    }
    return EventFacts(**given)


def read_player_facts(visit: Visit) -> FactsOfPlayers:
    """Return the facts of each player in the fields `NAME-ID` that the form had."""
    form, players = visit.form, {}
    for player in visit.state.tournament.players:
        given = dict[str, Any]()
        for name in PLAYER_FIELDS:
            field = f"{name}-{player.id}"
            if field not in form.fields:
                continue
            if name == "extra_minutes":
                given[name] = form.field(field, float | None)
            elif name == "hands_commit":
                given[name] = {"": None, "0": False, "1": True}[form.choice(field, ("", "0", "1"))]
            elif name in ("represents", "credentials"):
                given[name] = form.choice(field, ("", *(REPRESENTS if name == "represents" else CREDENTIALS)))
            else:
                given[name] = form.text_or_empty(field).strip()
        if given:
            players[player.id] = PlayerFacts(**given)
    return FactsOfPlayers(players=players)


def shown_event(state: TournamentState, _: object = None) -> object:
    """Return what the form of the event's facts shows."""
    file = tournament_to_json(state.tournament)
    return [file.get(name) for name in EventFacts.__struct_fields__]


def shown_players(state: TournamentState, _: object = None) -> object:
    """Return what the form of the players' facts shows."""
    return [facts_of(player) for player in state.tournament.players]


def facts_of(player: Player) -> tuple[object, ...]:
    return player.id, *(getattr(player, name) for name in PLAYER_FIELDS)

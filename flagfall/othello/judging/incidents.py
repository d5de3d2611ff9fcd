"""The record of incidents."""

from __future__ import annotations

from flagfall.base.message import Message
from flagfall.base.value import replace
from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.inputs import TYPE_NAMES, ByPlayer, Input, Ruling


def note(game: Game, incident: Incident) -> Game:
    return replace(game, incidents=game.incidents.and_one(incident))


def refused(game: Game, entry: Input, why: Message) -> Game:
    """Return the game with the refusal on record."""
    rule = entry.rule if isinstance(entry, Ruling) else None
    by = entry.by if isinstance(entry, ByPlayer) else None
    named = TYPE_NAMES[type(entry)]
    return note(game, Incident(game.at_ns, IncidentType.REFUSED, by, input=named, rule=rule, why=why))

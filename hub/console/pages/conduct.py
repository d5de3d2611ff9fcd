"""The director's notes of conduct: warnings, abuses, expulsions from the room."""

from __future__ import annotations

from hub.console.context import RequestContext
from hub.record.events import CONDUCT, ConductNoted
from hub.record.state import Conduct, TournamentState
from othello.rulebook import Rulebook, rulebook


def clause_of(rules: Rulebook, kind: str) -> str:
    """The rulebook's clause for such a note, "" if there is none."""
    told = next((clause for clause, word in rules.event.told.items() if word == kind), "")
    return told or ", ".join(rules.cites.get(kind, ()))


def out_of_room(state: TournamentState) -> tuple[Conduct, ...]:
    """The people who are expelled from the room; readmission is a note as well."""
    latest = {note.about: note for note in state.conduct if note.said.kind in ("room", "let_in")}
    return tuple(note for note in latest.values() if note.said.kind == "room")


async def note_player(visit: RequestContext) -> None:
    """A note about a player of the event."""
    await _note(visit, visit.at("player"), "")


async def note_spectator(visit: RequestContext) -> None:
    """A note about anybody else in the room."""
    await _note(visit, None, visit.form.text("person"))


async def _note(visit: RequestContext, player: str | None, person: str) -> None:
    state, form = visit.state, visit.form
    kind = form.choice("kind", CONDUCT)
    said = ConductNoted(
        kind=kind,
        player=player,
        person=person,
        clause=clause_of(rulebook(state.tournament.rulebook), kind),
        why=form.text("why"),
        until=form.text_or_empty("until") if kind == "room" else "",
        after_round=state.round,
    )
    await visit.event.record(said)

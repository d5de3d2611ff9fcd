"""Announcements to the players, with their clauses: before a pairing, before a start, beside the standings."""

from __future__ import annotations

from hub.record.state import TournamentState
from othello.event_rule import TOLD
from othello.rulebook import rulebook


def told_at(state: TournamentState, moment: str) -> tuple[tuple[str, str], ...]:
    """(clause, key in the catalogue's `told`) by this event's rulebook, for a moment of `othello.event_rule.TOLD`."""
    told = rulebook(state.tournament.rulebook).event.told
    return tuple((clause, word) for clause, word in told.items() if TOLD[word] == moment)

"""Matters that stand in an event's way: games at the tables, two scores in conflict, and what waits for the director's
answer."""

from __future__ import annotations

from flagfall.base.message import Message
from hub.record.state import TournamentState
from hub.text import Refused


def expect_undisputed(state: TournamentState) -> None:
    """Raise Refused while a game has two scores of which neither has been chosen."""
    for game in state.disputed:
        raise Refused(
            "{where}: two scores are in conflict. Decide under Round which one counts", where=game.where
        )


def expect_all_played(state: TournamentState) -> None:
    """Raise Refused while games stand at the tables."""
    if state.open_games:
        raise Refused(
            "expected no game at the tables: withdraw the round, or enter its results", field="event"
        )


def unanswered(state: TournamentState) -> tuple[Message, ...]:
    """Return what waits for the director's answer and has no button any more once the event is closed: objections,
    reports of one player alone, results in question."""
    lines = []
    for objection in state.objections:
        game = state.games.get(objection.game)
        if game is not None and not objection.outcome and objection.matter not in state.settled:
            line = Message.of(
                "{where}: {player} objects to the result", where=game.where, player=objection.player
            )
            lines.append(line)
    for game in state.games.values():
        if game.claim is not None and game.score is None and not game.conflict:
            line = Message.of(
                "{where}: {player} has reported a result that nobody has confirmed",
                where=game.where,
                player=game.black if game.claim.by[0] else game.white,
            )
            lines.append(line)
        elif game.in_question and not game.conflict:
            lines.append(Message.of("{where}: the result is in question", where=game.where))
    return tuple(lines)


def expect_answered(state: TournamentState) -> None:
    """Raise Refused naming what waits for an answer."""
    for line in unanswered(state):
        raise Refused("{line}. Answer it under Round before you close the event", line=line)

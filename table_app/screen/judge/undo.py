"""The counter-ruling that takes a ruling back. Both stay on record.

Some rulings cannot be taken back: a finished correction, a confirmed default, the end of a running game. The referee
decides whether a counter-ruling is still possible.
"""

from __future__ import annotations

from dataclasses import replace

from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.inputs import Rule, Ruling
from flagfall.othello.message import Message
from flagfall.othello.reason import Reason
from flagfall.othello.referee import judge


def counter_ruling(before: Game, ruling: Ruling) -> Ruling | None:
    """Return the counter-ruling to `ruling`, which was given in the game `before`; None if there is none."""
    undone = _counter(before, ruling)
    if undone is None:
        return None
    return replace(undone, reason=f"undo {ruling.rule}", who=ruling.who, undoes=ruling.rule)


def _counter(before: Game, ruling: Ruling) -> Ruling | None:
    at_ns = ruling.at_ns
    match ruling.rule:
        case Rule.ADJUST_TIME if ruling.seconds is not None:
            return Ruling(at_ns, Rule.ADJUST_TIME, player=ruling.player, seconds=-ruling.seconds)
        case Rule.STOP:
            return Ruling(at_ns, Rule.RESUME)
        case Rule.RESUME:
            return Ruling(at_ns, Rule.STOP)
        case Rule.CORRECT_ERROR:
            return Ruling(at_ns, Rule.DISMISS_ERROR)
        case Rule.DISMISS_ERROR:
            return _error_named_again(before, at_ns)
        case Rule.SET_POSITION if not before.shown.unknown:
            return Ruling(at_ns, Rule.SET_POSITION, position=before.shown, to_move=before.to_move)
        case Rule.DISCS_MOVED if ruling.player is not None:
            return Ruling(at_ns, Rule.DISCS_MOVED, player=ruling.player.other, count=ruling.count)
        case Rule.SET_SCORE | Rule.AWARD | Rule.DRAW | Rule.FORFEIT if (ended := before.outcome) is not None:
            if ended.reason is Reason.FORFEIT and ended.winner is not None:
                # Whether a game is a no-show depends on it.
                return Ruling(at_ns, Rule.FORFEIT, player=ended.winner.other)
            return Ruling(at_ns, Rule.SET_SCORE, score=ended.score)
    return None


def _error_named_again(before: Game, at_ns: int) -> Ruling | None:
    """Return the dismissed error, named again by the judge: possible until the next commitment."""
    errors = before.unsettled
    if not errors or errors[0].by is None:
        return None
    error = errors[0]
    square = error.squares.bit_length() - 1 if error.squares else None
    return Ruling(at_ns, Rule.CORRECT_ERROR, player=error.by, error=error.error, square=square)


def record_of(game: Game, ruling: Ruling) -> Incident | None:
    """Return the record's entry on a ruling: applied (`ruling`) or `refused`; None while it waits."""
    for incident in reversed(game.incidents):
        if incident.at_ns < ruling.at_ns:
            return None
        if incident.rule is ruling.rule and incident.type in (IncidentType.RULING, IncidentType.REFUSED):
            return incident
    return None


def refusal_of(game: Game, ruling: Ruling | None) -> Message | None:
    """Return the reason why the ruling was refused; None if it was not."""
    entry = None if ruling is None else record_of(game, ruling)
    return entry.why if entry is not None and entry.type is IncidentType.REFUSED else None


def can_be_undone(game: Game, ruling: Ruling | None, undone: Ruling | None) -> bool:
    """Return True if the ruling was applied and the counter-ruling would be accepted now."""
    if ruling is None or undone is None:
        return False
    entry = record_of(game, ruling)
    if entry is None or entry.type is not IncidentType.RULING:
        return False
    after = judge(game, replace(undone, at_ns=game.at_ns))
    new = after.incidents[len(game.incidents) :]
    return not any(incident.type is IncidentType.REFUSED and incident.rule is undone.rule for incident in new)

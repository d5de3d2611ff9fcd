"""Putting on record what happened, and what became of it."""

from __future__ import annotations

from othello.game import ErrorState, Game, Incident, IncidentType
from othello.inputs import TYPE_NAMES, ErrorKind, Input, Ruling
from othello.refusals import Refusal
from othello.side import Side
from othello.value import replace


def note(game: Game, incident: Incident) -> Game:
    return replace(game, incidents=(*game.incidents, incident))


def refused(game: Game, one: Input, why: Refusal) -> Game:
    """The same game with the refusal on record."""
    rule = one.rule if isinstance(one, Ruling) else None
    by = getattr(one, "by", None)
    return note(
        game,
        Incident(game.at_ns, IncidentType.REFUSED, by, input=TYPE_NAMES[type(one)], rule=rule, why=why),
    )


def note_error(game: Game, at_ns: int, kind: ErrorKind, by: Side, squares: int) -> tuple[Game, int]:
    """Puts an error on record as open; also returns its index."""
    noted = note(game, Incident(at_ns, IncidentType(kind.value), by, squares, ErrorState.OPEN))
    return noted, len(game.incidents)


def with_error(game: Game, index: int, state: ErrorState) -> Game:
    """The same game with one error's state changed."""
    incidents = list(game.incidents)
    incidents[index] = replace(incidents[index], state=state)
    return replace(game, incidents=tuple(incidents))


def open_errors(game: Game) -> tuple[int, ...]:
    """Indices of the errors in the last move that still can be put right."""
    if game.last is None:
        return ()
    return tuple(i for i in game.last.errors if game.incidents[i].state is ErrorState.OPEN)


def close_errors(game: Game, state: ErrorState) -> Game:
    """Gives all open errors of the last move this state."""
    for index in open_errors(game):
        game = with_error(game, index, state)
    return game


def accept(game: Game, flipped: int = 0) -> tuple[Game, tuple[int, ...]]:
    """The next commitment accepts the board as it is then (woc-2019 IV.5.2, usoa 7.1); also returns the errors closed.

    What somebody has put right before it, without any procedure, is right, and nobody is accused of it later.
    `flipped`: squares that the commitment itself has flipped, which say nothing about that.
    """
    closed, last = open_errors(game), game.last
    if not closed or last is None:
        return game, ()
    wrong = game.before.differences(last.right)
    put_right = wrong & ~(game.shown.differences(last.right) | game.shown.unknown | flipped)
    for index in closed:
        mended = put_right == wrong and game.incidents[index].type is IncidentType.MISFLIP
        game = with_error(game, index, ErrorState.CORRECTED if mended else ErrorState.ACCEPTED)
    return replace(game, before=game.before.with_squares(put_right, last.right)), closed

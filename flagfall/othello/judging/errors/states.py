"""The state of an error on record: open, corrected, accepted, dismissed."""

from __future__ import annotations

from flagfall.base.value import Growing, replace
from flagfall.othello.game import ErrorState, Game, Incident, IncidentType
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.incidents import note
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.side import Side


def note_error(game: Game, kind: ErrorKind, by: Side, squares: int) -> tuple[Game, int]:
    """Record an error as open; also return its index."""
    noted = note(game, Incident(game.at_ns, IncidentType(kind), game.timed(by), squares, ErrorState.OPEN))
    return noted, len(game.incidents)


def with_error(game: Game, index: int, state: ErrorState, squares: int = 0) -> Game:
    """Return the game with one error's state changed, and its squares if there are any."""
    error = game.incidents[index]
    error = replace(error, state=state, squares=squares or error.squares)
    named, was = (error.type, error.by), game.accepted.get((error.type, error.by), 0)
    accepted = was | error.squares if state is ErrorState.ACCEPTED else was & ~error.squares
    return replace(
        game,
        incidents=game.incidents.with_(index, error),
        accepted=game.accepted if accepted == was else {**game.accepted, named: accepted},
    )


def close_errors(game: Game, state: ErrorState) -> Game:
    """Give all open errors of the last move this state."""
    for index in open_errors(game):
        game = with_error(game, index, state)
    return game


def with_errors_settled(game: Game) -> Game:
    """Accept every open error, except those that were put right by hand before (woc-2019 IV.5.2, IV.8)."""
    lies = game.shown if game.turn.disc_down is None else game.lies
    mended = game.last is not None and not game.last.right.differences(lies)
    incidents = Growing.of(
        replace(incident, state=_signed_as(incident, mended))
        if incident.state is ErrorState.OPEN
        else incident
        for incident in game.incidents
    )
    return replace(game, incidents=incidents)


def _signed_as(error: Incident, mended: bool) -> ErrorState:
    """Return the state of an error after both signatures: a misflip put right by hand is corrected, others are
    accepted."""
    right = mended and error.type is IncidentType.MISFLIP
    return ErrorState.CORRECTED if right else ErrorState.ACCEPTED

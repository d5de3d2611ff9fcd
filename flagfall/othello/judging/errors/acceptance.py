"""Errors accepted by the next commitment (woc-2019 IV.5.2, usoa 7.1)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import ErrorState, Game, IncidentType
from flagfall.othello.judging.errors.disturbance import note_disturbed
from flagfall.othello.judging.errors.kinds import PUT_RIGHT
from flagfall.othello.judging.errors.states import with_error
from flagfall.othello.reading.last_move import left_wrong, open_errors, put_right


def accept(game: Game, lies: Position, mended: int = 0) -> tuple[Game, tuple[int, ...]]:
    """Accept the board as it lies by the next commitment (woc-2019 IV.5.2, usoa 7.1); also return the errors closed.

    Squares that somebody has put right before it, without any procedure, are right (`mended`: squares known to be,
    beside those of `lies`), and nobody is accused of them later. Any other change is on record without a culprit.
    """
    closed, wrong = open_errors(game), left_wrong(game)
    mended = put_right(game, lies) | (mended & wrong)
    for index in closed:
        right = mended == wrong and game.incidents[index].type in PUT_RIGHT
        game = with_error(game, index, ErrorState.CORRECTED if right else ErrorState.ACCEPTED)
    if game.last is not None:
        lies = lies.with_squares(mended, game.last.right)
    game = note_disturbed(game, game.before.differences(lies) & ~mended)
    return replace(game, before=lies.known_through(game.before)), closed


def accepted_types(game: Game, closed: tuple[int, ...]) -> tuple[IncidentType, ...]:
    """Return the types of the errors that the turn's touches and its move have accepted."""
    errors = (game.incidents[index] for index in (*game.turn.accepted, *closed))
    return tuple(error.type for error in errors if error.state is ErrorState.ACCEPTED)

"""An error dismissed by the judge."""

from __future__ import annotations

from flagfall.othello.game import ErrorState, Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.errors.play_goes_on import is_near, play_goes_on
from flagfall.othello.judging.errors.states import with_error
from flagfall.othello.judging.self_play_moves import spoken_of
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.refusals import RefusedError


def rule_dismiss_error(game: Game, ruling: Ruling) -> Game:
    """Dismiss an error, or let it stand: the position as it is goes on (woc-2019 IV.5.1)."""
    if game.correction is not None:
        correction = game.correction
        game = with_error(game, correction.incident, ErrorState.DISMISSED)
        boards = (game.board, game.shown) if game.reads_board else ()
        lies = next(
            (board.known_through(game.before) for board in boards if is_near(board, game.before)), game.before
        )
        return play_goes_on(game, lies, correction.offender.other)
    game = spoken_of(game)
    standing = open_errors(game)
    if not standing:
        raise RefusedError("no_error_open")
    return with_error(game, standing[0], ErrorState.DISMISSED)

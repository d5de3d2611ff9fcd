"""Discs beside a move, of which nobody knows who laid them."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.errors.states import note_error


def charge_doubtful(game: Game) -> Game:
    """Charge discs that came down beside the last move to the player who pressed, once somebody speaks of them."""
    last, squares = game.last, game.turn.doubtful & game.board.occupied
    if last is None or not squares:
        return game
    game, index = note_error(game, ErrorKind.MISFLIP, last.by, squares)
    return replace(
        game,
        before=game.before.with_squares(squares, game.board),
        last=replace(last, errors=(*last.errors, index)),
        turn=replace(game.turn, doubtful=0),
    )

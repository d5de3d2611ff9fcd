"""Errors of the last move put right after the board has ended the game (woc-2019 IV.5.2)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Game, State, Turn
from flagfall.othello.judging.end import finish_by_board
from flagfall.othello.judging.errors.play_goes_on import awaits_move_of
from flagfall.othello.reading.last_move import open_errors, put_right
from flagfall.othello.side import Both


def can_be_mended(game: Game, board: Position) -> bool:
    """Tell whether the score of a game that the board has ended follows this board, on which an error of its last
    move may have been put right. A board that is being cleared changes nothing."""
    last = game.last
    if game.awaits is not Awaits.ACCEPT_END and (game.state is not State.FINISHED or not game.ended_by_board):
        return False
    if last is None or last.left is None or not open_errors(game):
        return False
    return not (board.occupied ^ last.right.occupied) & ~(board.unknown | last.right.unknown)


def mended_after_the_end(game: Game) -> Game:
    """Count discs of the last move that are put right before both have signed, as before any other commitment (woc-2019
    IV.5.2).

    A game that was over only because of the errors in that move goes on: the clock of the player to move runs. Other
    changes of the board have no effect then: players clear it.
    """
    last = game.last
    if last is None or not can_be_mended(game, game.board):
        return game
    shown = game.before.with_squares(put_right(game, game.board), last.right)
    if shown == game.shown.known_through(game.before):
        return game
    game = replace(game, shown=shown)
    if shown.over() or game.self_play is not None:
        return finish_by_board(game) if game.over else game
    goes_on = replace(
        awaits_move_of(game, game.to_move), outcome=None, awaits=None, signed=Both(False, False)
    )
    return replace(goes_on, shown=game.board, turn=Turn(lay=game.board.known_through(shown)))

"""The last move as the board shows it: its errors that are open, and what of it lies wrong or has been put right."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import ErrorState, Game
from flagfall.othello.side import Side


def open_errors(game: Game) -> tuple[int, ...]:
    """Return the indices of the errors in the last move that still can be put right."""
    if game.last is None:
        return ()
    return tuple(i for i in game.last.errors if game.incidents[i].state is ErrorState.OPEN)


def left_wrong(game: Game) -> int:
    """Return the squares that the last move left wrong, while its errors are open."""
    return game.before.differences(game.last.right) if game.last is not None and open_errors(game) else 0


def put_right(game: Game, lies: Position) -> int:
    """Return the squares that the last move left wrong and that are right in `lies`."""
    wrong = left_wrong(game)
    return wrong & ~(lies.differences(game.last.right) | lies.unknown) if game.last is not None else 0


def entry_side(game: Game) -> Side:
    """Return the player whose move is entered or read next."""
    return game.to_move if game.owed % 2 == 0 else game.to_move.other

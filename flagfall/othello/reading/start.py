"""The board before the first move: whether it is the start position, and whether play has begun on it already."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import Game, State
from flagfall.othello.reading.lines import line_to


def wrong_start(game: Game) -> int:
    """Return the squares on which the board lies wrong before any clock runs, for the screen to show."""
    if game.state is not State.WAITING or not game.reads_board or begun_already(game, game.board):
        return 0
    return game.start.differences(game.board)


def begun_already(game: Game, board: Position) -> bool:
    """Return whether Black's move, or that and an answer, lies there: the press that starts Black's clock was
    forgotten."""
    return bool(line_to(game.start, True, board))


def may_be_first(board: Position, shown: Position, new: int) -> bool:
    """Tell whether the new discs are a single one that can be Black's first move, its flips to come."""
    return new.bit_count() == 1 and bool(board.legal(True) & ~shown.white & new)


def as_started_right(game: Game) -> Position:
    """Return the position, had the start been right on the squares where it is not yet."""
    return game.before.with_squares(game.astray, game.start)

"""A move out of turn, charged to the player who made it (jof J5)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import ErrorState, Game, Ply, State, Turn
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.errors.states import note_error, with_error
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.reading.turn import moved_out_of_turn


def charge_moved_out_of_turn(game: Game) -> Game:
    """Charge the opponent with the move that lies there out of turn, if there is one, once somebody speaks of it or the
    player to move goes on from it (jof J5)."""
    square = moved_out_of_turn(game, game.shown) if game.state is State.RUNNING else None
    return game if square is None else charge_out_of_turn(game, square, game.shown)


def charge_out_of_turn(game: Game, square: int, lies: Position) -> Game:
    """Charge the opponent of the player to move with a move to this square out of turn (jof J5). Its touch was theirs;
    the player to move stays bound by any other."""
    by, turn, last = game.to_move.other, game.turn, game.last
    if turn.touched and not set(turn.touched) - {square}:
        for index in turn.accepted:
            game = with_error(game, index, ErrorState.OPEN)
    last = Ply(by, None, game.before, game.before) if last is None else last
    right = last.right if open_errors(game) else game.before
    game, index = note_error(game, ErrorKind.OUT_OF_TURN, by, 1 << square)
    return replace(
        game,
        before=lies.known_through(game.before),
        last=replace(last, right=right, errors=(*last.errors, index), left=lies),
        turn=Turn(bound=tuple(other for other in turn.binding if other != square), dropped=turn.dropped),
    )

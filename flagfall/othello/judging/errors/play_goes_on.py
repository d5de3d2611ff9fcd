"""Play that goes on after an error: the position, and whose clock runs (woc-2019 IV.5.1.c)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Game, State, Turn
from flagfall.othello.inputs import Shown
from flagfall.othello.judging.end import end_if_over
from flagfall.othello.judging.incidents import refused
from flagfall.othello.judging.last_press import remember_press
from flagfall.othello.reading.turn import see_disc
from flagfall.othello.refusals import refusal
from flagfall.othello.side import Side


def right_position(game: Game) -> Position:
    """Return the position that the last move should have left."""
    return game.last.right if game.last is not None else game.before


_MOST_DISCS_ASTRAY = 2


def is_near(board: Position, right: Position) -> bool:
    """Tell whether a board can be the corrected one: at most two discs are missing or added. A board that is being
    cleared or set up anew is not near."""
    astray = (board.occupied ^ right.occupied) & ~(board.unknown | right.unknown)
    return astray.bit_count() <= _MOST_DISCS_ASTRAY


def board_since_move(game: Game) -> tuple[Game, Position | None]:
    """Return the board as shown since the move; None if it shows the move still, or nothing like it, which is
    refused."""
    left = game.last.left if game.last is not None else None
    if not game.reads_board or left is None or game.board == left:
        return game, None
    if not is_near(game.board, right_position(game)):
        return refused(game, Shown(game.at_ns, game.board), refusal("far_position")), None
    return game, game.board


def awaits_move_of(game: Game, side: Side) -> Game:
    """End the correction with `side` to move (woc-2019 IV.5.1.c). Clocks that stand are not started."""
    stopped = game.state is State.STOPPED
    clock = game.clock_running(None if stopped else side)
    if game.correction is not None and side is not game.correction.offender:
        clock = game.in_new_period(clock, side.other)
    state = State.STOPPED if stopped else State.RUNNING
    return replace(game, state=state, clock=clock, to_move=side, correction=None)


def play_goes_on(game: Game, position: Position, side: Side) -> Game:
    """Let `side` move in this position after a correction; other differences on the board are held against nobody, but
    for a player who plays alone (woc-2019 IV.5.1.c)."""
    known = position.known_through(right_position(game))
    otherwise = game.self_play is None and game.reads_board and game.board.differences(known)
    game = replace(
        awaits_move_of(game, side),
        shown=known,
        before=known,
        turn=Turn(bound=game.turn.bound, lay=game.board if otherwise else None),
    )
    return see_disc(end_if_over(remember_press(game)))

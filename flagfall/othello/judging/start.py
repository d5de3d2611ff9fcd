"""The start of a game: the director's signal, and White's press (usoa 5.6, jof J4)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, State, Turn
from flagfall.othello.inputs import Press, Start
from flagfall.othello.judging.clocks import started
from flagfall.othello.judging.last_press import remember_press
from flagfall.othello.judging.move import count_ply
from flagfall.othello.judging.press import press_out_of_turn, press_running
from flagfall.othello.judging.start_position import from_here
from flagfall.othello.reading.start import begun_already, may_be_first
from flagfall.othello.reading.turn import read, see_disc
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def start(game: Game, entry: Start) -> Game:
    """Record the director's signal; nothing runs before White's press (usoa 5.6)."""
    if game.armed:
        raise RefusedError("start_given")
    return replace(game, start_ns=game.at_ns)


def press_waiting(game: Game, press: Press) -> Game:
    """Start Black's clock by White's press after the director's signal (usoa 5.6).

    If it was forgotten, and Black's move lies on a board that is read, Black's press starts White's clock.
    """
    if not game.armed or (press.by is Side.BLACK and not game.reads_board):
        return press_out_of_turn(game, press)
    begun = replace(game, state=State.RUNNING, clock=game.clock_running(press.by), turn=Turn())
    if not game.reads_board:
        return remember_press(started(begun))
    board = game.start if begun_already(game, game.shown) else game.before
    new = game.shown.discs_on(board.empty)
    came_down = board == game.before and len(game.turn.laid) == new.bit_count()
    if came_down:
        begun = replace(begun, turn=game.turn)
    reading = read(see_disc(replace(begun, before=board)))
    square = reading.square
    # More than a move and its answer are the discs of the game before, unless the board saw each come down.
    moved = square is not None and (new.bit_count() <= 2 or (came_down and bool(reading.line)))
    if press.by is Side.BLACK:
        # Without a move of his it is no start.
        return (
            press_running(see_disc(from_here(begun, board)), press)
            if moved
            else press_out_of_turn(game, press)
        )
    lies = game.shown.known_through(board)
    if new and not may_be_first(board, game.shown, new) and not (moved and reading.line):
        return started(from_here(begun, lies))
    begun = from_here(begun, board)
    if new and not reading.line:
        # If he moves elsewhere it was no move of his, and lies there wrong.
        begun = replace(begun, turn=replace(begun.turn, lay=lies))
    begun = see_disc(begun)
    if reading.line[1:2] in ((), (None,)):
        return started(begun)
    return press_running(count_ply(begun, reading), press)

"""An error put right on the offender's time (woc-2019 IV.5.1, usoa 7.4)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Correction, ErrorState, Game, State, Turn
from flagfall.othello.inputs import ErrorKind, Ruling
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.play_goes_on import (
    board_since_move,
    is_near,
    play_goes_on,
    right_position,
)
from flagfall.othello.judging.errors.states import close_errors, with_error
from flagfall.othello.judging.errors.taken_back import take_back
from flagfall.othello.judging.flags.count_down import lose_by_error
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def open_correction(game: Game, index: int) -> Game:
    """Let the offender's clock run until the error is put right; a game that the board had ended is open again
    (woc-2019 IV.5.1.a, usoa 7.4)."""
    if game.outcome is not None and not game.ended_by_board:
        raise RefusedError("ended_otherwise", reason=game.outcome.reason)
    if game.correction is not None:
        raise RefusedError("correcting_already")
    kind, offender = game.incidents[index].error, game.incidents[index].by
    if game.self_play is not None:
        offender = game.last_mover  # the colour that moves again, or whose answer follows
    if kind is None or offender is None:
        raise RefusedError("no_offender")
    game = with_error(game, index, ErrorState.CORRECTING)
    right = right_position(game)
    game = replace(
        game,
        state=State.CORRECTING,
        shown=game.board if game.over and is_near(game.board, right) else game.shown,
        clock=game.clock_running(offender),
        to_move=offender if kind in MOVES_AGAIN else offender.other,
        outcome=None,
        awaits=None,
        counted=None,
        signed=Both(False, False),
        ready=Both(False, False),
        correction=Correction(kind, offender, index),
        turn=Turn(bound=game.turn.bound if kind is ErrorKind.OUT_OF_TURN else ()),
    )
    return lose_by_error(game, offender)


def rule_corrected(game: Game, ruling: Ruling) -> Game:
    """Record that the judge has put the error right: the clock of the player to move runs (woc-2019 IV.5.1.c).

    The judge's word counts: the position is the board as shown since the move, else the position as it should be.
    """
    correction = game.correction
    if correction is None:
        raise RefusedError("nothing_corrected")
    if correction.kind is ErrorKind.WRONG_COLOUR and (right := _turned_to_his_colour(game)) is not None:
        return _put_right(game, correction, right)
    if correction.kind in MOVES_AGAIN:
        return take_back(game, correction)
    game, spoken = board_since_move(game)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    return play_goes_on(game, spoken or right_position(game), correction.offender.other)


def _turned_to_his_colour(game: Game) -> Position | None:
    """Return the position after the move to the square of the wrong-coloured disc, if the board shows it in the right
    colour now."""
    last = game.last
    if last is None or last.square is None or not game.reads_board:
        return None
    black = (last.by is Side.BLACK) != last.reversed_before
    if not last.before.legal(black) >> last.square & 1:
        return None
    right = last.before.played(black, last.square)
    shown_there = game.board.discs(black) >> last.square & 1
    return right if shown_there and not right.differences(game.board) else None


def _put_right(game: Game, correction: Correction, right: Position) -> Game:
    """Let the move stand that the judge has made in its own colour; the other player moves (woc-2019 IV.5.1.c, usoa
    7.2)."""
    last = game.last and replace(game.last, right=right, wrong_colour=False)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    return play_goes_on(replace(game, last=last), right, correction.offender.other)


def press_after_misflip(game: Game, correction: Correction) -> Game:
    """End a correction by the offender's press at a table without a judge; the board shows whether the flips are right
    now (usoa 7.4)."""
    right, spoken, last = right_position(game), None, game.last
    if game.reads_board and last is not None:
        game, spoken = board_since_move(game)
        if game.board == last.left:
            spoken = game.board
    wrong = right.differences(spoken) if spoken is not None else 0
    state = ErrorState.OPEN if wrong else ErrorState.CORRECTED
    squares = wrong if correction.kind is ErrorKind.MISFLIP else 0
    game = with_error(game, correction.incident, state, squares)
    return play_goes_on(game, spoken or right, correction.offender.other)

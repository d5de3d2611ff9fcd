"""The board of a winner by default who plays both colours alone (jof J15), judged as in any other play.

Nobody has to press, so a move counts as soon as it lies whole. What lies there otherwise is counted, with its errors on
record, as soon as the player presses, stops or goes on, or anybody speaks of it. All that changes on the board is that
player's: no touch and no disc of theirs makes discs right that they have turned without a move.
"""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Game, Ply
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.end import finish_self_play
from flagfall.othello.judging.errors.disturbance import note_disturbed
from flagfall.othello.judging.errors.states import note_error
from flagfall.othello.judging.move import count_ply
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.last_move import open_errors, put_right
from flagfall.othello.reading.turn import read, see_disc


def reads_alone(game: Game) -> bool:
    """Tell whether the winner by default plays alone on a board that is read; in a correction nothing is counted."""
    if game.self_play is None or game.correction is not None or game.over or game.awaits is not None:
        return False
    return game.reads_board and not game.owed


def count_move(game: Game, reading: Reading) -> Game:
    """Count one move or pass (jof J15). A disc beside it, which could be anybody's in other play, is the next move in
    hand."""
    game = count_ply(game, reading)
    if game.turn.doubtful:
        game = replace(game, turn=replace(game.turn, lay=None, doubtful=0))
    return see_disc(game)


def count_lying(game: Game) -> Game:
    """Count what lies there as moves, as a press would (jof J15)."""
    while reads_alone(game) and not game.before.over():
        reading = read(game, _settled(game))
        if reading.undecided or reading.square is None:
            break
        was, game = game, count_move(game, reading)
        if game.before.occupied == was.before.occupied:
            break
    return game


def spoken_of(game: Game) -> Game:
    """Count what lies there for somebody who speaks of it, and charge discs that were turned without a move (jof
    J15)."""
    game = count_lying(game)
    if not reads_alone(game):
        return game
    turned = _turned(game)
    if not turned:
        return game
    lies = _settled(game).known_through(game.before)
    last = Ply(game.to_move.other, None, game.before, game.before) if game.last is None else game.last
    right = last.right if open_errors(game) else game.before
    game, index = note_error(game, ErrorKind.MISFLIP, last.by, turned)
    last = replace(last, right=right, errors=(*last.errors, index), left=game.board)
    return replace(game, before=lies, last=last)


def end_alone(game: Game) -> Game:
    """End the play of a winner by default where it has come to: what is no result of play is on record, and does not
    count (jof J14, J15)."""
    if game.correction is not None:
        return finish_self_play(game)
    game = count_lying(game)
    if reads_alone(game):
        mended = put_right(game, game.shown)
        lies = game.lies if game.last is None else game.lies.with_squares(mended, game.last.right)
        game = replace(note_disturbed(game, _turned(game)), shown=lies)
    return finish_self_play(game)


def _settled(game: Game) -> Position:
    """Return the board without discs that were dropped."""
    return game.shown.without(game.turn.dropped)


def _turned(game: Game) -> int:
    """Return the squares that lie otherwise than the moves have left them, but for those put right by hand."""
    return game.lies.differences(_settled(game).known_through(game.lies)) & ~put_right(game, game.shown)

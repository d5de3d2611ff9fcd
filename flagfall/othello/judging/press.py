"""A press in play: it stops the clock at its instant, and makes the move that the board shows (usoa 5.7)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, Incident, IncidentType
from flagfall.othello.inputs import Press
from flagfall.othello.judging.clocks import turned
from flagfall.othello.judging.discs import tell_out_of_discs
from flagfall.othello.judging.end import end_if_over
from flagfall.othello.judging.errors.correction import open_correction, press_after_misflip
from flagfall.othello.judging.errors.doubtful_discs import charge_doubtful
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.out_of_turn import charge_moved_out_of_turn
from flagfall.othello.judging.errors.taken_back import take_back
from flagfall.othello.judging.flags.confirmed import moved_on
from flagfall.othello.judging.incidents import note
from flagfall.othello.judging.last_press import remember_press
from flagfall.othello.judging.move import count_turn
from flagfall.othello.judging.moves_owed import count_press
from flagfall.othello.judging.opponents_time import see_early
from flagfall.othello.judging.passing import can_only_pass
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.reading.turn import read
from flagfall.othello.side import Side


def press_running(game: Game, press: Press) -> Game:
    """Stop the running player's clock at the instant of their press, whatever the board shows then (usoa 5.3, 5.7)."""
    if press.by is not game.clock.running:
        return _press_by_the_other(game, press)
    only_starts = game.absent is Side.WHITE
    if game.turn.early_by_ns is not None and not game.owed:
        game = see_early(game)
    game = turned(game, press.by)
    if only_starts:
        return remember_press(game)
    if game.owed or not (game.reads_board or _whole_move_shown(game)):
        return count_press(remember_press(moved_on(game, press.by)))
    game = remember_press(game)
    if press.by is not game.to_move and not (game.rules.opponents_time == "allowed" and _answers(game)):
        # His move was counted already, or he only stops his own clock (usoa 5.9, 6.5).
        return game
    return _make(game, game.to_move)


def press_correcting(game: Game, press: Press) -> Game:
    """End a correction by the offender's press at a table without a judge, with the new move if one is due (usoa
    7.4)."""
    correction = game.correction
    if (
        correction is None
        or not game.offender_ends_correction
        or press.by is not game.timed(correction.offender)
    ):
        return press_out_of_turn(game, press)
    if correction.kind not in MOVES_AGAIN:
        return press_after_misflip(game, correction)
    if game.self_play is not None:
        return take_back(game, correction)
    return press_running(take_back(game, correction), press)


def press_out_of_turn(game: Game, press: Press) -> Game:
    return note(game, Incident(game.at_ns, IncidentType.PRESS_OUT_OF_TURN, press.by))


def _answers(game: Game) -> bool:
    """Tell whether the player to move has been answered, or passed over, though another clock runs."""
    return read(game).early is not None


def _whole_move_shown(game: Game) -> bool:
    """Tell whether the board was lost only after the whole move had been read."""
    reading = read(game)
    if reading.square is None or reading.early is not None:
        return False
    black = game.plays_black(game.to_move)
    if not game.legal(game.to_move) >> reading.square & 1 or game.shown.unknown:
        return False
    return not game.before.played(black, reading.square).differences(game.shown)


def _press_by_the_other(game: Game, press: Press) -> Game:
    """Judge a press by the player whose clock stands: it changes no clock; under usoa 5.9 it counts the moves made."""
    if not game.reads_board or game.owed:
        return press_out_of_turn(game, press)
    game = replace(game, turn=replace(game.turn, pressed_on=game.shown))
    if game.rules.opponents_time == "allowed":
        reading = read(game)
        if game.to_move is press.by and reading.square is not None:
            return _make(game, press.by)
        if game.to_move is press.by.other and reading.square is not None and reading.early is not None:
            return _make(game, press.by.other)
    return press_out_of_turn(game, press)


def _make(game: Game, by: Side) -> Game:
    """Judge the board after the press by (or for) the player to move."""
    unread = game.shown.unknown
    if unread:
        game = note(game, Incident(game.at_ns, IncidentType.UNREADABLE, by, unread))
    reading = read(game)
    if reading.undecided:
        return count_press(game)
    if reading.square is None:
        # Without a move: a pass, a change of clocks, a demand, an illegal pass (rulebooks.md, reading 2).
        if game.awaits_confirmation and not can_only_pass(game, by):
            return game.with_flag(by.other, game.flags.of(by.other).notice())
        if not can_only_pass(game, by):
            game = charge_moved_out_of_turn(charge_doubtful(game))
        demanded = _demanded(game, by)
        if demanded is not None:
            return open_correction(game, demanded)
    game = end_if_over(count_turn(game, reading))
    return game if game.over else tell_out_of_discs(game)


def _demanded(game: Game, by: Side) -> int | None:
    """Return the error that a press without a move demands to be corrected; None if there is none, or `by` can only
    pass."""
    if can_only_pass(game, by):
        return None
    return next(iter(open_errors(game)), None)

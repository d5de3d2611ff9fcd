"""The end accepted by the opponent of the last mover, where a rulebook asks for it (jof J9).

Until then the last move can be challenged.
"""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Awaits, Game, State
from flagfall.othello.inputs import AcceptEnd, Press, Stop
from flagfall.othello.judging.clocks import turned
from flagfall.othello.judging.end import finish_by_board
from flagfall.othello.judging.errors.correction import open_correction
from flagfall.othello.judging.errors.doubtful_discs import charge_doubtful
from flagfall.othello.judging.errors.states import with_errors_settled
from flagfall.othello.judging.press import press_out_of_turn, press_running
from flagfall.othello.judging.stop import rule_stop, summon
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.reading.turn import read
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def accept_end(game: Game, entry: AcceptEnd) -> Game:
    """Record that a player accepts the end; the word of the last mover's opponent ends the game (jof J9)."""
    if game.rules.ended_by == "press":
        raise RefusedError("end_needs_no_word", rulebook=game.rules.id)
    if game.end_accepted.of(entry.by):
        raise RefusedError("has_accepted", player=entry.by)
    opponent = game.last_mover.other
    if game.awaits is Awaits.ACCEPT_END or game.over:
        return _accepted(game, entry.by)
    if game.reads_board and not game.owed:
        raise RefusedError("not_over")
    # Without a board only the players know that nobody can move: the discs are counted next.
    if entry.by is not opponent:
        raise RefusedError("opponent_accepts", player=opponent)
    return rule_stop(replace(game, end_accepted=game.end_accepted.with_(entry.by, True)), entry)


def _accepted(game: Game, by: Side) -> Game:
    game = replace(game, end_accepted=game.end_accepted.with_(by, True))
    if game.over or by is game.last_mover:
        return game
    return finish_by_board(with_errors_settled(game))


def press_accepting(game: Game, press: Press) -> Game:
    """Open a correction for the opponent's press; without an error to be put right it only turns the clocks (jof
    J9)."""
    if press.by is not game.clock.running:
        return press_out_of_turn(game, press)
    if press.by is not game.last_mover:
        game = charge_doubtful(game)
        if standing := open_errors(game):
            return open_correction(game, standing[0])
    return turned(game, press.by)


def stop(game: Game, entry: Stop) -> Game:
    """Stop the clocks: to accept the end, as the last mover's word that it has come, or to call the director (jof J9,
    J10)."""
    if game.awaits is Awaits.ACCEPT_END:
        if entry.by is not game.last_mover:
            return _accepted(game, entry.by)
        return rule_stop(game, entry) if game.rules.ended_by == "last_mover" else summon(game, entry)
    if game.rules.ended_by == "last_mover" and game.state is State.RUNNING and entry.by is game.clock.running:
        after = press_running(game, Press(entry.at_ns, entry.by)) if _whole_move_lies_there(game) else game
        if after.awaits is Awaits.ACCEPT_END:
            return rule_stop(after, entry)
    return summon(game, entry)


def _whole_move_lies_there(game: Game) -> bool:
    """Tell whether the player to move has laid a disc that could be the last of the game."""
    if not game.reads_board or game.owed or game.clock.running is not game.to_move:
        return False
    reading = read(game)
    return reading.square is not None and (reading.left.over() or bool(reading.line and game.shown.over()))

"""Ends of a game by a word of its players: accepting the end, and resigning.

Where a rulebook asks for it a game that is over waits until the opponent of the last mover says so: until then the last
move can be challenged (jof J9).
"""

from __future__ import annotations

from flagfall.othello.game import SECOND_NS, Awaits, Game, IncidentType, State
from flagfall.othello.inputs import AcceptEnd, Press, Resign, Ruling, Shown, Stop, Unresign
from flagfall.othello.judging.corrections import open_correction
from flagfall.othello.judging.ending import (
    against,
    begun,
    finish,
    finish_by_board,
    lose,
    player_of,
    with_errors_settled,
)
from flagfall.othello.judging.reading import read
from flagfall.othello.judging.record import charge_doubtful, open_errors
from flagfall.othello.judging.rulings import rule_stop
from flagfall.othello.judging.rulings import stop as summon
from flagfall.othello.judging.turns import press_out_of_turn, press_running, shown, turned
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError, warning
from flagfall.othello.side import Both, Side
from flagfall.othello.value import Growing, replace


def accept_end(game: Game, entry: AcceptEnd) -> Game:
    """Record that a player accepts the end; the word of the last mover's opponent ends the game."""
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
    """Open a correction for the opponent's press; without an error to be put right it only turns the clocks."""
    if press.by is not game.clock.running:
        return press_out_of_turn(game, press)
    if press.by is not game.last_mover:
        game = charge_doubtful(game)
        if standing := open_errors(game):
            return open_correction(game, standing[0])
    return turned(game, press.by)


def stop(game: Game, entry: Stop) -> Game:
    """Stop the clocks: to accept the end, as the last mover's word that it has come, or to call the director."""
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


# How long a resignation can be taken back, in nanoseconds.
TAKEN_BACK_WITHIN_NS = 10 * SECOND_NS


def resign(game: Game, loser: Side) -> Game:
    """End the game 64-0; a player who has already won by default keeps their guarantee (rulebooks.md, reading 16)."""
    if game.self_play is loser.other:
        raise RefusedError("has_lost", player=loser)
    if game.in_default is loser.other:
        score = against(loser.other, game.rules.flag.guarantee)
        return replace(
            finish(game, Reason.RESIGNED, score),
            warnings=(*game.warnings, warning("resigned_after_default", player=loser)),
        )
    rule = game.rules.score
    if rule.resigned == "as in a default" or (rule.walkover is not None and not begun(game)):
        return lose(game, loser, Reason.RESIGNED)
    return finish(game, Reason.RESIGNED, against(loser, (64, 0)))


def resigned(game: Game, entry: Resign) -> Game:
    ended = resign(game, entry.by)
    return replace(ended, resigned_from=game, taken_back=Both(False, False))


def unresigned(game: Game, entry: Unresign) -> Game:
    """Take a resignation back when both players ask for it within ten seconds. The game goes on as before; the clock
    that ran then runs from now on. Events in between stay on record."""
    was = game.resigned_from
    if was is None:
        raise RefusedError("not_resigned")
    since = game.incidents[len(was.incidents) :]
    late = game.at_ns - was.at_ns > TAKEN_BACK_WITHIN_NS
    if late or any(entry.type is IncidentType.RULING for entry in since):
        raise RefusedError("resignation_stands")
    if game.taken_back.of(entry.by):
        raise RefusedError("taken_back_already", player=entry.by)
    game = replace(game, taken_back=game.taken_back.with_(entry.by, True))
    if not all(game.taken_back):
        return game
    goes_on = replace(
        was,
        clock=was.clock.run(None, was.at_ns).run(was.clock.running, game.at_ns),
        at_ns=game.at_ns,
        board_ok=game.board_ok,
        incidents=Growing.of((*was.incidents, *since)),
        notes=game.notes,
    )
    return goes_on if game.board == was.board else shown(goes_on, Shown(game.at_ns, game.board))


def rule_resign(game: Game, ruling: Ruling) -> Game:
    return resign(game, player_of(ruling))

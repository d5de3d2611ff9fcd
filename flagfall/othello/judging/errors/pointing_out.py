"""Errors in the last move pointed out by a player, and upheld by the judge (woc-2019 IV.5.1, usoa 7.5)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import square_name
from flagfall.othello.game import Game, IncidentType
from flagfall.othello.inputs import ErrorKind, Ruling, Signal
from flagfall.othello.judging.errors.correction import open_correction
from flagfall.othello.judging.errors.doubtful_discs import charge_doubtful
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN, must_be_error
from flagfall.othello.judging.errors.out_of_turn import charge_moved_out_of_turn
from flagfall.othello.judging.errors.states import note_error
from flagfall.othello.judging.flags.words import point_out_flag
from flagfall.othello.judging.self_play_moves import spoken_of
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def signal(game: Game, entry: Signal) -> Game:
    """Point out an error for a player (woc-2019 IV.5.1, usoa 7.5). At a judged table the judge decides, unless the text
    leaves it to players."""
    if entry.error == "flag":
        return point_out_flag(game, entry.by.other)
    kind = None if entry.error is None else ErrorKind(entry.error)
    must_be_error(game, kind)
    game = _spoken_of(game)
    standing = [i for i in _challengeable(game) if kind is None or _is_called(game, i, kind)]
    if entry.square is not None and kind is not ErrorKind.ILLEGAL_PASS and game.reads_board:
        named = [i for i in standing if _wrong_squares(game, i) >> entry.square & 1]
        if standing and not named:
            raise RefusedError("lies_right", square=square_name(entry.square))
        standing = named
    offender = game.last_mover
    if game.rules.demand_names_error and entry.by is not offender:
        _must_name(game, entry, kind)
    if game.header.judged and game.rules.corrected_by == "judge":
        if not standing and game.reads_board:
            raise RefusedError("no_such_error")
        return game
    if standing:
        return open_correction(game, standing[0])
    if game.reads_board or kind is None:
        raise RefusedError("no_such_error")
    return _open_unseen(game, kind, offender, entry.square)


def _spoken_of(game: Game) -> Game:
    """Charge what nobody is accused of before somebody speaks of it: a move out of turn, discs beside a move, and what
    a player who plays alone has not pressed for."""
    game = spoken_of(charge_moved_out_of_turn(game))
    return game if _has_answered(game) else charge_doubtful(game)


def _challengeable(game: Game) -> tuple[int, ...]:
    """Return the errors that still can be put right: none once the player to move has committed themselves."""
    return () if _has_answered(game) else open_errors(game)


def _is_called(game: Game, index: int, kind: ErrorKind) -> bool:
    """Tell whether an error is one of this kind. A disc too many, a misflip of its turn or a move out of turn, may be
    called by any name that fits."""
    incident, last = game.incidents[index], game.last
    if incident.error is kind:
        return True
    too_many = last is not None and incident.squares & ~last.right.occupied
    return (
        incident.error not in MOVES_AGAIN
        and kind not in (ErrorKind.ILLEGAL_PASS, ErrorKind.TOUCHED_ELSEWHERE)
        and bool(too_many)
    )


def _wrong_squares(game: Game, index: int) -> int:
    """Return the squares of an error; of a misflip those that are still wrong on the board, as far as any are."""
    squares = game.incidents[index].squares
    if game.incidents[index].type is not IncidentType.MISFLIP or game.last is None:
        return squares
    return squares & game.last.right.differences(game.board) or squares


def _has_answered(game: Game) -> bool:
    """Tell whether the player to move has touched a legal square, or laid a disc on one. Who plays alone has not: only
    their next move makes the one before stand."""
    if game.self_play is not None:
        return False
    turn, black = game.turn, game.plays_black(game.to_move)
    if turn.touched:
        return True
    return turn.disc_down is not None and bool(
        game.lies.legal(black) & game.shown.discs(black) & 1 << turn.disc_down
    )


def _must_name(game: Game, entry: Signal, kind: ErrorKind | None) -> None:
    """Raise RefusedError unless the demand names the error, and for an illegal pass a legal move (usoa 7.5)."""
    if kind is None:
        raise RefusedError("name_error")
    if kind is not ErrorKind.ILLEGAL_PASS or game.last is None:
        return
    legal = game.last.before.legal(game.plays_black(game.last.by))
    if entry.square is None or not legal >> entry.square & 1:
        raise RefusedError("name_legal_move")


def rule_correct_error(game: Game, ruling: Ruling) -> Game:
    """Uphold the open error, or one that the judge names and no sensor saw; only the last move can be challenged
    (woc-2019 IV.5.1, IV.5.2)."""
    must_be_error(game, ruling.error)
    game = _spoken_of(game)
    for index in _challengeable(game):
        incident = game.incidents[index]
        if ruling.player not in (None, incident.by):
            continue
        if ruling.error is not None and not _is_called(game, index, ruling.error):
            continue
        if ruling.square is not None and not incident.squares >> ruling.square & 1:
            continue
        return open_correction(game, index)
    if ruling.error is None:
        raise RefusedError("no_error_open")
    if game.reads_board and _is_accepted(game, ruling.error, ruling):
        raise RefusedError("error_accepted")
    offender = game.last_mover
    if ruling.player not in (None, offender):
        raise RefusedError("only_last_move", player=offender)
    return _open_unseen(game, ruling.error, offender, ruling.square)


def _is_accepted(game: Game, kind: ErrorKind, ruling: Ruling) -> bool:
    """Tell whether the named error is on record as accepted: by its square at any time, else by the last move."""
    error, last = IncidentType(kind), game.last
    if ruling.square is None:
        return last is not None and error in last.accepted and ruling.player is not last.by
    named = Side if ruling.player is None else (ruling.player,)
    return any(game.accepted.get((error, by), 0) >> ruling.square & 1 for by in named)


def rule_retract(game: Game, ruling: Ruling) -> Game:
    """Take a disc of the wrong colour back (usoa 7.2); a table that reads its board has detected it at the press."""
    after = _spoken_of(game)
    kinds = [after.incidents[index].type for index in open_errors(after)]
    if game.reads_board and IncidentType.WRONG_COLOUR not in kinds:
        raise RefusedError("no_wrong_colour")
    return rule_correct_error(game, Ruling(game.at_ns, ruling.rule, error=ErrorKind.WRONG_COLOUR))


def _open_unseen(game: Game, kind: ErrorKind, offender: Side, square: int | None) -> Game:
    """Open a correction of an error that people saw and sensors did not, in a move that is still open to challenge."""
    if game.last is None and not game.owed and kind is not ErrorKind.OUT_OF_TURN:
        raise RefusedError("no_move")
    if game.over and game.end_accepted.of(game.last_mover.other):
        raise RefusedError("end_accepted")
    if _has_answered(game):
        raise RefusedError("position_accepted")
    squares = 0 if square is None else 1 << square
    game, index = note_error(game, kind, offender, squares)
    last = game.last
    if last is not None:
        binds = (
            kind is ErrorKind.TOUCHED_ELSEWHERE and last.before.legal(game.plays_black(offender)) & squares
        )
        touched = (square,) if binds and square is not None else last.touched
        game = replace(game, last=replace(last, errors=(*open_errors(game), index), touched=touched))
    return open_correction(game, index)

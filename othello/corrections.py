"""Errors in the last move: pointed out, upheld, put right on the offender's time, dismissed (woc-2019 IV.5, usoa 7)."""

from __future__ import annotations

from othello.board import Position
from othello.ending import end_if_over
from othello.flags import pointed_out
from othello.game import Correction, ErrorState, Game, IncidentType, Reason, State, Turn
from othello.inputs import ErrorKind, Ruling, Signal
from othello.reading import read_turn
from othello.record import close_errors, note_error, open_errors, with_error
from othello.refusals import RefusedError
from othello.side import Both, Side
from othello.value import replace

MOVES_AGAIN = frozenset(
    {ErrorKind.ILLEGAL_MOVE, ErrorKind.WRONG_COLOUR, ErrorKind.ILLEGAL_PASS, ErrorKind.TOUCHED_ELSEWHERE}
)
"""What is taken back whole: the offender must then move (rulebooks.md, decision 12)."""


def open_correction(game: Game, index: int, at_ns: int) -> Game:
    """The offender's clock runs until the error is put right; a game that the board had ended is open again."""
    if game.outcome is not None and game.outcome.reason not in (Reason.BOARD, Reason.DEFAULT):
        raise RefusedError("ended_otherwise", reason=game.outcome.reason)
    if game.correction is not None:
        raise RefusedError("correcting_already")
    incident = game.incidents[index]
    if incident.by is None:
        raise RefusedError("no_offender")
    kind, offender = ErrorKind(incident.type.value), incident.by
    game = with_error(game, index, ErrorState.CORRECTING)
    return replace(
        game,
        state=State.CORRECTING,
        clock=game.clock.run(offender, at_ns),
        to_move=offender if kind in MOVES_AGAIN else offender.other,
        outcome=None,
        counted=None,
        signed=Both(False, False),
        ready=Both(False, False),
        correction=Correction(kind, offender, index),
        turn=Turn(),
    )


def signal(game: Game, one: Signal, at_ns: int) -> Game:
    """A player points out an error. At a judged table the judge decides, unless the text leaves it to players."""
    if one.error == "flag":
        return pointed_out(game, one, at_ns)
    kind = None if one.error is None else ErrorKind(one.error)
    standing = [i for i in _challengeable(game) if kind is None or game.incidents[i].type.value == kind.value]
    offender = game.last.by if game.last is not None else game.to_move.other
    if game.rules.demand_names_error and one.by is not offender:
        _must_name(game, one, kind)
    if game.header.judged and game.rules.corrected_by == "judge":
        if not standing and game.reads_board:
            raise RefusedError("no_such_error")
        return game
    if standing:
        return open_correction(game, standing[0], at_ns)
    if game.reads_board or kind is None:
        raise RefusedError("no_such_error")
    return _unseen(game, kind, offender, one.square, at_ns)


def _challengeable(game: Game) -> tuple[int, ...]:
    """The errors that still can be put right: none once the player to move has committed himself."""
    return () if _answered(game) else open_errors(game)


def _answered(game: Game) -> bool:
    """The player to move has touched a legal square, or his disc lies on one."""
    turn, black = game.turn, game.plays_black(game.to_move)
    if turn.commit is not None:
        return True
    return turn.disc_down is not None and bool(
        game.legal(game.to_move) & game.shown.discs(black) & 1 << turn.disc_down
    )


def _must_name(game: Game, one: Signal, kind: ErrorKind | None) -> None:
    """usoa 7.5: who demands a correction names the error, that of an illegal pass with a legal move."""
    if kind is None:
        raise RefusedError("name_error")
    if kind is not ErrorKind.ILLEGAL_PASS or game.last is None:
        return
    legal = game.last.before.legal(game.plays_black(game.last.by))
    if one.square is None or not legal >> one.square & 1:
        raise RefusedError("name_legal_move")


def rule_correct_error(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge upholds the open error, or one he names that no sensor saw; only the last move can be challenged."""
    for index in _challengeable(game):
        incident = game.incidents[index]
        if ruling.player not in (None, incident.by):
            continue
        if ruling.error is not None and incident.type.value != ruling.error.value:
            continue
        if ruling.square is not None and not incident.squares >> ruling.square & 1:
            continue
        return open_correction(game, index, at_ns)
    if ruling.error is None:
        raise RefusedError("no_error_open")
    if game.reads_board and _accepted(game, ruling):
        raise RefusedError("error_accepted")
    offender = game.last.by if game.last is not None else game.to_move.other
    if ruling.player not in (None, offender):
        raise RefusedError("only_last_move", player=offender)
    return _unseen(game, ruling.error, offender, ruling.square, at_ns)


def _accepted(game: Game, ruling: Ruling) -> bool:
    """The error he names is on record as accepted: by its square, else as one of the player who has not moved last."""
    last_by = None if game.last is None else game.last.by
    return any(
        incident.state is ErrorState.ACCEPTED
        and ruling.error is not None
        and incident.type.value == ruling.error.value
        and ruling.player in (None, incident.by)
        and (incident.by is not last_by if ruling.square is None else incident.squares >> ruling.square & 1)
        for incident in game.incidents
    )


def rule_retract(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """A disc of the wrong colour is taken back (usoa 7.2); a table that reads its board has found it at the press."""
    kinds = [game.incidents[index].type for index in open_errors(game)]
    if game.reads_board and IncidentType.WRONG_COLOUR not in kinds:
        raise RefusedError("no_wrong_colour")
    return rule_correct_error(game, Ruling(at_ns, ruling.rule, error=ErrorKind.WRONG_COLOUR), at_ns)


def _unseen(game: Game, kind: ErrorKind, offender: Side, square: int | None, at_ns: int) -> Game:
    """An error that people saw and sensors did not, in a move that is still open to challenge."""
    if game.last is None and not game.owed:
        raise RefusedError("no_move")
    if _answered(game):
        raise RefusedError("position_accepted")
    squares = 0 if square is None else 1 << square
    game, index = note_error(game, at_ns, kind, offender, squares)
    last = game.last
    if last is not None:
        binds = (
            kind is ErrorKind.TOUCHED_ELSEWHERE and last.before.legal(game.plays_black(offender)) & squares
        )
        touched = square if binds else last.touched
        game = replace(game, last=replace(last, errors=(*last.errors, index), touched=touched))
    return open_correction(game, index, at_ns)


def rule_corrected(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge has put the error right: the clock of the player to move runs (woc-2019 IV.5.1.c).

    His word counts: what the board has shown since he began is the position, else the position as it should be.
    """
    correction = game.correction
    if correction is None:
        raise RefusedError("nothing_corrected")
    stopped = game.state is State.STOPPED
    if correction.kind in MOVES_AGAIN:
        game = take_back(game, at_ns)
    else:
        right = game.last.right if game.last is not None else game.before
        before = game.shown.known_through(right) if correction.shown_since else right
        game = with_error(game, correction.incident, ErrorState.CORRECTED)
        game = end_if_over(
            _next_to_move(replace(game, before=before), correction.offender.other, at_ns), at_ns
        )
    if stopped and game.state is State.RUNNING:
        game = replace(game, state=State.STOPPED, clock=game.clock.run(None, at_ns))
    return game


def take_back(game: Game, at_ns: int) -> Game:
    """The wrong move is gone; the offender, whose clock goes on, must move, where touch-move binds him still."""
    correction, last = game.correction, game.last
    if correction is None:
        return game
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    offender = correction.offender
    game = replace(
        game,
        state=State.RUNNING,
        clock=game.clock.run(offender, at_ns),
        to_move=offender,
        correction=None,
        last=None,
        turn=Turn(),
    )
    if last is None:
        # Nobody has read or entered the move: its press alone is taken back.
        return replace(game, owed=game.owed - 1)
    game = replace(
        game,
        before=last.before,
        shown=game.shown if game.reads_board else last.before,
        colours_reversed=last.reversed_before,
        turn=Turn(commit=last.touched),
    )
    if last.square is not None:
        game = replace(
            game,
            moves=game.moves[:-1],
            trays=game.trays.with_(offender, game.trays.of(offender) + 1),
        )
    return see_disc(game)


def see_disc(game: Game) -> Game:
    """Notes where the mover's new disc lies now."""
    if not game.reads_board or game.owed:
        return game
    known = game.turn.disc_down if game.turn.disc_down is not None else game.turn.commit
    shown, dropped = game.shown, game.turn.dropped
    settled = Position(shown.black & ~dropped, shown.white & ~dropped, shown.unknown)
    reading = read_turn(game.before, settled, game.plays_black(game.to_move), known)
    if reading.square == game.turn.disc_down:
        return game
    return replace(game, turn=replace(game.turn, disc_down=reading.square))


def _next_to_move(game: Game, side: Side, at_ns: int) -> Game:
    return replace(
        game,
        state=State.RUNNING,
        clock=game.clock.run(side, at_ns),
        to_move=side,
        correction=None,
        turn=Turn(),
    )


def press_after_misflip(game: Game, at_ns: int) -> Game:
    """The offender at a table without a judge says that he has put his flips right; the board tells whether he has."""
    correction, last = game.correction, game.last
    if correction is None:
        return game
    right = last.right if last is not None else game.before
    seen = game.reads_board and last is not None
    wrong = right.differences(game.shown) if seen else 0
    state = ErrorState.OPEN if wrong else ErrorState.CORRECTED
    game = with_error(game, correction.incident, state)
    if wrong:
        incidents = list(game.incidents)
        incidents[correction.incident] = replace(incidents[correction.incident], squares=wrong)
        game = replace(game, incidents=tuple(incidents))
    game = replace(game, before=game.shown.known_through(right) if seen else right)
    return end_if_over(_next_to_move(game, correction.offender.other, at_ns), at_ns)


def rule_dismiss_error(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """There was no error, or it is let stand: the position as it is goes on."""
    if game.correction is not None:
        correction = game.correction
        game = with_error(game, correction.incident, ErrorState.DISMISSED)
        stopped = game.state is State.STOPPED
        game = _next_to_move(game, correction.offender.other, at_ns)
        if stopped:
            game = replace(game, state=State.STOPPED, clock=game.clock.run(None, at_ns))
        return end_if_over(see_disc(game), at_ns)
    standing = open_errors(game)
    if not standing:
        raise RefusedError("no_error_open")
    return with_error(game, standing[0], ErrorState.DISMISSED)


def rule_unintentional_touch(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The judge holds the touch unintentional (woc-2019 IV.4): it binds nobody and has accepted nothing."""
    if game.turn.commit is not None:
        for index in game.turn.accepted:
            game = with_error(game, index, ErrorState.OPEN)
        return replace(game, turn=replace(game.turn, commit=None, accepted=()))
    for index in open_errors(game):
        if game.incidents[index].type.value == ErrorKind.TOUCHED_ELSEWHERE.value:
            return with_error(game, index, ErrorState.DISMISSED)
    raise RefusedError("no_touch")

"""Touch-move: the first contact that binds, dropped discs, a touch not meant (woc-2019 IV.4, usoa 3.8, 3.9)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import squares_of
from flagfall.othello.game import ErrorState, Game, State
from flagfall.othello.inputs import Contact, ErrorKind, Ruling, Touch
from flagfall.othello.judging.errors.acceptance import accept
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.out_of_turn import charge_moved_out_of_turn
from flagfall.othello.judging.errors.states import note_error, with_error
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def touched(game: Game, touch: Touch) -> Game:
    """Record the first contact with a square: a legal one binds the player (woc-2019 IV.4, usoa 3.8) and accepts the
    position.

    Later touches are kept: the next one binds if the judge rules the first unintentional.
    """
    if not game.reads_board:
        raise RefusedError("no_board_now")
    correction = game.correction
    if game.state is State.CORRECTING and (
        not game.offender_ends_correction or correction is None or correction.kind not in MOVES_AGAIN
    ):
        return game
    if game.owed or game.absent is Side.WHITE:
        return game
    if touch.contact is Contact.DROPPED:
        # On a disc it has changed nothing of how the board lies.
        fell_on = 1 << touch.square & ~(game.lies.occupied | game.shown.occupied)
        return replace(game, turn=replace(game.turn, dropped=game.turn.dropped | fell_on))
    if touch.contact is Contact.DISC:
        game = _no_longer_dropped(game, touch.square)
    if game.turn.disc_down is not None:
        return _touched_early(game, touch)
    mover = game.to_move
    if not _binds(game, touch, mover):
        return game
    charged = charge_moved_out_of_turn(game)
    if charged.legal(mover) >> touch.square & 1:
        # The mover goes on from a move that the other has made out of turn, and accepts it.
        game = charged
    turn, last = game.turn, game.last
    if game.state is State.CORRECTING:
        if last is None or not last.before.legal(game.plays_black(mover)) >> touch.square & 1:
            return game
        return replace(game, last=replace(last, touched=_touched_too(last.touched, touch.square)))
    if turn.touched:
        more = (
            _touched_too(turn.touched, touch.square)
            if game.legal(mover) >> touch.square & 1
            else turn.touched
        )
        return replace(game, turn=replace(turn, touched=more))
    committed, accepted = accept(game, game.lies)
    if not committed.legal(mover) >> touch.square & 1:
        return game
    return replace(
        committed,
        turn=replace(turn, touched=(touch.square,), began=game.before, accepted=accepted, doubtful=0),
    )


def _touched_too(touched: tuple[int, ...], square: int) -> tuple[int, ...]:
    return touched if square in touched else (*touched, square)


def _binds(game: Game, touch: Touch, mover: Side) -> bool:
    if touch.contact.value not in game.rules.touch_binds:
        return False
    return touch.contact is Contact.DISC or game.header.hands_commit.of(mover)


def _touched_early(game: Game, touch: Touch) -> Game:
    """Bind an opponent who may answer before the press (usoa 5.9); nobody else can commit themselves once a disc is
    down."""
    other = game.to_move.other
    if game.rules.opponents_time != "allowed" or len(game.turn.placed) > 1 or not _binds(game, touch, other):
        # His answer is down already: whoever touches now does not choose it.
        return game
    if game.turn.early_commit is None and game.shown.legal(game.plays_black(other)) >> touch.square & 1:
        return replace(game, turn=replace(game.turn, early_commit=touch.square))
    return game


def moved_with(game: Game) -> Game:
    """Count a dropped disc as played if it lies there still and discs that it flips have changed (usoa 3.9)."""
    base, lies = game.lies, game.shown
    for square in squares_of(lies.occupied & base.empty & game.turn.dropped):
        if base.flips(bool(lies.black >> square & 1), square) & base.differences(lies):
            game = _no_longer_dropped(game, square)
    return game


def _no_longer_dropped(game: Game, square: int) -> Game:
    return replace(game, turn=replace(game.turn, dropped=game.turn.dropped & ~(1 << square)))


def rule_unintentional_touch(game: Game, ruling: Ruling) -> Game:
    """Rule a touch unintentional (woc-2019 IV.4): the square touched next binds the player, if there is one.

    The first touch of this turn is meant; without any touch left nothing is accepted any more. A square that binds
    because of a move taken back was touched earlier, and is meant only if nothing was touched since.
    """
    turn, last = game.turn, game.last
    square = turn.in_question
    if square is not None:
        freed = replace(
            turn,
            bound=tuple(other for other in turn.bound if other != square),
            touched=tuple(other for other in turn.touched if other != square),
        )
        if not freed.touched:
            for index in turn.accepted:
                game = with_error(game, index, ErrorState.OPEN)
            freed = replace(freed, accepted=())
        return replace(game, turn=freed)
    for index in open_errors(game):
        if last is not None and game.incidents[index].error is ErrorKind.TOUCHED_ELSEWHERE:
            game = with_error(game, index, ErrorState.DISMISSED)
            bound = last.touched[1:]
            errors = last.errors
            if bound and bound[0] != last.square:
                kind = ErrorKind.TOUCHED_ELSEWHERE
                game, other = note_error(game, kind, last.by, 1 << bound[0])
                errors = (*errors, other)
            return replace(game, last=replace(last, touched=bound, errors=errors))
    raise RefusedError("no_touch")

"""Ends of an error: put right, taken back, dismissed, or the touch ruled unintentional."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Correction, ErrorState, Game, State, Turn
from flagfall.othello.inputs import ErrorKind, Ruling, Shown
from flagfall.othello.judging.alone import spoken_of
from flagfall.othello.judging.ending import end_if_over, finish_by_board, remember_press
from flagfall.othello.judging.reading import see_disc
from flagfall.othello.judging.record import (
    MOVES_AGAIN,
    close_errors,
    note_error,
    open_errors,
    put_right,
    refused,
    with_error,
)
from flagfall.othello.refusals import RefusedError, refusal
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def right_position(game: Game) -> Position:
    """Return the position that the last move should have left."""
    return game.last.right if game.last is not None else game.before


_MOST_DISCS_ASTRAY = 2


def is_near(board: Position, right: Position) -> bool:
    """Tell whether a board can be the corrected one: at most two discs are missing or added. A board that is being
    cleared or set up anew is not near."""
    astray = (board.occupied ^ right.occupied) & ~(board.unknown | right.unknown)
    return astray.bit_count() <= _MOST_DISCS_ASTRAY


def _board_since_move(game: Game) -> tuple[Game, Position | None]:
    """Return the board as shown since the move; None if it shows the move still, or nothing like it, which is
    refused."""
    left = game.last.left if game.last is not None else None
    if not game.reads_board or left is None or game.board == left:
        return game, None
    if not is_near(game.board, right_position(game)):
        return refused(game, Shown(game.at_ns, game.board), refusal("far_position")), None
    return game, game.board


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
    game, spoken = _board_since_move(game)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    return _goes_on(game, spoken or right_position(game), correction.offender.other)


def _awaits(game: Game, side: Side) -> Game:
    """End the correction with `side` to move. Clocks that stand are not started."""
    stopped = game.state is State.STOPPED
    clock = game.clock_running(None if stopped else side)
    if game.correction is not None and side is not game.correction.offender:
        clock = game.in_new_period(clock, side.other)
    state = State.STOPPED if stopped else State.RUNNING
    return replace(game, state=state, clock=clock, to_move=side, correction=None)


def _goes_on(game: Game, position: Position, side: Side) -> Game:
    """Let `side` move in this position after a correction; other differences on the board are held against nobody, but
    for a player who plays alone."""
    known = position.known_through(right_position(game))
    otherwise = game.self_play is None and game.reads_board and game.board.differences(known)
    game = replace(
        _awaits(game, side),
        shown=known,
        before=known,
        turn=Turn(bound=game.turn.bound, lay=game.board if otherwise else None),
    )
    return see_disc(end_if_over(remember_press(game)))


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
    return _goes_on(replace(game, last=last), right, correction.offender.other)


def take_back(game: Game, correction: Correction) -> Game:
    """Take the wrong move back. The offender, whose clock goes on, must move; touch-move may bind them still."""
    last = game.last
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    offender = correction.offender
    game = replace(_awaits(game, offender), last=None, turn=Turn())
    if last is None:
        # Nobody has read or entered the move: its press alone is taken back.
        return replace(game, owed=game.owed - 1)
    game = replace(
        game,
        before=last.before,
        shown=game.shown if game.reads_board else last.before,
        colours_reversed=last.reversed_before,
        turn=Turn(bound=last.touched, lay=_lies_otherwise(game, last.before)),
    )
    if last.square is not None:
        game = replace(
            game, moves=game.moves[:-1], trays=game.trays.with_(offender, game.trays.of(offender) + 1)
        )
    return see_disc(game)


def _lies_otherwise(game: Game, before: Position) -> Position | None:
    """Return the board as it lies when a move was taken back, if discs are turned in it: held against nobody, but for a
    player who plays alone."""
    same_squares = game.self_play is None and game.reads_board and game.board.occupied == before.occupied
    return game.board if same_squares and game.board.differences(before) else None


def press_after_misflip(game: Game, correction: Correction) -> Game:
    """End a correction by the offender's press at a table without a judge; the board shows whether the flips are
    right now."""
    right, spoken, last = right_position(game), None, game.last
    if game.reads_board and last is not None:
        game, spoken = _board_since_move(game)
        if game.board == last.left:
            spoken = game.board
    wrong = right.differences(spoken) if spoken is not None else 0
    state = ErrorState.OPEN if wrong else ErrorState.CORRECTED
    squares = wrong if correction.kind is ErrorKind.MISFLIP else 0
    game = with_error(game, correction.incident, state, squares)
    return _goes_on(game, spoken or right, correction.offender.other)


def can_be_mended(game: Game, board: Position) -> bool:
    """Tell whether the score of a game that the board has ended follows this board, on which an error of its last
    move may have been put right. A board that is being cleared changes nothing."""
    last = game.last
    if game.awaits is not Awaits.ACCEPT_END and (game.state is not State.FINISHED or not game.ended_by_board):
        return False
    if last is None or last.left is None or not open_errors(game):
        return False
    return not (board.occupied ^ last.right.occupied) & ~(board.unknown | last.right.unknown)


def mended_after_the_end(game: Game) -> Game:
    """Count discs of the last move that are put right before both have signed, as before any other commitment.

    A game that was over only because of the errors in that move goes on: the clock of the player to move runs. Other
    changes of the board have no effect then: players clear it.
    """
    last = game.last
    if last is None or not can_be_mended(game, game.board):
        return game
    shown = game.before.with_squares(put_right(game, game.board), last.right)
    if shown == game.shown.known_through(game.before):
        return game
    game = replace(game, shown=shown)
    if shown.over() or game.self_play is not None:
        return finish_by_board(game) if game.over else game
    goes_on = replace(_awaits(game, game.to_move), outcome=None, awaits=None, signed=Both(False, False))
    return replace(goes_on, shown=game.board, turn=Turn(lay=game.board.known_through(shown)))


def rule_dismiss_error(game: Game, ruling: Ruling) -> Game:
    """Dismiss an error, or let it stand: the position as it is goes on."""
    if game.correction is not None:
        correction = game.correction
        game = with_error(game, correction.incident, ErrorState.DISMISSED)
        boards = (game.board, game.shown) if game.reads_board else ()
        lies = next(
            (board.known_through(game.before) for board in boards if is_near(board, game.before)), game.before
        )
        return _goes_on(game, lies, correction.offender.other)
    game = spoken_of(game)
    standing = open_errors(game)
    if not standing:
        raise RefusedError("no_error_open")
    return with_error(game, standing[0], ErrorState.DISMISSED)


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

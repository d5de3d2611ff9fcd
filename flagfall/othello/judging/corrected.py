"""How an error ends: put right, taken back, dismissed, or the touch that it was ruled unintentional."""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Correction, ErrorState, Game, State, Turn
from flagfall.othello.inputs import ErrorKind, Ruling, Shown
from flagfall.othello.judging.ending import end_if_over, finish_by_board, remember_press
from flagfall.othello.judging.record import (
    MOVES_AGAIN,
    close_errors,
    note_error,
    open_errors,
    put_right,
    refused,
    with_error,
)
from flagfall.othello.judging.turn_reading import see_disc
from flagfall.othello.refusals import RefusedError, refusal
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def right_position(game: Game) -> Position:
    """The position the last move should have left."""
    return game.last.right if game.last is not None else game.before


_MOST_DISCS_ASTRAY = 2


def is_near(board: Position, right: Position) -> bool:
    """Whether a board can be the one put right: with discs where they belong, but for two at most. A board that is
    being cleared or set up anew is not."""
    astray = (board.occupied ^ right.occupied) & ~(board.unknown | right.unknown)
    return astray.bit_count() <= _MOST_DISCS_ASTRAY


def _board_since_move(game: Game) -> tuple[Game, Position | None]:
    """What the board has said since the move: None if it shows the move still or nothing like it, which is refused."""
    left = game.last.left if game.last is not None else None
    if not game.reads_board or left is None or game.board == left:
        return game, None
    if not is_near(game.board, right_position(game)):
        return refused(game, Shown(game.at_ns, game.board), refusal("far_position")), None
    return game, game.board


def rule_corrected(game: Game, ruling: Ruling) -> Game:
    """The judge has put the error right: the clock of the player to move runs (woc-2019 IV.5.1.c).

    His word counts: what the board has shown since the move is the position, else the position as it should be.
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
    """The correction has ended, and `side` is to move. Where the clocks stand that does not start them."""
    stopped = game.state is State.STOPPED
    clock = game.clock_running(None if stopped else side)
    if game.correction is not None and side is not game.correction.offender:
        clock = game.in_new_period(clock, side.other)
    state = State.STOPPED if stopped else State.RUNNING
    return replace(game, state=state, clock=clock, to_move=side, correction=None)


def _goes_on(game: Game, position: Position, side: Side) -> Game:
    """After a correction `side` moves in this position; what the board shows apart from it is held against nobody."""
    known = position.known_through(right_position(game))
    game = replace(
        _awaits(game, side),
        shown=known,
        before=known,
        turn=Turn(lay=game.board if game.reads_board and game.board.differences(known) else None),
    )
    return see_disc(end_if_over(remember_press(game)))


def _turned_to_his_colour(game: Game) -> Position | None:
    """The whole move to the square of the disc of the wrong colour, if the board shows it now in the right one."""
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
    """The judge has made the move in its own colour himself: it stands, and the other player moves (woc-2019
    IV.5.1.c, usoa 7.2)."""
    last = game.last and replace(game.last, right=right, wrong_colour=False)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    return _goes_on(replace(game, last=last), right, correction.offender.other)


def take_back(game: Game, correction: Correction) -> Game:
    """The wrong move is gone; the offender, whose clock goes on, must move, where touch-move binds him still."""
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
    """The board as it lies when a move was taken back, if discs are turned in it: held against nobody."""
    same_squares = game.reads_board and game.board.occupied == before.occupied
    return game.board if same_squares and game.board.differences(before) else None


def press_after_misflip(game: Game, correction: Correction) -> Game:
    """The offender at a table without a judge says that he has put his flips right; the board tells whether he has."""
    right, spoken, last = right_position(game), None, game.last
    if game.reads_board and last is not None:
        game, spoken = _board_since_move(game)
        if game.board == last.left:
            spoken = game.board
    wrong = right.differences(spoken) if spoken is not None else 0
    state = ErrorState.OPEN if wrong else ErrorState.CORRECTED
    game = with_error(game, correction.incident, state, wrong)
    return _goes_on(game, spoken or right, correction.offender.other)


def can_be_mended(game: Game, board: Position) -> bool:
    """Whether the score of a game that the board has ended follows this board, on which an error of its last move may
    have been put right; one that is being cleared changes nothing."""
    last = game.last
    if game.awaits is not Awaits.ACCEPT_END and (game.state is not State.FINISHED or not game.ended_by_board):
        return False
    if last is None or last.left is None or not open_errors(game):
        return False
    return not (board.occupied ^ last.right.occupied) & ~(board.unknown | last.right.unknown)


def mended_after_the_end(game: Game) -> Game:
    """Discs of the last move that are put right before both have signed count, as before any other commitment.

    A game that was over only by what was wrong in that move goes on: the clock of the player to move runs. Whatever
    else happens to the board then changes nothing: players clear it.
    """
    last = game.last
    if last is None or not can_be_mended(game, game.board):
        return game
    shown = game.before.with_squares(put_right(game, game.board), last.right)
    if shown == game.shown.known_through(game.before):
        return game
    game = replace(game, shown=shown)
    if shown.over():
        return finish_by_board(game) if game.over else game
    goes_on = replace(_awaits(game, game.to_move), outcome=None, awaits=None, signed=Both(False, False))
    return replace(goes_on, shown=game.board, turn=Turn(lay=game.board.known_through(shown)))


def rule_dismiss_error(game: Game, ruling: Ruling) -> Game:
    """There was no error, or it is let stand: the position as it is goes on."""
    if game.correction is not None:
        correction = game.correction
        game = with_error(game, correction.incident, ErrorState.DISMISSED)
        told = (game.board, game.shown) if game.reads_board else ()
        lies = next(
            (one.known_through(game.before) for one in told if is_near(one, game.before)), game.before
        )
        return _goes_on(game, lies, correction.offender.other)
    standing = open_errors(game)
    if not standing:
        raise RefusedError("no_error_open")
    return with_error(game, standing[0], ErrorState.DISMISSED)


def rule_unintentional_touch(game: Game, ruling: Ruling) -> Game:
    """The judge holds the touch unintentional (woc-2019 IV.4): the square he touched next binds him, if there is one.

    It is the first touch of this turn; with the last of them nothing is accepted any more. What binds him because of a
    move taken back was touched before, and is meant only if he has touched nothing since.
    """
    turn, last = game.turn, game.last
    square = turn.in_question
    if square is not None:
        freed = replace(
            turn,
            bound=tuple(one for one in turn.bound if one != square),
            touched=tuple(one for one in turn.touched if one != square),
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

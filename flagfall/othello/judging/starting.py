"""The time before the first move: colours drawn at the table (jof J1), and the start position, compared whole.

A disc that lies wrong in it is charged to neither player (woc-2019 I.4.5, usoa 2.1).
"""

from __future__ import annotations

from flagfall.othello.board import Position
from flagfall.othello.colour_choice import colours_after
from flagfall.othello.game import Game, Incident, IncidentType, State
from flagfall.othello.inputs import ColourDraw
from flagfall.othello.judging.reading import line_to
from flagfall.othello.judging.record import note
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, T
from flagfall.othello.value import replace


def draw_colours(game: Game, draw: ColourDraw) -> Game:
    """Give the players the colours that the hidden disc has brought. Clocks stay with their players: a late one's may
    have run before."""
    if game.colour_draw is not None:
        raise RefusedError("colours_drawn")
    if game.state is not State.WAITING and game.absent is None:
        raise RefusedError("has_begun")
    header, exchanged = colours_after(game.header, draw)
    drawn = replace(game, header=header, colour_draw=draw)
    if not exchanged:
        return drawn
    clock, absent = game.clock, game.absent
    return replace(
        drawn,
        clock=replace(
            clock,
            remaining_ns=_exchanged(clock.remaining_ns),
            charged_ns=_exchanged(clock.charged_ns),
            running=clock.running and clock.running.other,
        ),
        absent=absent and absent.other,
        late=game.late and game.late.other,
        unclaimed=_exchanged(game.unclaimed),
        annulled=_exchanged(game.annulled),
        in_byoyomi=_exchanged(game.in_byoyomi),
    )


def _exchanged(values: Both[T]) -> Both[T]:
    return Both(values.white, values.black)


def wrong_start(game: Game) -> int:
    """Return the squares on which the board lies wrong before any clock runs, for the screen to show."""
    if game.state is not State.WAITING or not game.reads_board or begun_already(game, game.board):
        return 0
    return game.start.differences(game.board)


def begun_already(game: Game, board: Position) -> bool:
    """Return whether Black's move, or that and an answer, lies there: the press that starts Black's clock was
    forgotten."""
    return bool(line_to(game.start, True, board))


def may_be_first(board: Position, shown: Position, new: int) -> bool:
    """Tell whether the new discs are a single one that can be Black's first move, its flips to come."""
    return new.bit_count() == 1 and bool(board.legal(True) & ~shown.white & new)


def set_up(game: Game) -> Game:
    """Let the game begin with the board as it lies at the director's signal. Later discs can go, and wrong ones be
    put right, or set up anew: a disc that comes down then may be Black's move."""
    shown, start = game.shown, game.start
    if not game.armed:
        return replace(game, before=shown.known_through(start))
    if shown.occupied == start.occupied and not shown.unknown:
        return replace(game, before=shown)
    put = start.differences(game.before) & ~(start.differences(shown) | shown.unknown)
    put |= start.occupied & game.before.empty & shown.occupied
    before = game.before.with_squares(put, start).without(start.occupied & shown.empty)
    return replace(game, before=before)


def from_here(game: Game, board: Position) -> Game:
    """Let the game begin over this board; a board that is not the start position is on record."""
    wrong = game.start.differences(board)
    game = replace(game, before=board, astray=wrong)
    return note(game, Incident(game.at_ns, IncidentType.WRONG_START, squares=wrong)) if wrong else game


def put_back(game: Game) -> Game:
    """Return the game with discs too many at the start taken off and missing ones laid down, as far as the board
    shows it now. Discs turned over may be flips of the move in hand."""
    shown, black = game.shown, game.plays_black(game.to_move)
    put = game.astray & ~(game.start.differences(shown) | shown.unknown)
    put &= game.start.occupied ^ game.before.occupied
    put &= ~(game.lies.legal(black) & game.start.discs(black))
    if not put:
        return game
    turn, last = game.turn, game.last
    return replace(
        game,
        astray=game.astray & ~put,
        before=game.before.with_squares(put, game.start),
        turn=replace(
            turn,
            lay=turn.lay and turn.lay.with_squares(put, game.start),
            began=turn.began and turn.began.with_squares(put, game.start),
        ),
        last=last and replace(last, right=last.right.with_squares(put, game.start)),
    )


def still_astray(game: Game) -> Game:
    """Keep a disc missing for the next player too, after a move that was made as if it lay there."""
    missing = game.astray & game.start.occupied & game.shown.empty & game.before.occupied
    if not missing or game.turn.lay is not None:
        return game
    return replace(game, turn=replace(game.turn, lay=game.before.with_squares(missing, game.shown)))


def as_started_right(game: Game) -> Position:
    """Return the position, had the start been right on the squares where it is not yet."""
    return game.before.with_squares(game.astray, game.start)

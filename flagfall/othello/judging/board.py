"""The positions that the sensor board shows in each state, and a board that is lost or comes back."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Game, Incident, IncidentType, State
from flagfall.othello.inputs import BoardState, Shown
from flagfall.othello.judging.errors.after_the_end import mended_after_the_end
from flagfall.othello.judging.incidents import note
from flagfall.othello.judging.move import count_ply
from flagfall.othello.judging.moves_owed import catch_up
from flagfall.othello.judging.opponents_time import see_early
from flagfall.othello.judging.start_position import from_here, put_back, set_up
from flagfall.othello.judging.touch import moved_with
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.start import may_be_first
from flagfall.othello.reading.turn import read, see_disc
from flagfall.othello.refusals import RefusedError


def shown(game: Game, entry: Shown) -> Game:
    """Take in the settled board; the last position before a press makes the move (usoa 3.1, 3.2, 3.3)."""
    if not game.reads_board:
        raise RefusedError("no_board_now")
    was, game = game.board, replace(game, board=entry.position)
    if game.over or game.awaits is Awaits.ACCEPT_END:
        return mended_after_the_end(game)
    game = put_back(replace(game, shown=entry.position))
    if game.correction is not None:
        return game
    if game.state is State.WAITING:
        return see_disc(set_up(game)) if game.armed else set_up(game)
    if game.owed:
        return see_disc(catch_up(game, in_hand=1))
    if game.turn.unseen:
        game = _seen_again(game, was)
    elif game.rules.pass_presses == "may be left out" and game.phase is State.RUNNING:
        game = _with_pass_left_out(game, was)
    return see_early(see_disc(_lay(moved_with(game), was)), entry.uncertain_ns)


def _with_pass_left_out(game: Game, was: Position) -> Game:
    """Count a whole move and a pass when the opponent must pass and a second disc comes down: the presses of the pass
    are left out (jof J8)."""
    reading, black = read(game, was), game.plays_black(game.to_move)
    new = game.shown.discs_on(reading.left.empty)
    if len(reading.line) != 1 or reading.left.legal(not black) or new.bit_count() != 1:
        return game
    if not new & reading.left.legal(black) & game.shown.discs(black):
        return game
    made = count_ply(replace(game, board=was, shown=was), reading)
    passed = count_ply(made, Reading(made.before, made.before))
    return replace(passed, board=game.board, shown=game.shown)


def _seen_again(game: Game, was: Position) -> Game:
    """Take in the turn from a board that was lost: other differences are nobody's, except a legal move, and what goes
    on from several that were read before.

    Where the board comes after the clocks began, the start itself lies otherwise.
    """
    game = replace(game, turn=replace(game.turn, unseen=False))
    goes_on = len(read(game, was).line) > 1 and not was.occupied & ~game.shown.occupied
    if goes_on or read(game).line:
        return game
    new, lies = game.shown.discs_on(game.before.empty), game.shown.known_through(game.before)
    begins = not game.has_moved and game.last is None and game.before == game.start
    if begins and not may_be_first(game.start, game.shown, new):
        return from_here(game, lies)
    return replace(game, turn=replace(game.turn, lay=lies))


def _lay(game: Game, was: Position) -> Game:
    """Keep the board as it lies before the mover's disc is down: the mover accepts it by committing themselves.

    While the clocks stand nobody moves: a disc that changes then is no part of a move in hand either.
    """
    if game.self_play is not None:
        return game  # nobody else moves, and nothing that they turn without a move is right
    base = game.lies
    settled = game.shown.without(game.turn.dropped).known_through(base)
    if game.state is State.STOPPED:
        changed, black = was.differences(settled), game.plays_black(game.to_move)
        lay = base.with_squares(changed, settled)
        # A new disc of his where he may move can be his move still.
        nobodys = changed & ~(settled.discs(black) & base.legal(black))
        game = replace(game, turn=replace(game.turn, while_stopped=game.turn.while_stopped | nobodys))
    else:
        new_disc = settled.discs_on(base.empty & game.before.empty)
        if game.turn.touched or new_disc:
            return game
        lay = settled
    put_back = base.empty & game.before.occupied & lay.occupied
    return replace(game, turn=replace(game.turn, lay=lay, lifted=base if put_back else game.turn.lifted))


def board_changed(game: Game, entry: BoardState) -> Game:
    """Record that the sensor board came or went; the clock never depends on it."""
    if not game.header.sensors:
        raise RefusedError("no_board")
    if entry.ok:
        unseen = game.turn.unseen or not game.board_ok
        return see_disc(replace(game, board_ok=True, turn=replace(game.turn, unseen=unseen)))
    if not game.board_ok:
        return game
    return note(replace(game, board_ok=False), Incident(game.at_ns, IncidentType.BOARD_LOST))

"""The choice of a winner by default, and the play of both colours alone that may follow (jof J14, J15)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Awaits, Game, State, Turn
from flagfall.othello.inputs import Contact, DefaultChoice, DefaultOption, Press, Shown, StopSelfPlay, Touch
from flagfall.othello.judging.board import shown
from flagfall.othello.judging.discs import tell_out_of_discs
from flagfall.othello.judging.end import finish, finish_self_play
from flagfall.othello.judging.errors.correction import press_after_misflip
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.play_goes_on import right_position
from flagfall.othello.judging.errors.taken_back import take_back
from flagfall.othello.judging.passing import can_only_pass
from flagfall.othello.judging.press import press_out_of_turn
from flagfall.othello.judging.score import against
from flagfall.othello.judging.self_play_moves import count_lying, count_move, end_alone, reads_alone
from flagfall.othello.judging.touch import touched
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.reading.lines import line_to
from flagfall.othello.reading.turn import read, see_disc
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def choose(game: Game, entry: DefaultChoice) -> Game:
    """Take what the winner by default chooses: the score of a default, or to play on alone (jof J14, J15)."""
    if not game.rules.flag.self_play:
        raise RefusedError("no_self_play", rulebook=game.rules.id)
    loser, two_discs = game.defaulter, entry.choice is DefaultOption.TWO_DISCS
    if loser is None or game.lost_by is None:
        raise RefusedError("no_default")
    if entry.by is loser:
        raise RefusedError("winner_chooses", player=loser.other)
    if game.awaits is not Awaits.DEFAULT_CHOICE:
        may_still = game.rules.flag.two_discs_until == "signed" and game.self_play is not None and two_discs
        if not may_still or any(game.signed):
            raise RefusedError("choice_made")
    if two_discs:
        return finish(game, game.lost_by, against(loser, game.rules.flag.first_score))
    return _play_alone(replace(game, awaits=None, self_play=entry.by))


def _play_alone(game: Game) -> Game:
    """Let the winner's clock run for both colours; on a board that is full nothing is left to play.

    What the defaulter has touched binds nobody. An error of the last move that stands open can still be put right.
    """
    if game.before.over() or game.counted is not None:
        return finish_self_play(game)
    last = game.last if open_errors(game) else None
    turn = Turn(dropped=game.turn.dropped)
    game = replace(game, state=State.RUNNING, clock=game.clock_running(game.self_play), last=last, turn=turn)
    return show_alone(game, Shown(game.at_ns, game.board)) if game.reads_board else game


def board_while_choosing(game: Game, entry: Shown) -> Game:
    """Keep what the board shows for the play that may follow; it makes no move."""
    if not game.reads_board:
        raise RefusedError("no_board_now")
    return replace(game, board=entry.position)


def touch_alone(game: Game, touch: Touch) -> Game:
    """Record a square that binds the player who plays alone (jof J15). Their touch accepts nothing: only the loser
    could."""
    if not game.reads_board or touch.contact is Contact.DROPPED:
        return touched(game, touch)
    turn = game.turn
    if touch.contact is Contact.DISC:
        turn = replace(turn, dropped=turn.dropped & ~(1 << touch.square))
    hand_binds = touch.contact is Contact.DISC or game.header.hands_commit.of(game.timed(game.to_move))
    binds = touch.contact.value in game.rules.touch_binds and hand_binds
    if game.owed or turn.disc_down is not None or touch.square in turn.touched or not binds:
        return replace(game, turn=turn)
    if game.legal(game.to_move) >> touch.square & 1:
        turn = replace(turn, touched=(*turn.touched, touch.square))
    return replace(game, turn=turn)


def show_alone(game: Game, entry: Shown) -> Game:
    """Count each move of either colour as soon as it lies whole on the board: nobody has to press (jof J15)."""
    was, game = game.board, shown(game, entry)
    while reads_alone(game) and not game.before.over():
        reading = read(game)
        goes_on = _new_discs(game, game.shown).bit_count() > 1
        whole = reading.whole(game.plays_black(game.to_move)) and goes_on
        if reading.line or reading.early is not None or whole:
            game = _counted(count_move(game, reading))
            continue
        lay = _new_discs(game, was)
        if not goes_on or lay.bit_count() != 1 or not lay & _new_discs(game, game.shown):
            return game
        # A second disc follows a move that lies wrong: its player has gone on.
        now, before = game.board, game.before
        game = count_lying(see_disc(replace(game, board=was, shown=was)))
        game = _counted(see_disc(replace(game, board=now, shown=now)))
        if game.before.occupied == before.occupied:
            return game
    return game


def _new_discs(game: Game, board: Position) -> int:
    return board.without(game.turn.dropped).discs_on(game.before.empty)


def show_correcting(game: Game, entry: Shown) -> Game:
    """Take in the board during a correction (jof J15). A player who plays alone ends it by putting the error right:
    nobody has to press."""
    game = shown(game, entry)
    correction, last = game.correction, game.last
    if game.self_play is None or not game.reads_board or correction is None or last is None:
        return game
    if not game.offender_ends_correction or game.board.unknown:
        return game
    if correction.kind not in MOVES_AGAIN:
        return press_after_misflip(game, correction) if game.board == right_position(game) else game
    line = line_to(last.before, (last.by is Side.BLACK) != last.reversed_before, game.board)
    made_again = len(line) == 1 and line[0] in (last.touched[:1] or line)
    if game.board == last.before or made_again:
        return show_alone(take_back(game, correction), entry)
    return game


def press_alone(game: Game, press: Press) -> Game:
    """Count what lies on the board as a move, or the pass that is due (jof J15). The clock of who plays alone goes on
    running."""
    if press.by is not game.self_play:
        return press_out_of_turn(game, press)
    if not reads_alone(game):
        return game
    reading = read(game)
    if reading.undecided or (reading.square is None and not can_only_pass(game, game.to_move)):
        return game
    return _counted(count_move(game, reading))


def _counted(game: Game) -> Game:
    """Return the game after a move of a player who plays alone: over, or the other colour is next."""
    return finish_self_play(game) if game.before.over() else tell_out_of_discs(game)


def stop_self_play(game: Game, entry: StopSelfPlay) -> Game:
    """Stop where the moves have come to: it is the result, also while the clocks stand (jof J15)."""
    winner = game.self_play
    if winner is None or game.correction is not None:
        raise RefusedError("not_in_state", state=game.phase)
    if entry.by is not winner:
        raise RefusedError("winner_chooses", player=winner)
    return end_alone(game)

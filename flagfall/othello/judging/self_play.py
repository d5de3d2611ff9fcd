"""A default that ends the play: the winner takes two discs, or plays both colours alone (jof J15)."""

from __future__ import annotations

from flagfall.othello.game import Awaits, Game, Phase, State
from flagfall.othello.inputs import DefaultChoice, DefaultOption, Press, Shown, StopSelfPlay
from flagfall.othello.judging.ending import against, finish, finish_self_play
from flagfall.othello.judging.entering import tell_out_of_discs
from flagfall.othello.judging.plies import count_ply
from flagfall.othello.judging.reading import can_only_pass, read, see_disc
from flagfall.othello.judging.turns import press_out_of_turn, shown
from flagfall.othello.refusals import RefusedError
from flagfall.othello.value import replace


def choose(game: Game, entry: DefaultChoice) -> Game:
    """Take what the winner by default chooses: the score of a default, or to play on alone."""
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
    """Let the winner's clock run for both colours; on a board that is full nothing is left to play."""
    if game.before.over() or game.counted is not None:
        return finish_self_play(game)
    game = replace(game, state=State.RUNNING, clock=game.clock_running(game.self_play), last=None)
    return show_alone(game, Shown(game.at_ns, game.board)) if game.reads_board else game


def board_while_choosing(game: Game, entry: Shown) -> Game:
    """Keep what the board shows for the play that may follow; it makes no move."""
    if not game.reads_board:
        raise RefusedError("no_board_now")
    return replace(game, board=entry.position)


def show_alone(game: Game, entry: Shown) -> Game:
    """Count each move of either colour as soon as it lies whole on the board: nobody has to press."""
    game = shown(game, entry)
    while game.phase is Phase.ALONE and game.reads_board and not game.owed:
        reading = read(game)
        # A second disc follows a move that lies wrong: its player has gone on.
        if not reading.line and reading.early is None:
            return game
        game = see_disc(_counted(count_ply(game, reading)))
    return game


def press_alone(game: Game, press: Press) -> Game:
    """Count what lies on the board as a move, or the pass that is due. The clock of who plays alone goes on running."""
    if press.by is not game.self_play:
        return press_out_of_turn(game, press)
    if not game.reads_board or game.owed:
        return game
    reading = read(game)
    if reading.undecided or (reading.square is None and not can_only_pass(game, game.to_move)):
        return game
    return _counted(count_ply(game, reading))


def _counted(game: Game) -> Game:
    """Return the game after a move of a player who plays alone: over, or the other colour is next."""
    return finish_self_play(game) if game.before.over() else tell_out_of_discs(game)


def stop_self_play(game: Game, entry: StopSelfPlay) -> Game:
    """Stop where the board lies: it is the result."""
    winner = game.self_play
    if winner is not None and entry.by is not winner:
        raise RefusedError("winner_chooses", player=winner)
    return finish_self_play(game, stopped=True)

"""The end of a game: neither player can move, or one has lost (woc-2019 IV.6, IV.8; usoa 4.1)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import Awaits, ErrorState, Game, Outcome, State
from flagfall.othello.judging.errors.states import with_error, with_errors_settled
from flagfall.othello.judging.last_press import at_last_press
from flagfall.othello.judging.score import (
    Score,
    against,
    alone,
    discs_of,
    draw_winner,
    settled,
    warranted,
    winner_of,
)
from flagfall.othello.judging.walkover import begun
from flagfall.othello.reason import Reason
from flagfall.othello.side import Both, Side


def finish(game: Game, reason: Reason, score: Score) -> Game:
    """Stop the clocks with this score, which both players sign (woc-2019 IV.8). An error being corrected is left
    open."""
    if game.correction is not None:
        game = with_error(game, game.correction.incident, ErrorState.OPEN)
    winner = None if reason is Reason.BOTH_FLAGS else winner_of(score, draw_winner(game))
    return replace(
        game,
        clock=game.clock_running(None),
        state=State.FINISHED,
        outcome=Outcome(reason, winner, score),
        outcome_before=game.outcome,
        signed=Both(False, False),
        correction=None,
        awaits=None,
        flags=game.flags.each(Flag.drop_claim),
    )


def lose(game: Game, side: Side, reason: Reason) -> Game:
    """End the game against this player; where the rulebook lets the winner choose, once they have chosen (jof J15, J17,
    J18)."""
    rule, walkover = game.rules.flag, game.rules.score.walkover
    there = reason in (Reason.SECOND_FLAG, Reason.BEYOND_REPAIR) and game.absent is not side
    if walkover is not None and not there and not begun(game):
        return finish(game, Reason.WALKOVER, against(side, walkover))
    game = replace(game, defaulter=side, lost_by=reason)
    if not rule.self_play:
        return finish(game, reason, against(side, rule.first_score))
    return replace(
        game,
        state=State.STOPPED,
        clock=game.clock_running(None),
        awaits=Awaits.DEFAULT_CHOICE,
        flags=game.flags.each(Flag.drop_claim),
        outcome=None,
        signed=Both(False, False),
        ready=Both(False, False),
        correction=None,
    )


def finish_self_play(game: Game) -> Game:
    """End what the winner by default has played alone; without a board the discs are still to be counted (jof J14,
    J15). Who has time and moves left has stopped."""
    winner = game.self_play
    if winner is None or (game.counted is None and (not game.reads_board or game.owed > 0)):
        return replace(game, state=State.STOPPED, clock=game.clock_running(None))
    had_time = game.clock.left_ns(winner, game.at_ns) > 0
    stopped = game.counted is None and had_time and not game.before.over()
    score = alone(discs_of(game), winner, game.rules, stopped=stopped)
    reason = Reason.DEFAULT if game.lost_by in (None, Reason.SECOND_FLAG) else game.lost_by
    ended = finish(game, reason, score)
    return replace(ended, outcome=ended.outcome and replace(ended.outcome, played_alone=True))


def finish_by_board(game: Game) -> Game:
    """End the game by the discs on the board, or as counted, within the guarantee of a default (woc-2019 IV.6,
    IV.8)."""
    if game.self_play is not None:
        return finish_self_play(game)
    score = warranted(game, settled(discs_of(game), game.rules))
    return finish(game, Reason.DEFAULT if any(game.falls) else Reason.BOARD, score)


def settle_again(game: Game) -> Game:
    """Score a game anew that the board had ended; one that ended otherwise keeps its score (usoa 6.6)."""
    return finish_by_board(game) if game.ended_by_board else game


# No game that started right can end before.
_FEWEST_MOVES = 9


def board_ends(game: Game) -> Game:
    """End a game in which nobody can move: at once, or when the last mover's opponent accepts it (jof J9)."""
    if game.rules.ended_by == "press" or game.self_play is not None:
        return finish_by_board(game)
    if game.end_accepted.of(game.last_mover.other):
        return finish_by_board(with_errors_settled(game))
    return replace(game, awaits=Awaits.ACCEPT_END)


def late_end(game: Game) -> Game:
    """End a game whose last moves are known late, as of its last press."""
    if game.rules.ended_by == "press":
        return board_ends(at_last_press(game))
    last = game.last_press
    if last is None:
        return board_ends(game)
    return board_ends(
        replace(game, flags=Both(*(game.flags.of(side).untold_as(last.flags.of(side)) for side in Side)))
    )


def end_if_over(game: Game) -> Game:
    """End the game at the press after which neither player can move (usoa 4.1), but not by a wrong start alone."""
    over = game.before.over() and not (game.astray and len(game.moves) < _FEWEST_MOVES)
    return board_ends(game) if over else game

"""The count-down for each move of a player whose time is up (jof J19)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game
from flagfall.othello.judging.flags.claimed import loses
from flagfall.othello.side import Side


def begin_count_down(game: Game, side: Side) -> Game:
    """Let the clock of a player whose time is up count down for each move, instead of a flag (jof J19)."""
    counts_down = game.with_flag(side, game.flags.of(side).count_down())
    return replace(counts_down, clock=counts_down.in_new_period(game.clock, side))


def lose_by_error(game: Game, side: Side) -> Game:
    """Let an error that is pointed out to a player in the count-down cost the flag, where the rulebook says so."""
    flag = game.flags.of(side)
    if game.rules.flag.byoyomi_error == "corrected" or not flag.counts_down or game.self_play is not None:
        return game
    return loses(game.with_flag(side, flag.fall_untold(game.at_ns)), side)

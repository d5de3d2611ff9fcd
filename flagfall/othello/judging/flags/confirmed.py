"""A flag that takes effect when the director confirms it, if it was noticed (usoa 6.4 to 6.7)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.end import settle_again
from flagfall.othello.judging.flags import at_once
from flagfall.othello.judging.flags.consequences import (
    count_fallen_before,
    extend,
    fallen,
    in_default,
    second_flag,
)
from flagfall.othello.judging.flags.move_in_hand import move_in_hand
from flagfall.othello.judging.last_press import remember_flag, remember_press
from flagfall.othello.judging.stop import rule_stop
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Side


def director_confirms(rules: Rulebook) -> bool:
    """Tell whether the director confirms defaults under this text (usoa 6.5)."""
    return rules.flag.takes_effect == "confirmed"


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that waits for the director, unless it ends the game (usoa 6.1, 6.5)."""
    game = fallen(game, side)
    game = in_default(game, side) if game.defaulter is None else second_flag(game, side)
    if not game.over:
        game = game.with_flag(side, game.flags.of(side).await_director())
    return remember_flag(game, side)


def point_out(game: Game, side: Side) -> Game:
    """Record that somebody has pointed out this player's flag: it is noticed from now on (usoa 6.4)."""
    flag = game.flags.of(side)
    if game.over or not flag.awaits_director:
        return at_once.point_out(game, side)
    return game.with_flag(side, flag.notice())


def moved_on(game: Game, by: Side) -> Game:
    """Record that `by` has moved: a fallen flag of the other that nobody has noticed stays unnoticed (usoa 6.4)."""
    flag = game.flags.of(by.other)
    unnoticed = flag.stay_unnoticed()
    return game if unnoticed is flag else game.with_flag(by.other, unnoticed)


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director: 2:00 for the player whose flag fell, both clocks stop (usoa 6.5-6.7).

    After the end the ruling means that the flag had been noticed before (6.4, 6.6): it counts.
    """
    fallen = [side for side in Side if game.flags.of(side).awaits_director]
    if not fallen:
        raise RefusedError("no_default")
    if game.over:
        return settle_again(replace(game, flags=game.flags.each(Flag.wait_no_longer)))
    if game.to_move in fallen and move_in_hand(game):
        raise RefusedError("move_in_hand")
    for side in fallen:
        game = extend(game, side)
    game = replace(game, flags=game.flags.each(Flag.wait_no_longer))
    return remember_press(rule_stop(game, ruling))


def count_before(game: Game, side: Side) -> Game:
    """Let a flag count that fell before the last move was complete, as noticed and confirmed (usoa 6.2)."""
    return count_fallen_before(game, side)

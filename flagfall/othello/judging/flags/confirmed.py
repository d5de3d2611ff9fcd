"""A flag that takes effect when the director confirms it, if it was noticed (usoa 6.4 to 6.7)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.end import settle_again
from flagfall.othello.judging.flags.at_once import needs_no_word
from flagfall.othello.judging.flags.consequences import extend, fallen, in_default, second_flag
from flagfall.othello.judging.flags.move_in_hand import move_in_hand
from flagfall.othello.judging.last_press import remember_flag, remember_press
from flagfall.othello.judging.stop import rule_stop
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that waits for the director, unless it ends the game (usoa 6.1, 6.5)."""
    game = fallen(game, side)
    game = in_default(game, side) if game.defaulter is None else second_flag(game, side)
    if not game.over:
        game = replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return remember_flag(game, side)


def notice(game: Game, side: Side) -> Game:
    """Record that somebody has pointed out this player's flag: it is noticed from now on (usoa 6.4)."""
    if game.over or not game.unconfirmed.of(side):
        return needs_no_word(game, side)
    return replace(game, noticed=game.noticed.with_(side, True))


def moved_on(game: Game, by: Side) -> Game:
    """Record that `by` has moved: a fallen flag of the other that nobody has noticed stays unnoticed (usoa 6.4)."""
    other = by.other
    if not game.unconfirmed.of(other) or game.noticed.of(other) is not None:
        return game
    return replace(game, noticed=game.noticed.with_(other, False))


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Confirm a default for the director: 2:00 for the player whose flag fell, both clocks stop (usoa 6.5-6.7).

    After the end the ruling means that the flag had been noticed before (6.4, 6.6): it counts.
    """
    fallen = [side for side in Side if game.unconfirmed.of(side)]
    if not fallen:
        raise RefusedError("no_default")
    if game.over:
        return settle_again(replace(game, unconfirmed=Both(False, False)))
    if game.to_move in fallen and move_in_hand(game):
        raise RefusedError("move_in_hand")
    for side in fallen:
        game = extend(game, side)
    return remember_press(rule_stop(replace(game, unconfirmed=Both(False, False)), ruling))

"""A flag that takes effect when a player points it out."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game
from flagfall.othello.judging.flags.at_once import default, take_effect
from flagfall.othello.judging.flags.consequences import fallen
from flagfall.othello.judging.last_press import remember_flag
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that waits for a player's word; a flag after a default needs none."""
    game = fallen(game, side)
    if game.defaulter is None:
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return remember_flag(take_effect(game, side), side)


def point_out(game: Game, side: Side) -> Game:
    """Point out this player's fallen flag: it takes effect now."""
    if game.over:
        raise RefusedError("flag_too_late")
    if not game.unconfirmed.of(side):
        raise RefusedError("flag_not_fallen", player=side)
    return remember_flag(default(replace(game, unconfirmed=Both(False, False)), side), side)

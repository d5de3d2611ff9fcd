"""A flag that takes effect when a player points it out."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.judging.flags.at_once import default
from flagfall.othello.judging.last_press import remember_flag
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side
from flagfall.othello.value import replace


def point_out(game: Game, side: Side) -> Game:
    """Point out this player's fallen flag, where a rulebook makes the default wait for that.

    Where the director confirms it, it is noticed from now on (usoa 6.4).
    """
    if game.rules.flag.takes_effect == "confirmed" and not game.over and game.unconfirmed.of(side):
        return replace(game, noticed=game.noticed.with_(side, True))
    if game.rules.flag.takes_effect != "pointed_out":
        raise RefusedError("flag_needs_no_word", rulebook=game.rules.id)
    if game.over:
        raise RefusedError("flag_too_late")
    if not game.unconfirmed.of(side):
        raise RefusedError("flag_not_fallen", player=side)
    return remember_flag(default(replace(game, unconfirmed=Both(False, False)), side), side)

"""A flag that takes effect when a player points it out."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.flags import at_once
from flagfall.othello.judging.flags.at_once import default, take_effect
from flagfall.othello.judging.flags.consequences import count_fallen_before, fallen
from flagfall.othello.judging.last_press import remember_flag
from flagfall.othello.refusals import RefusedError
from flagfall.othello.rulebook import Rulebook
from flagfall.othello.side import Side


def players_point_out(rules: Rulebook) -> bool:
    """Tell whether players point out flags under this text, which everybody sees."""
    return rules.flag.takes_effect == "pointed_out"


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that waits for a player's word; a flag after a default needs none."""
    game = fallen(game, side)
    if game.defaulter is None:
        return game.with_flag(side, game.flags.of(side).await_pointing_out())
    return remember_flag(take_effect(game, side), side)


def point_out(game: Game, side: Side) -> Game:
    """Point out this player's fallen flag: it takes effect now."""
    if game.over:
        raise RefusedError("flag_too_late")
    if not game.flags.of(side).waits:
        raise RefusedError("flag_not_fallen", player=side)
    game = replace(game, flags=game.flags.each(Flag.wait_no_longer))
    return remember_flag(default(game, side), side)


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Refuse the director's word about a flag that is the players' to point out."""
    return at_once.confirm_default(game, ruling)


def count_before(game: Game, side: Side) -> Game:
    """Let a flag count that fell before the last move was complete (usoa 6.2)."""
    return count_fallen_before(game, side)

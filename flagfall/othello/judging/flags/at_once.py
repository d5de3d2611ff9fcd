"""A flag that takes effect at once: a default with more time for one or both, or the end (woc-2019 IV.6)."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.flags.consequences import (
    count_fallen_before,
    extend,
    fallen,
    in_default,
    second_flag,
)
from flagfall.othello.judging.last_press import remember_flag
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def fall(game: Game, side: Side) -> Game:
    """Let a flag fall that takes effect now (woc-2019 IV.6)."""
    return remember_flag(take_effect(fallen(game, side), side), side)


def take_effect(game: Game, side: Side) -> Game:
    """Return the game after this flag (woc-2019 IV.6): a default, the end, or more time for the other's first one."""
    if game.defaulter is None:
        return default(game, side)
    game = second_flag(game, side)
    return game if game.over else extend(game, side)


def default(game: Game, side: Side) -> Game:
    """Apply the first flag (woc-2019 IV.6): the game is lost; where the text lets it go on, it goes on with more
    time."""
    game = in_default(game, side)
    if game.over:
        return game
    game = extend(game, side)
    return extend(game, side.other) if game.rules.flag.extension_for == "both" else game


def point_out(game: Game, side: Side) -> Game:
    """Refuse a word about a flag that has taken effect without one."""
    raise RefusedError("flag_needs_no_word", rulebook=game.rules.id)


def confirm_default(game: Game, ruling: Ruling) -> Game:
    """Refuse the director's word about a flag that needs none."""
    raise RefusedError("default_needs_no_word", rulebook=game.rules.id)


def count_before(game: Game, side: Side) -> Game:
    """Let a flag count that fell before the last move was complete (usoa 6.2)."""
    return count_fallen_before(game, side)

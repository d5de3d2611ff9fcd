"""A flag that takes effect at once: loss or default, more time, and the second flag (woc-2019 IV.6)."""

from __future__ import annotations

from flagfall.othello.game import SECOND_NS, Game
from flagfall.othello.judging.end import finish
from flagfall.othello.judging.score import against
from flagfall.othello.reason import Reason
from flagfall.othello.side import Side
from flagfall.othello.value import replace


def follows(game: Game, side: Side) -> Game:
    """Return the game after this flag."""
    rule, flags = game.rules.flag, game.flags
    if game.defaulter is None:
        return default(game, side)
    if game.defaulter is side:
        return finish(game, Reason.SECOND_FLAG, against(side, rule.second_score))
    if rule.other_first == "loses_default" or flags.of(side) > 1:
        return finish(game, Reason.SECOND_FLAG, against(game.defaulter, rule.other_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return extend(game, side)


def default(game: Game, side: Side) -> Game:
    """Apply the first flag: the game is lost; where the text lets it go on, it goes on with more time."""
    rule = game.rules.flag
    game = replace(game, defaulter=side)
    if rule.first == "loses":
        return finish(game, Reason.SECOND_FLAG, against(side, rule.first_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    game = extend(game, side)
    if rule.extension_for == "both":
        game = extend(game, side.other)
    return game


def extend(game: Game, side: Side) -> Game:
    extension_ns = game.rules.flag.extension_s * SECOND_NS
    if game.rules.flag.extension == "set":
        clock = game.clock.set(side, extension_ns, game.at_ns)
    else:
        clock = game.clock.give(side, extension_ns, game.at_ns)
    return replace(game, clock=clock, annulled=game.annulled.with_(side, False))

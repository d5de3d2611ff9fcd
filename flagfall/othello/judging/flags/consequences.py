"""The consequences of a flag, whichever way it takes effect: a default, more time, the end (woc-2019 IV.6, usoa 6)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import SECOND_NS, Game, Incident, IncidentType
from flagfall.othello.judging.end import finish, finish_by_board
from flagfall.othello.judging.incidents import note
from flagfall.othello.judging.last_press import at_flag_before
from flagfall.othello.judging.score import against
from flagfall.othello.reason import Reason
from flagfall.othello.side import Side


def fallen(game: Game, side: Side) -> Game:
    """Record that this player's flag has fallen now (usoa 5.2)."""
    game = game.with_flag(side, game.flags.of(side).fall())
    return note(game, Incident(game.at_ns, IncidentType.FLAG, side))


def in_default(game: Game, side: Side) -> Game:
    """Put this player in default by the first flag (woc-2019 IV.6, usoa 6.1); where the text lets it lose, the game is
    over."""
    rule, game = game.rules.flag, replace(game, defaulter=side)
    return (
        finish(game, Reason.SECOND_FLAG, against(side, rule.first_score)) if rule.first == "loses" else game
    )


def second_flag(game: Game, side: Side) -> Game:
    """Weigh a flag that falls after a default: the game is over, unless the text gives the other player's first flag
    more time too (woc-2019 IV.6, woc-classic IV.6, usoa 6.7)."""
    rule = game.rules.flag
    if game.defaulter is None:
        return game
    if game.defaulter is side:
        return finish(game, Reason.SECOND_FLAG, against(side, rule.second_score))
    if rule.other_first == "loses_default" or game.falls.of(side) > 1:
        return finish(game, Reason.SECOND_FLAG, against(game.defaulter, rule.other_score))
    return game


def extend(game: Game, side: Side) -> Game:
    """Give the time that a flag brings (woc-2019 IV.6), or set the clock to it (usoa 6.7)."""
    extension_ns = game.rules.flag.extension_s * SECOND_NS
    if game.rules.flag.extension == "set":
        clock = game.clock.set(side, extension_ns, game.at_ns)
    else:
        clock = game.clock.give(side, extension_ns, game.at_ns)
    return replace(game, clock=clock).with_flag(side, game.flags.of(side).with_extension())


def count_fallen_before(game: Game, side: Side) -> Game:
    """End a game whose discs are counted and whose last move was not complete when this player's flag fell (usoa
    6.2)."""
    game = at_flag_before(game, side)
    ended = game.outcome
    return finish_by_board(game) if ended is None else finish(game, ended.reason, ended.score)

"""A flag annulled by the director, with its consequences (woc-2019 IV.7, usoa 10.2)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import SECOND_NS, Game, State
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.director import player_of
from flagfall.othello.judging.end import settle_again
from flagfall.othello.judging.stop import rule_stop
from flagfall.othello.reason import Reason
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def annul_flag(game: Game, ruling: Ruling) -> Game:
    """Annul a player's last flag for the director (woc-2019 IV.7, usoa 10.2), with its consequences.

    The time it gave is given back; a clock that is at zero then stands there without a flag until it is given time. A
    game that the flag had ended is stopped; one that the board had ended is scored again.
    """
    side = player_of(ruling)
    if not game.flags.of(side).falls:
        raise RefusedError("no_flag", player=side)
    if game.default_from is not None:
        return _before_default(game, game.default_from, side)
    last, fallen = game.last_press, game.falls.of(side)
    if last is not None and last.falls.of(side) == fallen:
        game = replace(game, last_press=_without_flag(last, side))
    for player in Side:
        was = game.at_flag.of(player)
        if was is not None and was.falls.of(side) == fallen:
            was = None if player is side else _without_flag(was, side)
            game = replace(game, at_flag=game.at_flag.with_(player, was))
    game = _without_flag(game, side)
    if game.ended_by(Reason.SECOND_FLAG):
        return rule_stop(replace(game, outcome=None, signed=Both(False, False)), ruling)
    return settle_again(game) if game.over else game


def _before_default(game: Game, was: Game, side: Side) -> Game:
    """Return the game as it was before a default ended it, stopped; later events stay on record."""
    empty = not was.clock.left_ns(side, was.at_ns)
    return replace(
        was,
        state=State.STOPPED,
        clock=replace(was.clock.run(None, was.at_ns), since_ns=game.at_ns),
        at_ns=game.at_ns,
        board=game.board,
        board_ok=game.board_ok,
        incidents=game.incidents,
        notes=game.notes,
        outcome=None,
        signed=Both(False, False),
        flags=was.flags.each(Flag.drop_claim).with_(side, was.flags.of(side).forget().held(empty)),
    )


def _without_flag(game: Game, side: Side) -> Game:
    """Return the game without this player's last flag, and without the time that it gave, as far as that is left."""
    clock, gave = game.clock, _given_for(game, side)
    for player in gave:
        clock = clock.give(player, -game.rules.flag.extension_s * SECOND_NS, game.at_ns)
    flags = game.flags.with_(side, game.flags.of(side).annul())
    defaulter = game.defaulter
    if defaulter is side and not flags.of(side).falls:
        defaulter = side.other if flags.of(side.other).falls else None
    for player in (side, *gave):
        if not clock.left_ns(player, game.at_ns):
            flags = flags.with_(player, flags.of(player).held(at_zero=True))
    return replace(game, clock=clock, flags=flags, defaulter=defaulter)


def _given_for(game: Game, side: Side) -> tuple[Side, ...]:
    """Return the players who got time for this player's last flag."""
    rule = game.rules.flag
    if game.falls.of(side) > 1 or game.flags.of(side).waits or rule.first == "loses":
        return ()
    if game.defaulter is not side:
        return (side,) if game.defaulter is not None and rule.other_first == "extension" else ()
    return tuple(Side) if rule.extension_for == "both" else (side,)

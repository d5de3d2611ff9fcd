"""Time passes: whose flag falls, when, and what follows from it (woc-2019 IV.6, usoa 6)."""

from __future__ import annotations

from othello.ending import finish
from othello.game import SECOND_NS, Game, Incident, IncidentType, Reason, State
from othello.inputs import Ruling, Signal
from othello.record import note
from othello.refusals import RefusedError
from othello.scoring import against
from othello.side import Both, Side
from othello.value import replace

_CLOCKS_RUN = (State.RUNNING, State.CORRECTING)


def advance(game: Game, at_ns: int) -> Game:
    """The game at `at_ns`, every flag that fell before it fallen. At exactly zero a press is still in time."""
    while game.state in _CLOCKS_RUN and game.clock.running is not None:
        empty_at_ns = game.clock.empty_at_ns()
        if empty_at_ns is None or at_ns <= empty_at_ns or game.unconfirmed.of(game.clock.running):
            break
        game = _fall(game, game.clock.running, empty_at_ns)
    if at_ns == game.at_ns:
        return game
    return replace(game, clock=game.clock.at(at_ns), at_ns=at_ns)


def _fall(game: Game, side: Side, at_ns: int) -> Game:
    rule = game.rules.flag
    flags = game.flags.with_(side, game.flags.of(side) + 1)
    game = note(
        replace(game, clock=game.clock.at(at_ns), at_ns=at_ns, flags=flags),
        Incident(at_ns, IncidentType.FLAG, side),
    )
    if game.defaulter is None:
        if rule.takes_effect == "pointed_out":
            return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
        return _default(game, side, at_ns)
    if game.defaulter is side:
        return finish(game, at_ns, Reason.SECOND_FLAG, against(side, rule.second_score))
    if rule.other_first == "loses_default" or flags.of(side) > 1:
        return finish(game, at_ns, Reason.SECOND_FLAG, against(game.defaulter, rule.other_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    return _extend(game, side, at_ns)


def _default(game: Game, side: Side, at_ns: int) -> Game:
    """The first flag: the game is lost; where the text lets it go on, it goes on with more time."""
    rule = game.rules.flag
    game = replace(game, defaulter=side)
    if rule.first == "loses":
        return finish(game, at_ns, Reason.SECOND_FLAG, against(side, rule.first_score))
    if rule.takes_effect == "confirmed":
        return replace(game, unconfirmed=game.unconfirmed.with_(side, True))
    game = _extend(game, side, at_ns)
    if rule.extension_for == "both":
        game = _extend(game, side.other, at_ns)
    return game


def _extend(game: Game, side: Side, at_ns: int) -> Game:
    extension_ns = game.rules.flag.extension_s * SECOND_NS
    if game.rules.flag.extension == "set":
        clock = game.clock.set(side, extension_ns, at_ns)
    else:
        clock = game.clock.give(side, extension_ns, at_ns)
    return replace(game, clock=clock)


def pointed_out(game: Game, signal: Signal, at_ns: int) -> Game:
    """A player points out the other's fallen flag, where a rulebook makes the default wait for that."""
    side = signal.by.other
    if game.rules.flag.takes_effect != "pointed_out":
        raise RefusedError("flag_needs_no_word", rulebook=game.rules.id)
    if game.over:
        raise RefusedError("flag_too_late")
    if not game.unconfirmed.of(side):
        raise RefusedError("flag_not_fallen", player=side)
    return _default(replace(game, unconfirmed=Both(False, False)), side, at_ns)


def confirm_default(game: Game, ruling: Ruling, at_ns: int) -> Game:
    """The director confirms a default: 2:00 for whose flag fell, both clocks stop (usoa 6.5-6.7)."""
    if game.rules.flag.takes_effect != "confirmed":
        raise RefusedError("default_needs_no_word", rulebook=game.rules.id)
    fallen = [side for side in Side if game.unconfirmed.of(side)]
    if not fallen:
        raise RefusedError("no_default")
    if game.to_move in fallen and _move_in_hand(game):
        raise RefusedError("move_in_hand")
    for side in fallen:
        game = _extend(game, side, at_ns)
    return replace(
        game,
        clock=game.clock.run(None, at_ns),
        state=State.STOPPED,
        unconfirmed=Both(False, False),
        ready=Both(False, False),
    )


def _move_in_hand(game: Game) -> bool:
    """A disc has touched a legal square and not all discs are flipped yet (usoa 6.3)."""
    if game.state is not State.RUNNING or game.clock.running is not game.to_move:
        return False
    square = game.turn.disc_down if game.turn.disc_down is not None else game.turn.commit
    if square is None or not game.legal(game.to_move) >> square & 1:
        return False
    return bool(game.before.played(game.plays_black(game.to_move), square).differences(game.shown))

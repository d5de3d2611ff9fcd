"""The game as it was at its last press, or when a flag fell since: it may turn out to have ended there."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.flag import Flag
from flagfall.othello.game import Game
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side


def remember_press(game: Game) -> Game:
    """Keep the game at this press: a clock game may turn out to have ended here."""
    return replace(game, last_press=_halted(game), at_flag=Both(None, None))


def remember_flag(game: Game, side: Side) -> Game:
    """Keep what this player's flag has made of the game: the judge may say later that the move was not complete (usoa
    6.2).

    A later flag since the same press is not kept: no count would be entered if that had fallen in time.
    """
    return game if game.at_flag.of(side) else replace(game, at_flag=game.at_flag.with_(side, _halted(game)))


def _halted(game: Game) -> Game:
    return replace(game, clock=game.clock_running(None), last_press=None, at_flag=Both(None, None))


def at_last_press(game: Game) -> Game:
    """Return a clock game as over at its last press: time charged since is given back, and a flag that fell since stays
    on record without effect (usoa 4.1)."""
    return game if game.last_press is None else _clocks_of(game, game.last_press)


def at_flag_before(game: Game, side: Side) -> Game:
    """Return a clock game whose last move was not complete when this player's flag fell: the flag counts, noticed and
    confirmed, and time charged since is given back (usoa 6.2). The outcome is that of the flag alone."""
    was = game.at_flag.of(side)
    if was is not None:
        game = replace(_clocks_of(game, was), outcome=was.outcome)
    elif game.flags.of(side).falls:
        game = replace(at_last_press(game), outcome=None)
    else:
        raise RefusedError("no_flag", player=side)
    return game.with_flag(side, game.flags.of(side).wait_no_longer())


def _clocks_of(game: Game, was: Game) -> Game:
    """Return the game with the time and the flags of an earlier instant."""
    return replace(
        game,
        clock=replace(was.clock, since_ns=game.at_ns),
        flags=was.flags.each(Flag.drop_claim),
        defaulter=was.defaulter,
    )

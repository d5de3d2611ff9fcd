"""A late player, whose clock runs (jof J11, J12)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, State
from flagfall.othello.inputs import Late, Press, Ruling
from flagfall.othello.judging.director import player_of
from flagfall.othello.judging.press import press_out_of_turn
from flagfall.othello.judging.start import press_waiting
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Side


def rule_start_clock(game: Game, ruling: Ruling) -> Game:
    """Start the clock of an absent player; an absent White's press will start Black's (jof J11). The first press ends
    this."""
    return _start_clock(game, player_of(ruling))


def late(game: Game, entry: Late) -> Game:
    """Start the clock of a late player for the other, who is there (jof J11)."""
    if game.rules.late_clock == "director":
        raise RefusedError("director_starts_clock", rulebook=game.rules.id)
    return _start_clock(game, entry.by.other)


def may_still_begin(game: Game) -> bool:
    """Tell whether a game that a late player's empty clock has stopped waits for its start (jof J12)."""
    return game.state is State.STOPPED and game.absent is not None and game.rules.late_clock == "opponent"


def _start_clock(game: Game, side: Side) -> Game:
    if not game.armed:
        raise RefusedError("start_not_given")
    if game.state is State.STOPPED and not may_still_begin(game):
        raise RefusedError("not_in_state", state=game.phase)
    if game.state is State.RUNNING and game.absent is None:
        raise RefusedError("has_begun")
    return replace(game, state=State.RUNNING, clock=game.clock_running(side), absent=side, late=side)


def press_stopped(game: Game, press: Press) -> Game:
    """Begin the game of a late player whose time is used up, and who plays all the same (jof J12)."""
    if may_still_begin(game):
        begun = press_waiting(replace(game, state=State.WAITING, absent=None), press)
        if begun.state is State.RUNNING:
            return begun
    return press_out_of_turn(game, press)

"""The clocks as presses turn them (usoa 5.3, 5.7)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import SECOND_NS, Game, State
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.side import Side


def turned(game: Game, by: Side) -> Game:
    """Return the game with the clocks as this player's press turns them, whatever lies on the board; the same game
    where it turns none (usoa 5.3, 5.7).

    A press in play begins with it; the screen shows it until the board has reported the move.
    """
    correction = game.correction
    match game.state:
        case State.WAITING if game.armed and by is Side.WHITE:
            return started(replace(game, state=State.RUNNING))
        case State.RUNNING if by is game.clock.running:
            return started(game) if game.absent is Side.WHITE else _pass_clock(game, by)
        case State.CORRECTING if correction is not None and game.offender_ends_correction:
            if by is not game.timed(correction.offender):
                return game
            goes_on = replace(game, state=State.RUNNING)
            if correction.kind in MOVES_AGAIN:
                return _pass_clock(goes_on, by)
            return replace(goes_on, clock=game.in_new_period(game.clock_running(by.other), by))
    return game


def started(game: Game) -> Game:
    """Start Black's clock for White's press (usoa 5.6)."""
    return replace(game, clock=game.clock_running(Side.BLACK), absent=None)


def _pass_clock(game: Game, by: Side) -> Game:
    """Start the other clock; where the rulebook has an increment or delay, each press that turns the clock in play
    gives it."""
    clock = game.clock_running(by.other)
    increment_s, delay_s = game.header.increment_s, game.header.delay_s
    if increment_s or delay_s:
        used_ns = clock.charged_ns.of(by) - game.charged_before_ns.of(by)
        given_ns = round(increment_s * SECOND_NS) + min(round(delay_s * SECOND_NS), used_ns)
        clock = clock.give(by, given_ns, game.at_ns)
    clock = game.in_new_period(clock, by)
    return replace(game, clock=clock, charged_before_ns=clock.charged_ns, absent=None)

"""Clocks stopped and started again by players, judge and director, and by a loss of power (woc-2019 IV.2, usoa 5.10,
5.11)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, Incident, IncidentType, State
from flagfall.othello.inputs import Input, Power, Ready, Stop
from flagfall.othello.judging.errors.disturbance import as_it_lies
from flagfall.othello.judging.incidents import note
from flagfall.othello.reading.turn import see_disc
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both


def summon(game: Game, entry: Stop) -> Game:
    """Stop the clocks for a player who summons the director (woc-2019 IV.2, IV.7) where no judge sits, or the judge who
    does (jof J6, J10), as the text allows it."""
    if game.header.judged and not game.rules.players_call:
        raise RefusedError("judge_stops")
    if not game.rules.players_stop and game.reads_board:
        # A clock game has ended when its players say so: they stop the clocks to count (usoa 4.1).
        raise RefusedError("director_stops")
    return rule_stop(game, entry)


def rule_stop(game: Game, entry: Input) -> Game:
    """Stop the clocks. A late player who comes in time begins with what is left of theirs (jof J12)."""
    absent = game.absent
    if (
        absent is not None
        and game.rules.late_clock == "opponent"
        and game.clock.left_ns(absent, game.at_ns) > 0
    ):
        return replace(game, state=State.WAITING, clock=game.clock_running(None), absent=None)
    return replace(game, state=State.STOPPED, clock=game.clock_running(None), ready=Both(False, False))


def ready(game: Game, entry: Ready) -> Game:
    """Start a stopped clock again when both players agree to go on, where no judge sits and the text allows it (usoa
    5.11)."""
    if game.header.judged:
        raise RefusedError("judge_starts_again")
    if not game.rules.players_stop:
        raise RefusedError("director_starts_again")
    game = replace(game, ready=game.ready.with_(entry.by, True))
    return rule_resume(game, entry) if all(game.ready) else game


def rule_resume(game: Game, entry: Input) -> Game:
    """Start the clock of the player to move; in a correction the offender's (usoa 5.11)."""
    game = replace(game, ready=Both(False, False))
    if game.correction is not None:
        return replace(game, state=State.CORRECTING, clock=game.clock_running(game.correction.offender))
    game = see_disc(as_it_lies(game))
    side = game.absent if game.absent is not None else game.to_move
    return replace(game, state=State.RUNNING, clock=game.clock_running(side))


def power_back(game: Game, entry: Power) -> Game:
    """Stop the game of a device that restarted at its last durable instant, time up to it charged."""
    lost = Incident(game.at_ns, IncidentType.POWER_LOST, fields=(("uncertain_ns", entry.uncertain_ns),))
    game = note(game, lost)
    return rule_stop(game, entry) if game.clock.running is not None else game

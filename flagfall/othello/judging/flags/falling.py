"""Time that passes: the instant at which a flag falls, and which way it takes effect (woc-2019 IV.6, usoa 6)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, State
from flagfall.othello.judging.end import finish_self_play
from flagfall.othello.judging.errors.taken_back import without_correction
from flagfall.othello.judging.flags.claimed import counts_after_the_last_move
from flagfall.othello.judging.flags.count_down import begin_count_down
from flagfall.othello.judging.flags.ways import way_of
from flagfall.othello.judging.passing import can_only_pass
from flagfall.othello.judging.self_play_moves import end_alone
from flagfall.othello.side import Side


def advance(game: Game, at_ns: int) -> Game:
    """Return the game at `at_ns`, with every flag that fell before it (woc-2019 IV.6, usoa 6.1, 6.2). At exactly zero a
    press is still in time."""
    while (side := game.clock.running) is not None:
        empty_at_ns = falls_after_ns(game)
        if empty_at_ns is None or at_ns <= empty_at_ns:
            break
        game = _fall(game, side, empty_at_ns)
    if at_ns == game.at_ns:
        return game
    return replace(game, clock=game.clock.at(at_ns), at_ns=at_ns)


def falls_after_ns(game: Game) -> int | None:
    """Return the instant after which the running player's flag falls; None if no clock runs, or one that stands at zero
    (usoa 6.1)."""
    side = game.clock.running
    if side is None or game.flags.of(side).down:
        return None
    if not counts_after_the_last_move(game, side) or _waits_for_a_pass(game, side):
        return None
    empty_at_ns = game.clock.since_ns + game.clock.remaining_ns.of(side)
    return None if game.flags.of(side).held_at_zero and empty_at_ns == game.clock.since_ns else empty_at_ns


def _waits_for_a_pass(game: Game, side: Side) -> bool:
    """Tell whether this player owes only a pass, and the rulebook lets no flag fall meanwhile."""
    if game.rules.flag.pass_only == "counts" or game.phase is not State.RUNNING or game.to_move is not side:
        return False
    return game.reads_board and not game.owed and can_only_pass(game, side)


def _fall(game: Game, side: Side, at_ns: int) -> Game:
    game = replace(game, at_ns=at_ns)
    if side is game.self_play:
        return _out_of_time_alone(game)
    if game.header.byoyomi_s and not game.flags.of(side).counts_down:
        return begin_count_down(game, side)
    return way_of(game.rules).fall(game, side)


def _out_of_time_alone(game: Game) -> Game:
    """End the play of a winner by default whose time is used up. An error that they have not put right counts as it
    should be."""
    if game.correction is None:
        return end_alone(game)
    game = without_correction(game)
    return finish_self_play(replace(game, shown=game.before))

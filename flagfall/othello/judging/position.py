"""A position set by the judge (woc-2019 IV.5.3)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Awaits, ErrorState, Game, State, Turn
from flagfall.othello.inputs import Ruling
from flagfall.othello.judging.errors.states import close_errors, with_error
from flagfall.othello.refusals import RefusedError


def rule_set_position(game: Game, ruling: Ruling) -> Game:
    """Set the position for the judge, from the transcript or by ruling (woc-2019 IV.5.3)."""
    if ruling.position is None or ruling.to_move is None:
        raise RefusedError("needs_position")
    if ruling.position.unknown:
        raise RefusedError("squares_unknown")
    if game.correction is not None:
        game = with_error(game, game.correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    runs = game.clock.running is not None
    return replace(
        game,
        state=State.RUNNING if runs else State.STOPPED,
        clock=game.clock_running(ruling.to_move if runs else None),
        board=ruling.position,
        shown=ruling.position,
        before=ruling.position,
        to_move=ruling.to_move,
        correction=None,
        awaits=None if game.awaits is Awaits.ACCEPT_END else game.awaits,
        last=None,
        turn=Turn(),
        owed=0,
        absent=None,
        astray=0,
    )

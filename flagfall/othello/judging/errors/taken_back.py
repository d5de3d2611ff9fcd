"""A wrong move taken back whole: its player must move again (woc-2019 IV.5.1, usoa 7.2)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.board import Position
from flagfall.othello.game import Correction, ErrorState, Game, Turn
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.play_goes_on import awaits_move_of, right_position
from flagfall.othello.judging.errors.states import close_errors, with_error
from flagfall.othello.reading.turn import see_disc


def take_back(game: Game, correction: Correction) -> Game:
    """Take the wrong move back (woc-2019 IV.5.1, usoa 7.2). The offender, whose clock goes on, must move; touch-move
    may bind them still."""
    last = game.last
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    game = close_errors(game, ErrorState.CORRECTED)
    offender = correction.offender
    game = replace(awaits_move_of(game, offender), last=None, turn=Turn())
    if last is None:
        # Nobody has read or entered the move: its press alone is taken back.
        return replace(game, owed=game.owed - 1)
    game = replace(
        game,
        before=last.before,
        shown=game.shown if game.reads_board else last.before,
        colours_reversed=last.reversed_before,
        turn=Turn(bound=last.touched, lay=_lies_otherwise(game, last.before)),
    )
    if last.square is not None:
        game = replace(
            game, moves=game.moves[:-1], trays=game.trays.with_(offender, game.trays.of(offender) + 1)
        )
    return see_disc(game)


def _lies_otherwise(game: Game, before: Position) -> Position | None:
    """Return the board as it lies when a move was taken back, if discs are turned in it: held against nobody, but for a
    player who plays alone."""
    same_squares = game.self_play is None and game.reads_board and game.board.occupied == before.occupied
    return game.board if same_squares and game.board.differences(before) else None


def without_correction(game: Game) -> Game:
    """End the correction that a claim interrupts: the move stands as it should be, or is taken back (jof J15)."""
    correction = game.correction
    if correction is None:
        return game
    if correction.kind in MOVES_AGAIN:
        return replace(take_back(game, correction), correction=None)
    game = with_error(game, correction.incident, ErrorState.CORRECTED)
    right = right_position(game)
    return see_disc(replace(game, correction=None, before=right, shown=right))

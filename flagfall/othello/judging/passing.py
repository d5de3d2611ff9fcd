"""Passes: when one is due, and when it is an error (woc-2019 IV.4; usoa 3.6, 3.7, 5.8)."""

from __future__ import annotations

from flagfall.base.value import replace
from flagfall.othello.game import Game, Ply, Turn
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.judging.errors.acceptance import accept, accepted_types
from flagfall.othello.judging.errors.kinds import MOVES_AGAIN
from flagfall.othello.judging.errors.states import note_error
from flagfall.othello.judging.opponents_time import with_answer
from flagfall.othello.reading.discs import Reading
from flagfall.othello.reading.last_move import open_errors, put_right
from flagfall.othello.side import Side


def can_only_pass(game: Game, by: Side) -> bool:
    """Tell whether a player has no legal move on the board as it lies, nor with a misflip put right (IV.4; usoa 5.8).

    After any other error its player would move again: its correction gives the other no move.
    """
    black, last = game.plays_black(by), game.last
    if game.lies.legal(black):
        return False
    flips_wrong = any(game.incidents[n].error not in MOVES_AGAIN for n in open_errors(game))
    return not (flips_wrong and last is not None and last.right.legal(black))


def count_pass(game: Game, by: Side, reading: Reading) -> Game:
    """Count a pass. It is an error if the player had a move on the board as it lies (usoa 3.6)."""
    left = reading.left
    game, closed = accept(game, reading.base, put_right(game, left))
    legal, wrong = game.legal(by), game.before.differences(left)
    errors: tuple[int, ...] = ()
    if legal or wrong:
        kind = ErrorKind.ILLEGAL_PASS if legal else ErrorKind.MISFLIP
        game, index = note_error(game, kind, by, legal or wrong)
        errors = (index,)
    ply = Ply(
        by,
        None,
        game.before,
        right=game.before,
        errors=errors,
        accepted=accepted_types(game, closed),
        touched=game.turn.binding,
        left=game.board,
        reversed_before=game.colours_reversed,
    )
    before = left.known_through(game.before)
    # What the board shows apart from a corrected position lies there for the next mover too.
    lay = game.board if game.reads_board and game.board.differences(before) & ~left.unknown else None
    turn = game.turn
    game = replace(game, last=ply, before=before, to_move=by.other, turn=Turn(lay=lay))
    # No disc is the pass's own: each that came down before its press is the opponent's.
    return with_answer(game, reading, turn, turn.laid)

"""A move that is in a hand when a flag is spoken of: it is completed first (usoa 6.3, jof J15)."""

from __future__ import annotations

from flagfall.othello.game import Game, State
from flagfall.othello.reading.turn import read


def move_in_hand(game: Game) -> bool:
    """Tell whether a disc has touched a legal square and not all discs are flipped yet (usoa 6.3, jof J15).

    Clocks that stop, whoever stops them, take no move out of a hand.
    """
    stands = game.state is State.STOPPED and game.awaits is None and game.correction is None
    if not stands and (game.state is not State.RUNNING or game.clock.running is not game.to_move):
        return False
    square = game.turn.disc_down if game.turn.disc_down is not None else game.turn.commit
    if game.turn.disc_down is not None and read(game).line:
        # All that lies there is whole, also what was made after a press that was forgotten.
        return False
    if square is None or not game.legal(game.to_move) >> square & 1:
        return False
    return bool(game.before.played(game.plays_black(game.to_move), square).differences(game.shown))

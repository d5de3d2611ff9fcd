"""A game that nobody has begun: forfeit and walkover (jof J18)."""

from __future__ import annotations

from flagfall.othello.game import Game
from flagfall.othello.reading.start import as_started_right
from flagfall.othello.reason import Reason


def no_show(game: Game) -> bool:
    """Tell whether the game was forfeited or lost on time before anybody moved, as far as is known (rulebooks.md,
    reading 33; jof J18)."""
    return not begun(game) and game.ended_by(Reason.FORFEIT, Reason.SECOND_FLAG, Reason.WALKOVER)


def begun(game: Game) -> bool:
    """Tell whether anybody has moved, as far as is known."""
    if game.has_moved or game.last is not None or game.owed:
        return True
    return as_started_right(game).occupied != game.start.occupied

"""What a player hears on demand in one earphone: whether his opponent has moved, and what both clocks have left.

Nothing more: no move, no square, no count. Pure.
"""

from __future__ import annotations

from othello.game import SECOND_NS, Game, State
from othello.side import Side
from table_app.words import Catalogue


def spoken(game: Game | None, side: Side, now_ns: int, words: Catalogue) -> str:
    """The sentence for this player at `now_ns` (the table's count)."""
    if game is None:
        return words("say_waiting")
    parts = [_situation(game, side, words)]
    for key, whose in (("say_yours", side), ("say_opponents", side.other)):
        parts.append(words(key, time=_duration(game.clock.left_ns(whose, now_ns), words)))
    return ". ".join(part for part in parts if part) + "."


def _situation(game: Game, side: Side, words: Catalogue) -> str:
    running = game.clock.running
    if game.over:
        return words("say_over")
    if game.state is State.STOPPED:
        return words("say_stopped")
    if game.state is State.CORRECTING:
        return words("say_correction")
    if running is None:
        return words("say_not_begun")
    if running is not side:
        return words("say_opponent_to_move")
    return words("say_opponent_moved") if game.moves or game.owed else words("say_your_move")


def _duration(left_ns: int, words: Catalogue) -> str:
    minutes, seconds = divmod(-(-left_ns // SECOND_NS), 60)
    return (
        words("say_time", minutes=minutes, seconds=seconds)
        if minutes
        else words("say_seconds", seconds=seconds)
    )

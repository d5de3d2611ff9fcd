"""What a player hears on demand in one earphone: whether his opponent has moved, and what both clocks have left.

Nothing more: no move, no square, no count. Pure.
"""

from __future__ import annotations

from link.words import Catalogue
from othello.game import SECOND_NS, Game, State
from othello.side import Side


def spoken(game: Game | None, side: Side, now_ns: int, words: Catalogue) -> str:
    """The sentence for this player at `now_ns` (the table's count)."""
    if game is None:
        return words.pgettext("spoken", "Waiting for a pairing")
    parts = [_situation(game, side, words)]
    for key, whose in (("say_yours", side), ("say_opponents", side.other)):
        parts.append(words.named(key, time=_duration(game.clock.left_ns(whose, now_ns), words)))
    return ". ".join(part for part in parts if part) + "."


def _situation(game: Game, side: Side, words: Catalogue) -> str:
    running = game.clock.running
    if game.over:
        return words("The game is over")
    if game.state is State.STOPPED:
        return words.pgettext("spoken", "Clocks stopped")
    if game.state is State.CORRECTING:
        return words.pgettext("spoken", "Correction")
    if running is None:
        return words("The game has not begun")
    if running is not side:
        return words("Your opponent is to move")
    return (
        words("Your opponent has moved") if game.moves or game.owed else words.pgettext("spoken", "Your move")
    )


def _duration(left_ns: int, words: Catalogue) -> str:
    minutes, seconds = divmod(-(-left_ns // SECOND_NS), 60)
    return (
        words("{minutes} minutes {seconds} seconds", minutes=minutes, seconds=seconds)
        if minutes
        else words("{seconds} seconds", seconds=seconds)
    )

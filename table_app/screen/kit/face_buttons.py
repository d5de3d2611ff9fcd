"""The buttons of the players' face: the meaning of a touch of each, read by `table_app/screen/touches.py`."""

from __future__ import annotations

from enum import StrEnum

from flagfall.othello.side import Side
from table_app.screen.kit.scene import Meaning


class Button(StrEnum):
    """A button of the players' face; the text of most is `button_NAME`."""

    # Before a game, and beside every one.
    START = "start"
    NEW_GAME = "new_game"
    EVENT_PAGE = "event_page"
    TRANSCRIPT = "transcript"
    DRAW_COLOURS = "draw_colours"
    SWAP_SIDES = "swap_sides"
    # The judge's corner, and what calls the judge there.
    JUDGE = "judge"
    FINDING = "finding"
    TROUBLE = "trouble"
    # The half of a player, touched to hear their time.
    SPEAK = "speak"
    # A player's own.
    ERROR = "error"
    FLAG = "flag"
    STOP = "stop"
    READY = "ready"
    DIRECTOR = "director"
    SCORE = "score"
    SIGN = "sign"
    ACCEPT = "accept"
    LATE = "late"
    WALKOVER = "walkover"
    TWO_DISCS = "two_discs"
    SELF_PLAY = "self_play"
    STOP_ALONE = "stop_alone"
    DROP = "drop"
    RESIGN = "resign"
    RESIGN_UNDO = "resign_undo"


class Tap(Meaning, frozen=True):
    """A button of the players' face, and the player whose it is."""

    button: Button
    side: Side | None = None


class Choose(Meaning, frozen=True):
    """A colour, or the draw-win, that a player chooses before the game."""

    taken: str

"""Reasons for the end of a game: the one list that files, messages and pages read."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """A reason for the end of a game."""

    BOARD = "board"
    DEFAULT = "default"
    SECOND_FLAG = "second_flag"
    BOTH_FLAGS = "both_flags"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    WALKOVER = "walkover"
    BEYOND_REPAIR = "beyond_repair"
    AWARDED = "awarded"
    RULED = "ruled"

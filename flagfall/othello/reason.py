"""Why a game ended: the one list that files, messages and pages read."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Apart from who won and by how much."""

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

"""Checks of a player's conditions for each game (`extra_minutes`, `hands_commit`; `woc-2019` IV.10) against the limits
of the game file, when they are typed or uploaded. A record that has other values already stays readable.

It is apart from `check`, which looks at a file alone and loads no record.
"""

from __future__ import annotations

from collections.abc import Mapping

from flagfall.base.errors import shown
from flagfall.othello.inputs import MOST_EXTRA_MINUTES
from hub.text import FormatError


def check_conditions(player: object, where: str = "") -> None:
    """Raise FormatError naming the field of a player, an object of the tournament file, that no game's header can
    have."""
    if not isinstance(player, Mapping):
        return  # whoever reads it names what it is
    minutes, hands = player.get("extra_minutes"), player.get("hands_commit")
    number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
    if minutes is not None and not (number and 0 <= minutes <= MOST_EXTRA_MINUTES):
        raise FormatError(f"{where}extra_minutes", f"0 to {MOST_EXTRA_MINUTES} minutes", shown(minutes))
    if hands is not None and not isinstance(hands, bool):
        raise FormatError(f"{where}hands_commit", "true or false", shown(hands))

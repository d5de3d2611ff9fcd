"""Settings of a tournament of Flip the Disc that change how it is played or ranked: its tie-break and its openings."""

from __future__ import annotations

import re

from flagfall.base.errors import shown
from flagfall.othello.board import parse_opening
from hub.form.parts import JsonFields
from hub.formats.reading import Notes

# `info.tie-breaker` without blanks and signs -> the tie-break here. It is null in every file that was seen, where the
# site ranks by its BQ.
_TIE_BREAKS = {
    **dict.fromkeys(("", "bq", "mbq", "brightwell", "brightwellquotient", "modifiedbrightwell"), ""),
    **dict.fromkeys(("difference", "discdifference", "discsdifference", "diskdifference"), "disc-difference"),
}
_NONE = (None, False, 0, "", "0", "no", "false")


def tie_break_of(info: JsonFields, notes: Notes) -> str:
    """Return the tie-break as the tournament file has it, "" for the quotient; one that is not known gets a note."""
    value = info.take("tie-breaker")
    name = re.sub(r"[\W_]", "", value.lower()) if isinstance(value, str) else "" if value in _NONE else None
    if name is not None and name in _TIE_BREAKS:
        return _TIE_BREAKS[name]
    notes.place = "info.tie-breaker"
    notes.changed(0, "{said} is not known here: players level on points are ranked by BQ", said=shown(value))
    return ""


def openings_of(info: JsonFields, most: int, notes: Notes) -> tuple[str, ...] | None:
    """Return the opening of each round if `info.xot` has the moves; if it only says that there were some, a note."""
    value = info.take("xot")
    if value in _NONE or value == []:
        return None
    listed = value if isinstance(value, list) else [value]
    openings = tuple(opening for item in listed if isinstance(item, str) and (opening := _opening(item)))
    if 0 < len(openings) == len(listed) == len(set(openings)) <= most:
        return openings
    notes.place = "info.xot"
    notes.changed(0, "games begin from openings (XOT) whose moves the file does not name: set them here")
    return None


def _opening(text: str) -> str:
    """Return the moves of an opening, "" if they are none."""
    moves = text.strip().lower()
    try:
        parse_opening(moves)
    except ValueError:
        return ""
    return moves

"""Colours drawn by a hidden disc before a game, with and without the win of a draw (`jof` J1).

One player hides a disc under a hand; the other calls its colour, or the face whose colour they play.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from flagfall.othello.colour_choice import swapped
from flagfall.othello.errors import Invalid, shown
from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side

if TYPE_CHECKING:
    from flagfall.othello.game import Header

_GRADE = re.compile(r"([1-9]\d?)(dan|kyu)")
_NO_GRADE = -100  # below every kyu


def grade_rank(grade: str) -> int:
    """Return a number that is greater for a higher grade: "3dan", "2kyu", or "" for no grade. Invalid for others."""
    if not grade:
        return _NO_GRADE
    match = _GRADE.fullmatch(grade)
    if match is None:
        raise Invalid("grade", 'a grade as "3dan" or "2kyu"', shown(grade))
    number = int(match[1])
    return number if match[2] == "dan" else -number


def who_hides(grades: Both[str], born: Both[str]) -> Side | None:
    """Return who hides the disc: the higher grade, else the older player. None where they have to agree.

    `born`: days as "1980-02-29", "" where one is not known.
    """
    black, white = (grade_rank(grade) for grade in grades)
    if black != white:
        return Side.BLACK if black > white else Side.WHITE
    if not (born.black and born.white) or born.black == born.white:
        return None
    return Side.BLACK if born.black < born.white else Side.WHITE


def colours_after(header: Header, draw: ColourDraw) -> tuple[Header, bool]:
    """Return the header with the colours and the draw-win that this draw gives; True if the players exchange sides.

    Whoever called right, else the hider, picks one of two rights: a colour, or to win a drawn game. The other player
    has the other right. Where draws stand the caller plays the colour of the face that they called.
    """
    caller = draw.hider.other
    by_face = draw.called in (Called.TOP, Called.BOTTOM)
    if header.rulebook.hidden_disc not in ("either", "draws" if by_face else "draw_win"):
        raise RefusedError("no_hidden_disc", rulebook=header.rulebook.id)
    if by_face:
        colour = draw.shown if draw.called is Called.TOP else draw.shown.other
        if draw.chose is not None and draw.chose.value != colour.value:
            raise RefusedError("plays_called_face", player=colour)
        return _with_colour(header, caller, colour, None)
    if draw.chose is None:
        raise RefusedError("needs_choice")
    picker = caller if draw.called.value == draw.shown.value else draw.hider
    if draw.chose is Chosen.DRAW_WIN:
        return replace(header, draw_win=picker), False
    colour = Side(draw.chose)
    return _with_colour(header, picker, colour, colour.other)


def _with_colour(header: Header, player: Side, colour: Side, draw_win: Side | None) -> tuple[Header, bool]:
    """Return the header in which the player who has this side now plays that colour."""
    if player is colour:
        return replace(header, draw_win=draw_win), False
    return swapped(header, draw_win), True

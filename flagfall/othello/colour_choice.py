"""Choice of the colours, and of the win of a draw, by players who say so before the game or draw for it.

`woc-2019` III.1 and IV.9, `cc-2024` IV.9, `woc-classic` II.3.1 and III.3: the players choose one word at a time, until
the header is complete. `jof` J1: one player hides a disc under a hand; the other calls its colour, or the face whose
colour they play.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from flagfall.base.errors import Invalid, shown
from flagfall.othello.inputs import Called, Chosen, ColourDraw
from flagfall.othello.refusals import RefusedError
from flagfall.othello.side import Both, Side

if TYPE_CHECKING:  # the rules of finals name `May`, and are read without a game
    from flagfall.othello.game import Header

# The word of a player who leaves the colours to the opponent and wins a draw themselves (IV.9.b).
DRAW_WIN = "draw-win"


class May(StrEnum):
    """The choices that are open to the chooser: a colour; a colour or the win of a draw; both."""

    COLOUR = "colour"
    COLOUR_OR_DRAW_WIN = "colour-or-draw-win"
    COLOUR_AND_DRAW_WIN = "colour-and-draw-win"


@dataclass(frozen=True, slots=True)
class ColourChoice:
    """A choice that is still open."""

    # By their side in the header as assigned, which is not yet their colour.
    chooser: Side
    may: May
    # The chooser wins a draw, and now the opponent names their own colour.
    draw_win_taken: bool = False

    @property
    def speaker(self) -> Side:
        """The side, in the header as assigned, of the player who chooses next."""
        return self.chooser.other if self.draw_win_taken else self.chooser

    @property
    def words(self) -> tuple[str, ...]:
        """The words that the speaker may choose: a colour, their own; or `DRAW_WIN`."""
        both = self.may is May.COLOUR_OR_DRAW_WIN and not self.draw_win_taken
        return (*Side, DRAW_WIN) if both else tuple(Side)

    @property
    def draw_winner(self) -> Side | None:
        """The player who wins a draw once a colour is named, by their side in the header as assigned."""
        match self.may:
            case May.COLOUR:
                return None
            case May.COLOUR_AND_DRAW_WIN:
                return self.chooser
        return self.chooser if self.draw_win_taken else self.chooser.other


def apply_word(header: Header, choice: ColourChoice, word: str) -> ColourChoice | Header:
    """Return the choice that is left after the speaker's `word`, or the header of the game to be played.

    A word that the speaker may not choose changes nothing.
    """
    if word not in choice.words:
        return choice
    if word == DRAW_WIN:
        return replace(choice, draw_win_taken=True)
    wins = choice.draw_winner
    if Side(word) is choice.speaker:
        return replace(header, draw_win=wins)
    return swapped(header, None if wins is None else wins.other)


def swapped(header: Header, draw_win: Side | None) -> Header:
    """Return the header with the players' colours exchanged, and with this side to win a draw."""
    return replace(
        header,
        black=header.white,
        white=header.black,
        extra_minutes=Both(header.extra_minutes.white, header.extra_minutes.black),
        hands_commit=Both(header.hands_commit.white, header.hands_commit.black),
        draw_win=draw_win,
    )


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


_WRITTEN_GRADE = re.compile(r"(\d{1,2}|初|[一二三四五六七八九十])-?(dan|kyu|段|級|d|k)位?")
_JAPANESE_NUMBERS = {"初": 1} | {sign: n for n, sign in enumerate("一二三四五六七八九十", start=1)}


def written_grade(text: str) -> str | None:
    """Return a grade as people write it ("3 dan", "２級", "初段") as "3dan" or "2kyu"; None if it is none."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    match = _WRITTEN_GRADE.fullmatch("".join(plain.split()))
    if match is None:
        return None
    number = _JAPANESE_NUMBERS.get(match[1]) or int(match[1])
    kind = "dan" if match[2] in ("dan", "段", "d") else "kyu"
    return f"{number}{kind}" if number else None


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
    has the other right, and names their colour after a draw-win was picked. Where draws stand the caller plays the
    colour of the face that they called.
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
        if draw.plays is None:
            raise RefusedError("needs_colour")
        return _with_colour(header, picker.other, draw.plays, draw.plays.other)
    colour = Side(draw.chose)
    return _with_colour(header, picker, colour, colour.other)


def _with_colour(header: Header, player: Side, colour: Side, draw_win: Side | None) -> tuple[Header, bool]:
    """Return the header in which the player who has this side now plays that colour."""
    if player is colour:
        return replace(header, draw_win=draw_win), False
    return swapped(header, draw_win), True

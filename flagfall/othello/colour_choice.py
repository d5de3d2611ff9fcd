"""Who plays which colour and who wins a draw, where players say so before the game or draw for it.

`woc-2019` III.1 and IV.9, `cc-2024` IV.9, `woc-classic` II.3.1 and III.3. Frozen values, one word at a time: what has
been said so far, and at last the header that says all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from flagfall.othello.side import Both, Side

if TYPE_CHECKING:  # the rules of finals name `May`, and are read without a game
    from flagfall.othello.game import Header

DRAW_WIN = "draw-win"
"""What a player says who leaves the colours to his opponent and wins a draw himself (IV.9.b)."""


class May(StrEnum):
    """What the chooser may take: a colour; a colour or the win of a draw; both."""

    COLOUR = "colour"
    COLOUR_OR_DRAW_WIN = "colour-or-draw-win"
    COLOUR_AND_DRAW_WIN = "colour-and-draw-win"


@dataclass(frozen=True, slots=True)
class ColourChoice:
    """What is still to be said. `chooser`: his side in the header as assigned, which is not yet his colour.

    `draw_win_taken`: he wins a draw, and now his opponent names his own colour.
    """

    chooser: Side
    may: May
    draw_win_taken: bool = False

    @property
    def speaker(self) -> Side:
        """The side, in the header as assigned, of the player who chooses next."""
        return self.chooser.other if self.draw_win_taken else self.chooser

    @property
    def words(self) -> tuple[str, ...]:
        """What the speaker may say: a colour, his own; or `DRAW_WIN`."""
        both = self.may is May.COLOUR_OR_DRAW_WIN and not self.draw_win_taken
        return (*Side, DRAW_WIN) if both else tuple(Side)

    @property
    def draw_winner(self) -> Side | None:
        """Who wins a draw once a colour is named, by his side in the header as assigned."""
        match self.may:
            case May.COLOUR:
                return None
            case May.COLOUR_AND_DRAW_WIN:
                return self.chooser
        return self.chooser if self.draw_win_taken else self.chooser.other


def said(header: Header, choice: ColourChoice, word: str) -> ColourChoice | Header:
    """What is still to be said after the speaker's `word`, or the header of the game to be played.

    A word that is not his to say changes nothing.
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

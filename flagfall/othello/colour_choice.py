"""Choice of the colours, and of the win of a draw, by players who say so before the game or draw for it.

`woc-2019` III.1 and IV.9, `cc-2024` IV.9, `woc-classic` II.3.1 and III.3. Values are frozen; the players choose one
word at a time, until the header is complete.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from flagfall.othello.side import Both, Side

if TYPE_CHECKING:  # the rules of finals name `May`, and are read without a game
    from flagfall.othello.game import Header

# What a player says who leaves the colours to his opponent and wins a draw himself (IV.9.b).
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

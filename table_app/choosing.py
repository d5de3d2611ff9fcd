"""What the table shows while a player chooses his colour or the win of a draw (`othello.colour_choice`)."""

from __future__ import annotations

from dataclasses import dataclass

from othello.colour_choice import ColourChoice
from othello.game import Header
from othello.side import Both, Side


@dataclass(frozen=True, slots=True)
class Choosing:
    """`speaker`, at the place of `side`, may say one of `words` now; `other` is his opponent.

    `wins_draw`: who wins a draw if he names a colour, "" for nobody.
    """

    side: Side
    speaker: str
    other: str
    wins_draw: str
    words: tuple[str, ...]


def choosing_of(choice: ColourChoice, header: Header) -> Choosing:
    """`header`: as it was assigned, before anything was said."""
    names = Both(header.black.name or header.black.id, header.white.name or header.white.id)
    wins, speaker = choice.draw_winner, choice.speaker
    return Choosing(
        speaker,
        names.of(speaker),
        names.of(speaker.other),
        "" if wins is None else names.of(wins),
        choice.words,
    )

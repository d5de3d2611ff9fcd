"""The assignment of this table, checked: made from the hub's order, kept on record, read by the game and the loop."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.othello.colour_choice import DRAW_WIN, ColourChoice, apply_word
from flagfall.othello.game import Header
from flagfall.othello.inputs import Note
from flagfall.othello.side import Side


@dataclass(frozen=True, slots=True)
class TableAssignment:
    """The checked order of what this device is to play."""

    seq: int
    tournament: str = ""
    game_id: str = ""  # "" for nothing
    seat: int = 0
    header: Header | None = None
    choice: ColourChoice | None = None  # the choice of colours and draw-win that is still open
    chosen: bool = False  # the players have chosen, which the hub does not know yet
    hides: Side | None = None  # proposed to hide a disc for the colours
    scored: bool = False  # the hub has a result of the game
    hub_host: str = ""  # the hub's name in its network
    page: str = ""  # the event's page for phones

    def after_choice(self, word: str) -> TableAssignment:
        """Return the assignment after a choice by the player whose choice it is."""
        if self.choice is None or self.header is None:
            return self
        after = apply_word(self.header, self.choice, word)
        if isinstance(after, ColourChoice):
            return replace(self, choice=after)
        return replace(self, header=after, choice=None, chosen=True)

    def note(self, before: TableAssignment) -> Note:
        """Return the note on the choice for the game's record: who chose, and whether they took a colour or
        the win of a draw."""
        assert before.choice is not None and before.header is not None and self.header is not None
        chooser = before.choice.chooser
        stayed = self.header.black == before.header.black
        taken = DRAW_WIN if before.choice.draw_win_taken else "colour"
        return Note("colours_chosen", str(chooser if stayed else chooser.other), taken)

    def again(self, new: TableAssignment) -> TableAssignment:
        """Return `new` with the choices made here for the same game, which the hub did not know when it sent
        the message."""
        if new.choice is None or new.game_id != self.game_id or new.header is None or self.header is None:
            return new
        if not self.chosen:
            return replace(new, choice=self.choice or new.choice)
        return replace(new, header=self.header, choice=None, chosen=True)

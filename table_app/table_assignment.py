"""The assignment of this table, checked: made from the hub's order, kept on record, read by the game and the loop."""

from __future__ import annotations

from dataclasses import dataclass, replace

from othello.colour_choice import DRAW_WIN, ColourChoice, said
from othello.game import Header
from othello.inputs import Note


@dataclass(frozen=True, slots=True)
class TableAssignment:
    """What this device is to play, checked. `game_id` "": nothing. `choice`: what its players have still to choose of
    colours and draw-win; `chosen`: their words so far, which the hub does not know yet. `scored`: the hub has a result
    of the game; `hub_host`: the hub's name in its network."""

    seq: int
    tournament: str = ""
    game_id: str = ""
    seat: int = 0
    header: Header | None = None
    choice: ColourChoice | None = None
    chosen: bool = False
    scored: bool = False
    hub_host: str = ""

    def said(self, word: str) -> TableAssignment:
        """The assignment after a word of the player whose choice it is."""
        if self.choice is None or self.header is None:
            return self
        after = said(self.header, self.choice, word)
        if isinstance(after, ColourChoice):
            return replace(self, choice=after)
        return replace(self, header=after, choice=None, chosen=True)

    def note(self, before: TableAssignment) -> Note:
        """What was chosen, for the game's record: `who` chose, and took a colour or the win of a draw."""
        assert before.choice is not None and before.header is not None and self.header is not None
        chooser = before.choice.chooser
        stayed = self.header.black == before.header.black
        taken = DRAW_WIN if before.choice.draw_win_taken else "colour"
        return Note("colours_chosen", str(chooser if stayed else chooser.other), taken)

    def again(self, new: TableAssignment) -> TableAssignment:
        """`new`, with the choices made here for the same game that the hub did not know when it sent the message."""
        if new.choice is None or new.game_id != self.game_id or new.header is None or self.header is None:
            return new
        if not self.chosen:
            return replace(new, choice=self.choice or new.choice)
        return replace(new, header=self.header, choice=None, chosen=True)

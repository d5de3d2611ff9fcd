"""The judge's choices on the pages of the panel, before they are a ruling."""

from __future__ import annotations

from dataclasses import dataclass, field

from flagfall.othello.board import Position
from flagfall.othello.inputs import ErrorKind
from flagfall.othello.side import Side
from table_app.screen.figures import Figures
from table_app.screen.judge.transcripts import TranscriptView
from table_app.screen.kit.scene import Meaning


class EnterMove(Meaning, frozen=True):
    """A move entered by hand; without a square a pass."""

    square: int | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """The contents of the pages. `player` and `to_move` stay when another page is opened, and so does `pending`: a move
    entered by hand that can still be undone, and its instant. `reason` goes with the next ruling, `typing` while
    the keyboard is open; `script` are the transcripts being compared. `asks_flag`: a count was typed, and the judge
    is asked whether a flag fell before the last move was complete."""

    player: Side = Side.BLACK
    seconds: int = 0
    error: ErrorKind | None = None
    square: int | None = None
    editing: Position | None = None
    to_move: Side = Side.BLACK
    pending: tuple[EnterMove, int] | None = None
    figures: Figures = field(default_factory=Figures)
    reason: str = ""
    typing: bool = False
    script: TranscriptView | None = None
    asks_flag: bool = False

    def cleared(self) -> Choices:
        """Return the choices without those for a ruling."""
        return Choices(self.player, to_move=self.to_move, pending=self.pending)

"""The sheet on which a player demands a correction and names the error."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flagfall.othello.board import Position
from flagfall.othello.inputs import ErrorKind, Signal
from flagfall.othello.judging.errors.kinds import error_kinds
from flagfall.othello.side import Side
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, to_referee, with_sheet
from table_app.screen.kit.scene import Item, Meaning, Scene
from table_app.screen.kit.widgets import ButtonChoice, buttons, diagram
from table_app.screen.scenes.clock import halves
from table_app.screen.scenes.sheet_parts import sheet_frame
from table_app.texts import TEXTS


class Names(Meaning, frozen=True):
    """The error is this one."""

    error: ErrorKind


class ErrorSquare(Meaning, frozen=True):
    """A legal move was here."""

    square: int


@dataclass(frozen=True, slots=True)
class NamedError(Sheet):
    """A player demands a correction and names the error; an illegal pass needs a square too."""

    by: Side
    error: ErrorKind | None = None

    def scene(self, canvas: Canvas) -> Scene:
        place = halves(canvas.screen, canvas.face, canvas.look)[self.by]
        return canvas.look.facing(place, self._items(canvas), canvas.screen)

    def _items(self, canvas: Canvas) -> list[Item]:
        face, screen, look = canvas.face, canvas.screen, canvas.look
        words = look.words
        if self.error is not None:
            items, body = sheet_frame(face, screen, look, words("Where was a legal move?"))
            return items + diagram(body, Position(0, 0), look, tap=ErrorSquare)
        items, body = sheet_frame(face, screen, look, words("Which error?"))
        kinds = [
            ButtonChoice(Names(kind), words(TEXTS[f"error_{kind.value}"]))
            for kind in (error_kinds(face.header.rulebook) if face.header is not None else ())
        ]
        return items + buttons(body.rows(max(5, len(kinds)), look.px(10)), kinds, look)

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, at_ns = finger.tap, finger.at_ns
        """Send a demand, which names the error, and for an illegal pass a legal move (usoa 7.5)."""
        match tap:
            case Names(ErrorKind.ILLEGAL_PASS):
                return replace(dialog, sheet=NamedError(self.by, ErrorKind.ILLEGAL_PASS)), ()
            case Names(error):
                return with_sheet(dialog, None), to_referee(Signal(at_ns, self.by, error.value))
            case ErrorSquare(square) if self.error is not None:
                return with_sheet(dialog, None), to_referee(Signal(at_ns, self.by, self.error.value, square))
        return dialog, ()

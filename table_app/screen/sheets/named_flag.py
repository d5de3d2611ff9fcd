"""The sheet on which a player says whose flag has fallen."""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.othello.inputs import AdmitFlag, ClaimFlag
from flagfall.othello.side import Side
from table_app.screen.dialog import Canvas, Dialog, Finger, Sheet, Step, to_referee, with_sheet
from table_app.screen.kit.scene import Item, Meaning, Scene
from table_app.screen.kit.widgets import ButtonChoice, buttons
from table_app.screen.scenes.clock import halves
from table_app.screen.scenes.sheet_parts import sheet_frame


class Claims(Meaning, frozen=True):
    """The opponent's flag has fallen."""

    by: Side


class Admits(Meaning, frozen=True):
    """One's own flag has fallen."""

    by: Side


@dataclass(frozen=True, slots=True)
class NamedFlag(Sheet):
    """A player speaks of a fallen flag: the opponent's, or their own."""

    by: Side

    def scene(self, canvas: Canvas) -> Scene:
        place = halves(canvas.screen, canvas.face, canvas.look)[self.by]
        return canvas.look.facing(place, self._items(canvas), canvas.screen)

    def _items(self, canvas: Canvas) -> list[Item]:
        """Return the question; it is the same whether a flag has fallen or not."""
        face, screen, look = canvas.face, canvas.screen, canvas.look
        words, px = look.words, look.px
        items, body = sheet_frame(face, screen, look, words("Whose flag has fallen?"))
        opponent = look.owner(face.players.of(self.by.other))
        choices = (
            ButtonChoice(Claims(self.by), words("The flag of {name}", name=opponent), strong=True),
            ButtonChoice(Admits(self.by), words("My own flag")),
        )
        return items + buttons(body.top(px(220)).rows(2, px(20)), choices, look)

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        tap, at_ns = finger.tap, finger.at_ns
        match tap:
            case Claims():
                return with_sheet(dialog, None), to_referee(ClaimFlag(at_ns, self.by))
            case Admits():
                return with_sheet(dialog, None), to_referee(AdmitFlag(at_ns, self.by))
        return dialog, ()

"""The event's public page as a QR code, after a game."""

from __future__ import annotations

from dataclasses import dataclass

from flagfall.othello.game import State
from table_app.screen.dialog import Canvas, Sheet
from table_app.screen.kit.scene import Scene
from table_app.screen.kit.widgets import cross
from table_app.screen.scenes.page_code import page_code
from table_app.table_view import TableView


@dataclass(frozen=True, slots=True)
class EventPage(Sheet):
    """The event's page as a QR code, as large as the screen allows."""

    def fits(self, view: TableView, another: bool) -> bool:
        return view.game is not None and view.game.state is State.SIGNED and bool(view.page)

    def scene(self, canvas: Canvas) -> Scene:
        face, look, px = canvas.face, canvas.look, canvas.look.px
        if not face.page:
            return ()
        body = canvas.screen.inset(px(12))
        head, rest = body.top(px(60)), body.below(px(64))
        return (*cross(head.end(px(60)), look), *page_code(face.page, rest, look))

"""The sheet that says why there is no judge's PIN."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from table_app.screen.dialog import Canvas, OfPin
from table_app.screen.kit.scene import Scene
from table_app.screen.scenes.sheet_parts import sheet_frame
from table_app.texts import TEXTS


class NoPin(StrEnum):
    """The reason for which there is no judge's PIN."""

    LATER = "later"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class PinNews(OfPin):
    """The news that there is no judge's PIN."""

    why: NoPin

    def scene(self, canvas: Canvas) -> Scene:
        """Return the sheet. Its key is not at the place of a key of another sheet."""
        look = canvas.look
        items, body = sheet_frame(canvas.face, canvas.screen, look, look.words(TEXTS["pin_title"]))
        return (*items, look.text(body.top(look.px(160)), look.words(TEXTS[f"pin_{self.why}"]), lines=5))

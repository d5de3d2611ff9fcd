"""The address of the event's public page, for a phone: a QR code and letters."""

from __future__ import annotations

from flagfall.base.isolate import isolated
from table_app.screen.kit.qr_code import qr_code
from table_app.screen.kit.scene import Item, Rect
from table_app.screen.kit.widgets import Look


def page_code(page: str, rect: Rect, look: Look) -> list[Item]:
    """Return what the code is for, the code, and its address in letters."""
    px = look.px
    caption, address = rect.top(px(30)), rect.foot(px(44))
    return [
        look.strong(caption, look.words("This event on a phone"), "small", align="centre"),
        *qr_code(page, rect.below(px(34)).top(rect.h - px(34) - px(50))),
        look.text(address, isolated(page), "small", "muted", align="centre", lines=2),
    ]

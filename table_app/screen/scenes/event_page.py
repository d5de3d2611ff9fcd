"""The event's public page, for a phone: its address as a QR code and in letters."""

from __future__ import annotations

from table_app.screen.kit.player_face import Face
from table_app.screen.kit.qr_code import qr_code
from table_app.screen.kit.scene import Item, Rect, Scene
from table_app.screen.kit.text_runs import isolated
from table_app.screen.kit.widgets import Look, cross


def page_scene(face: Face, screen: Rect, look: Look) -> Scene:
    """Return the code as large as the screen allows."""
    px = look.px
    body = screen.inset(px(12))
    head, rest = body.top(px(60)), body.below(px(64))
    return (*cross(head.end(px(60)), look), *page_code(face.page, rest, look))


def page_code(page: str, rect: Rect, look: Look) -> list[Item]:
    """Return what the code is for, the code, and its address in letters."""
    px = look.px
    caption, address = rect.top(px(30)), rect.foot(px(44))
    return [
        look.strong(caption, look.words("This event on a phone"), "small", align="centre"),
        *qr_code(page, rect.below(px(34)).top(rect.h - px(34) - px(50))),
        look.text(address, isolated(page), "small", "muted", align="centre", lines=2),
    ]

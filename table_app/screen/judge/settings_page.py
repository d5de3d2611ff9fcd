"""The panel's page of settings: one row per setting, one button per value."""

from __future__ import annotations

from functools import cache

from link.words import Catalogue, all_words
from table_app.screen.kit.scene import Item, Rect, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button
from table_app.settings import CHOICES, Settings


@cache
def own_names() -> dict[str, str]:
    """Each language by its own name; all catalogues are read for it."""
    return {language: words.own_name for language, words in all_words().items()}


def settings_page(settings: Settings, swap: ButtonChoice, rect: Rect, look: Look) -> list[Item]:
    """`swap`: the button that exchanges the sides."""
    words = look.words
    rows = [("language", words("Language"), own_names())]
    rows += [
        (name, words.named(f"set_{name}"), {str(value): _value(name, value, words) for value in values})
        for name, values in CHOICES.items()
    ]
    items: list[Item] = []
    wide = rect.w > rect.h
    label_w = look.px(190) if wide else look.px(130)
    for place, (name, label, values) in zip(rect.rows(len(rows) + 1, look.px(5)), rows, strict=False):
        items.append(look.strong(place._replace(w=label_w), label, "small", lines=2))
        buttons = Rect(place.x + label_w, place.y, place.w - label_w, min(place.h, look.px(56)))
        for spot, (value, text) in zip(buttons.columns(len(values), look.px(5)), values.items(), strict=True):
            strong = str(getattr(settings, name)) == value
            items += button(
                spot, ButtonChoice(Tap("set", value=f"{name}={value}"), text, strong=strong), look
            )
    last = rect.rows(len(rows) + 1, look.px(5))[-1]
    place = Rect(last.x + label_w, last.y, last.w - label_w, min(last.h, look.px(56)))
    return items + button(place, swap, look)


def _value(name: str, value: int, words: Catalogue) -> str:
    match name:
        case "brightness":
            return f"{value} %"
        case "rotation":
            return f"{value}°"
        case "tenths_s":
            return words("below {seconds} s", seconds=value) if value else words("never")
        case "volume":
            return str(value) if value else words("silent")
        case "face_to_face":
            return words("opposite") if value else words("side by side")
    return words("yes") if value else words("no")

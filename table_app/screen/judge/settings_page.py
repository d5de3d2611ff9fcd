"""The panel's page of settings: one row per setting, one button per value."""

from __future__ import annotations

from functools import cache

from link.words import Catalogue, all_words
from table_app.screen.kit.scene import Item, Rect, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons
from table_app.settings import CHOICES, Settings


@cache
def own_names() -> dict[str, str]:
    """Each language by its own name; all catalogues are read for it."""
    return {language: words.own_name for language, words in all_words().items()}


def settings_page(settings: Settings, swap: ButtonChoice | None, rect: Rect, look: Look) -> list[Item]:
    """`swap`: the button that exchanges the sides, while that can be done."""
    words = look.words
    rows = [("language", words("Language"), own_names())]
    rows += [
        (name, words.named(f"set_{name}"), {str(value): _value(name, value, words) for value in values})
        for name, values in CHOICES.items()
    ]
    items: list[Item] = []
    label_w = look.px(190 if rect.w > rect.h else 130)
    *places, last = rect.rows(len(rows) + 1, look.px(5))
    high = look.px(56)
    for place, (name, label, values) in zip(places, rows, strict=True):
        items.append(look.strong(place.left(label_w), label, "small", lines=2))
        spots = place.beside(label_w).top(min(place.h, high)).columns(len(values), look.px(5))
        chosen = str(getattr(settings, name))
        choices = (
            ButtonChoice(Tap("set", value=f"{name}={value}"), text, strong=value == chosen)
            for value, text in values.items()
        )
        items += buttons(spots, choices, look)
    return items if swap is None else items + button(last.beside(label_w).top(min(last.h, high)), swap, look)


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

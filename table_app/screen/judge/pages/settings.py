"""The page of the settings: one row per setting, one button per value."""

from __future__ import annotations

from functools import cache

from flagfall.base.words import Catalogue, all_words
from flagfall.othello.game import Game
from table_app.local_game import sides_may_swap
from table_app.screen.dialog import Canvas
from table_app.screen.judge.actions import Desk, Done
from table_app.screen.judge.page import Ask, Page, Request, request_choice, requested
from table_app.screen.kit.scene import Item, Meaning, Rect
from table_app.screen.kit.widgets import ButtonChoice, button, buttons
from table_app.settings import CHOICES
from table_app.texts import TEXTS


class SettingIs(Meaning, frozen=True):
    """A value of a setting, both as the table keeps them."""

    name: str
    value: str


class SettingsPage(Page):
    """The page of the settings: one row per setting, one button per value."""

    def body(self, desk: Desk, canvas: Canvas, rect: Rect) -> list[Item]:
        look = canvas.look
        words = look.words
        rows = _language_rows(words, of_one_row=8 if rect.w > rect.h else 4)
        rows += [
            (name, words(TEXTS[f"set_{name}"]), {str(value): _value(name, value, words) for value in values})
            for name, values in CHOICES.items()
        ]
        items: list[Item] = []
        label_w = look.px(190 if rect.w > rect.h else 130)
        *places, last = rect.rows(len(rows) + 1, look.px(5))
        high = look.px(56)
        for place, (name, label, values) in zip(places, rows, strict=True):
            if label:
                items.append(look.strong(place.left(label_w), label, "small", lines=2))
            spots = place.beside(label_w).top(min(place.h, high)).columns(len(values), look.px(5))
            chosen = str(getattr(canvas.settings, name))
            choices = (
                ButtonChoice(SettingIs(name, value), text, strong=value == chosen)
                for value, text in values.items()
            )
            items += buttons(spots, choices, look)
        if sides_may_swap(desk.view.game):
            swap = request_choice(Request.SWAP_SIDES, desk.dialog, look)
            items += button(last.beside(label_w).top(min(last.h, high)), swap, look)
        return items

    def touched(self, desk: Desk, tap: Meaning, game: Game) -> Done:
        """Exchange the sides. A setting itself is applied where the screen's setup is kept."""
        return requested(desk, tap) if isinstance(tap, Ask) else (desk, ())


# Marks a language whose texts no speaker has read.
_UNREVIEWED = "*"


@cache
def own_names() -> dict[str, str]:
    """Return each language by its own name, marked if unreviewed; all catalogues are read for it."""
    return {
        language: words.own_name + (_UNREVIEWED if words.is_unreviewed else "")
        for language, words in all_words().items()
    }


def _language_rows(words: Catalogue, of_one_row: int) -> list[tuple[str, str, dict[str, str]]]:
    """Return the rows of the languages: the setting, the label of the row, and the names. The first label explains
    the mark, if there is one."""
    names = list(own_names().items())
    label = words("Language")
    if any(name.endswith(_UNREVIEWED) for _, name in names):
        label = words("Language ({mark} unreviewed)", mark=_UNREVIEWED)
    starts = range(0, len(names), of_one_row)
    return [("language", "" if start else label, dict(names[start : start + of_one_row])) for start in starts]


def _value(name: str, value: int, words: Catalogue) -> str:
    match name:
        case "brightness":
            return f"{value} %"
        case "rotation":
            return f"{value}°"
        case "tenths_s":
            return words("Below {seconds} s", seconds=value) if value else words("Never")
        case "volume":
            return str(value) if value else words("Silent")
        case "face_to_face":
            return words("Opposite") if value else words("Side by side")
    return words("Yes") if value else words("No")

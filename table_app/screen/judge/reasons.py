"""Why a ruling is given: one touch on a short list, or a line typed on a keyboard; both may be left out.

The list stands beside the button that waits for its second touch, so that a reason costs no more than its own touch.
"""

from __future__ import annotations

from unicodedata import normalize

from link.words import Catalogue
from othello.gamefile import LONGEST_REMARK
from othello.inputs import Rule
from table_app.screen.kit.scene import Fill, Item, Rect, Tap, Words
from table_app.screen.kit.widgets import ButtonChoice, Look, button, button_rows
from table_app.screen.scenes.sheets import erase_key
from table_app.screen.state.dialog import Dialog

_LONGEST = 100
_COMBINING = {"゛": "\u3099", "゜": "\u309a"}


def reasons(rule: Rule, words: Catalogue) -> tuple[str, ...]:
    """The usual reasons for a ruling in the screen's language; () for one that explains itself."""
    listed = words.named(f"reasons_{rule.value}") if words.has(f"reasons_{rule.value}") else ""
    return tuple(one.strip() for one in listed.split("|") if one.strip())


def asked_for(dialog: Dialog, words: Catalogue) -> tuple[str, ...]:
    """The reasons to choose from now: those of the ruling that has been touched once."""
    armed = dialog.armed
    return reasons(Rule(armed.value), words) if armed is not None and armed.what == "rule" else ()


def typed(text: str, key: str) -> str:
    """The reason after a key."""
    if key == "<":
        return text[:-1]
    return normalize("NFC", text + _COMBINING.get(key, key))[: min(_LONGEST, LONGEST_REMARK)]


def reason_list(listed: tuple[str, ...], dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """The list; the one chosen is filled, and a reason typed stands last."""
    px = look.px
    items: list[Item] = [
        Words(
            Rect(rect.x, rect.y, rect.w, px(34)),
            look.words("Why? (may be left out)"),
            look.size("text"),
            "ink",
            "strong",
        )
    ]
    choices = [ButtonChoice(Tap("reason", value=one), one, strong=dialog.reason == one) for one in listed]
    own = dialog.reason if dialog.reason and dialog.reason not in listed else ""
    choices.append(
        ButtonChoice(Tap("reason_type"), own or look.words("Another reason ..."), strong=bool(own))
    )
    below = Rect(rect.x, rect.y + px(40), rect.w, rect.h - px(40))
    return items + button_rows(below, choices, look, 1, 42)


def keyboard(dialog: Dialog, rect: Rect, look: Look) -> list[Item]:
    """What has been typed, and the keys of the screen's language."""
    px = look.px
    line = Rect(rect.x, rect.y, rect.w, px(48))
    items: list[Item] = [
        Fill(line, "card", px(8)),
        Fill(line, "ink", px(8), max(1, px(2))),
        Words(line.inset(px(10), 0), dialog.reason or " ", look.size("text"), "ink"),
    ]
    rows = look.words.pgettext("keys, row by row", "1234567890 qwertyuiop asdfghjkl zxcvbnm.,-").split()
    keys = Rect(rect.x, line.bottom + px(6), rect.w, rect.bottom - line.bottom - px(6))
    places = keys.rows(len(rows) + 1, px(5))
    for place, row in zip(places, rows, strict=False):
        for spot, key in zip(place.columns(len(row), px(4)), row, strict=True):
            items += button(spot, ButtonChoice(Tap("reason_key", value=key), key), look)
    erase, space, done = places[-1].columns(3, px(5))
    items += erase_key(erase, look, tap=Tap("reason_key", value="<"))
    items += button(space, ButtonChoice(Tap("reason_key", value=" "), look.words("Space")), look)
    items += button(done, ButtonChoice(Tap("reason_done"), look.words("OK"), strong=True), look)
    return items

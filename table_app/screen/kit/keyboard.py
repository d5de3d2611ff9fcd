"""A keyboard on the screen, with the keys of its language."""

from __future__ import annotations

from unicodedata import normalize

from table_app.screen.kit.scene import Fill, Item, Rect, Shape, Tap
from table_app.screen.kit.widgets import ButtonChoice, Look, button, buttons

_ERASE = Tap("erase")
_COMBINING = {"゛": "\u3099", "゜": "\u309a"}
_SMALL = str.maketrans("あいうえおつやゆよ", "ぁぃぅぇぉっゃゅょ")


def text_after(text: str, key: str, longest: int) -> str:
    """Return the text after a key, `<` erases and `小` makes a kana small; a text never begins with a space."""
    if key == "<":
        return text[:-1]
    if key == "小":
        return text[:-1] + text[-1:].translate(_SMALL)
    return normalize("NFC", text + _COMBINING.get(key, key)).lstrip()[:longest]


def capital_at_word(text: str, key: str) -> str:
    """Return the text with a capital at the start of each word, as in a name."""
    return key.upper() if text[-1:] in ("", " ", "-", "'") else key


def keyboard(text: str, tap_prefix: str, rect: Rect, look: Look) -> list[Item]:
    """Return the typed text and the keys: taps `PREFIX_key` and `PREFIX_done`."""
    px = look.px
    line = rect.top(px(48))
    items: list[Item] = [*look.card(line, 8, "ink"), look.text(line.inset(px(10), 0), text or " ")]
    rows = look.words.pgettext("keys, row by row", "1234567890 qwertyuiop asdfghjkl zxcvbnm.,-").split()
    places = rect.below(line.h + px(6)).rows(len(rows) + 1, px(5))
    key_tap = f"{tap_prefix}_key"
    for place, row in zip(places, rows, strict=False):
        keys = (ButtonChoice(Tap(key_tap, value=key), key) for key in row)
        items += buttons(place.columns(len(row), px(4)), keys, look)
    erase, space, done = places[-1].columns(3, px(5))
    items += erase_key(erase, look, tap=Tap(key_tap, value="<"))
    items += button(space, ButtonChoice(Tap(key_tap, value=" "), look.words("Space")), look)
    items += button(done, ButtonChoice(Tap(f"{tap_prefix}_done"), look.words("OK"), strong=True), look)
    return items


def erase_key(place: Rect, look: Look, enabled: bool = True, tap: Tap = _ERASE) -> list[Item]:
    """Return a key with an arrow to the left."""
    high = look.px(9)
    x, y = place.x + place.w // 2 - 2 * high, place.y + place.h // 2
    head = Shape(((x, y), (x + high, y - high), (x + high, y + high)), "ink" if enabled else "muted")
    shaft = Fill(Rect(x + high, y - high // 3, 3 * high, 2 * (high // 3)), head.colour)
    return [*button(place, ButtonChoice(tap, "", enabled=enabled), look), head, shaft]

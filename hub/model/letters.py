"""Letters of names without their marks: for searches, comparisons and the order of lists.

Scripts of pages do the same (`hub/web/static/letters.js`): what the server finds, they find.
"""

from __future__ import annotations

import unicodedata

# Plain letters for those that Unicode does not take apart, of alphabets in use.
_SMALL = str.maketrans("øđðłıħŧŋɓɖɗƒɣɩɨƙɲɔɵʋƴǝəɛʉƶς", "oddlihtnbddfgiiknoovyeeeuzσ") | str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
)
# Signs that stand for an apostrophe or a hyphen.
_SIGNS = str.maketrans(dict.fromkeys("’‘ʼʻʹ′´`＇", "'") | dict.fromkeys("‐‑‒–—−", "-"))
# Hiragana for katakana: Japanese is typed in the one and written in both.
_KANA = {code: code - 0x60 for code in range(0x30A1, 0x30F7)}
_LETTERS = _SMALL | _KANA


def plain_letters(text: str) -> str:
    """Return the text without marks and case: Łukasz is lukasz, Işık isik, O’Brien o'brien."""
    apart = unicodedata.normalize("NFKD", text.translate(_SIGNS)).lower()
    kept = (c for c in apart if unicodedata.category(c) not in ("Mn", "Mc", "Me", "Cf"))
    return "".join(kept).translate(_LETTERS)


def has_words(text: str, search: str) -> bool:
    """Return True if all words of a search are in a text, ignoring marks, apostrophes and case."""
    plain, words = (plain_letters(part).replace("'", "") for part in (text, search))
    return all(word in plain for word in words.split())

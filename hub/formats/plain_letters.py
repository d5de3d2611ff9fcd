"""Names in the plain letters that the WOF's files want: pure ASCII, without accents."""

from __future__ import annotations

import unicodedata

_NOT_DECOMPOSED = str.maketrans(
    {
        "ß": "ss",
        "æ": "ae",
        "Æ": "AE",
        "œ": "oe",
        "Œ": "OE",
        "ø": "o",
        "Ø": "O",
        "đ": "d",
        "Đ": "D",
        "ð": "d",
        "Ð": "D",
        "þ": "th",
        "Þ": "Th",
        "ł": "l",
        "Ł": "L",
        "ı": "i",
        "’": "'",
        "‘": "'",
        "–": "-",
        "—": "-",
    }
)


def plain_letters(text: str) -> str:
    """`text` in printable ASCII: accents dropped, letters of other scripts shown as ?."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_NOT_DECOMPOSED))
    kept = (c for c in decomposed if not unicodedata.combining(c))
    return "".join(c if " " <= c <= "~" else "?" for c in kept).strip()

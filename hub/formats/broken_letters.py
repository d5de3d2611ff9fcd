"""Letters that a wrong encoding has broken, before a file or in reading it: signs where only letters can stand."""

from __future__ import annotations

import re

_SIGNS = "¡¢£¤¥¦§¨©«¬®¯°±²³´µ¶¸¹»¼½¾¿×÷€‚ƒ„…†‡ˆ‰‹›•˜™\u0080-\u009f"
# Central European letters read as Western European ones; ´ between letters is people's apostrophe.
_BESIDE_A_LETTER = re.compile(
    rf"[{_SIGNS}](?=[^\W\d_])|(?<=[^\W\d_])[{_SIGNS.replace('´', '')}](?=[^\W\d_]|\s|,|$)"
)
_APOSTROPHE = re.compile(r"(?<=[^\W\d_])´(?=[^\W\d_])")
# Cyrillic or Greek letters read as Western European ones.
_WHOLE_WORD = re.compile(r"(?<!\w)[À-ÖØ-öø-ÿ]{3,}(?!\w)")


def has_broken_letters(text: str) -> bool:
    """Return True if a wrong encoding has certainly been at work. Accents that could be right are ignored."""
    if text.isascii():
        return False
    if "\ufffd" in text or _BESIDE_A_LETTER.search(_APOSTROPHE.sub("'", text)) or _WHOLE_WORD.search(text):
        return True
    return _was_utf_8(text)


def _was_utf_8(text: str) -> bool:
    """Return True if the text is UTF-8 that was read byte by byte, as `Ã©` for `é`."""
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8") != text
        except UnicodeError:
            continue
    return False

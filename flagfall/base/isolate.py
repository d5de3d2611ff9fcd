"""People's names in sentences of another direction of writing."""

from __future__ import annotations

import unicodedata

# FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE: what stands between them does not turn the text around it.
OPEN, CLOSE = "\u2068", "\u2069"
_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Unicode's bidirectional classes of letters and digits that turn what stands beside them.
_TURNING = frozenset(("R", "AL", "AN"))


def isolated(name: str) -> str:
    """Return a name that turns nothing around it, for plain text. One that could not is returned as it is."""
    if not any(letter in _CONTROLS or unicodedata.bidirectional(letter) in _TURNING for letter in name):
        return str(name)  # of a subclass that is drawn otherwise, the text alone
    bare = "".join(letter for letter in name if letter not in _CONTROLS)
    return f"{OPEN}{bare}{CLOSE}"

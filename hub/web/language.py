"""Which language a reader is answered in."""

from __future__ import annotations

from collections.abc import Sequence

from werkzeug.datastructures import Accept
from werkzeug.http import parse_accept_header

from link.words import FIRST

_LONGEST = 500
"""Letters of `Accept-Language`; browsers send fewer than a hundred."""


def chosen_language(known: Sequence[str], chosen: str, accepted: str) -> str:
    """What a reader chose if it is known, else what his browser would rather have of what is (`Accept-Language`, RFC
    9110 12.5.4), else the first."""
    if chosen in known:
        return chosen
    if len(accepted) > _LONGEST:
        return FIRST
    names = {name.lower().replace("_", "-"): name for name in known}
    for tag, quality in parse_accept_header(accepted, Accept):
        for asked in (tag.lower(), tag.lower().partition("-")[0]):  # who reads fr-CH reads fr
            if quality > 0 and asked in names:
                return names[asked]
    return FIRST

"""The choice of an answer's language."""

from __future__ import annotations

from collections.abc import Sequence

from python_multipart.multipart import parse_options_header

from flagfall.link.words import FIRST

_LONGEST = 500  # letters of `Accept-Language`; browsers send fewer than a hundred


def chosen_language(known: Sequence[str], chosen: str, accepted: str) -> str:
    """Return the reader's choice if it is known, else the browser's preference (`Accept-Language`, RFC 9110 12.5.4),
    else the first language."""
    if chosen in known:
        return chosen
    if len(accepted) > _LONGEST:
        return FIRST
    names = {name.lower().replace("_", "-"): name for name in known}
    for tag in _accepted_languages(accepted):
        for asked in (tag, tag.partition("-")[0]):  # a reader of fr-CH reads fr
            if asked in names:
                return names[asked]
    return FIRST


def _accepted_languages(accepted: str) -> list[str]:
    """Return the accepted languages, best first."""
    weighted = []
    for part in accepted.split(","):
        tag, options = parse_options_header(part.encode("latin-1", "replace"))
        try:
            quality = float(options.get(b"q", b"1"))
        except ValueError:
            continue
        if 0 < quality <= 1:
            weighted.append((quality, tag.decode("latin-1").strip().lower()))
    return [tag for _, tag in sorted(weighted, key=lambda pair: pair[0], reverse=True)]

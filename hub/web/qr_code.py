"""QR codes of pages and prints, as SVG."""

from __future__ import annotations

from typing import Any, Literal

from markupsafe import Markup

# Light modules around a code that readers need (ISO/IEC 18004).
QUIET_ZONE = 4


def qr_svg(text: str, error: Literal["l", "m"] = "m", digits: str = "") -> Markup:
    """Return the code of a text with its quiet zone, black on white in both themes; `error` is its error correction.
    Many `digits` at the end of the text take a third of the space of other signs."""
    import segno  # loaded only by those who want a code

    # Each part of a list is encoded in the densest way; segno's annotations know one part only.
    parts: Any = [text, digits] if digits else text
    image = segno.make(parts, error=error, micro=False)
    return Markup(
        image.svg_inline(omitsize=True, svgclass="qr", lineclass=None, light="#fff", border=QUIET_ZONE)
    )

"""QR codes of pages and prints, as SVG."""

from __future__ import annotations

from typing import Literal

from markupsafe import Markup

# Light modules around a code that readers need (ISO/IEC 18004).
QUIET_ZONE = 4


def qr_svg(text: str, error: Literal["l", "m"] = "m") -> Markup:
    """Return the code of a text with its quiet zone, black on white in both themes; `error` is its error correction."""
    import segno  # loaded only by those who want a code

    image = segno.make(text, error=error, micro=False)
    return Markup(
        image.svg_inline(omitsize=True, svgclass="qr", lineclass=None, light="#fff", border=QUIET_ZONE)
    )

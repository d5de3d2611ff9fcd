"""Small picture files: PNG with a palette, with fewer colours if the file would be too large."""

from __future__ import annotations

import io

from PIL import Image

MOST_BYTES = 60_000
_COLOURS = (256, 128, 64, 32)


def small_png(png: bytes) -> bytes:
    """Return the same picture; exact with up to 256 colours, otherwise similar colours are merged."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    for most in _COLOURS:
        small = io.BytesIO()
        picture.quantize(most, Image.Quantize.MEDIANCUT, kmeans=4, dither=Image.Dither.NONE).save(
            small, "PNG", optimize=True
        )
        if small.tell() <= MOST_BYTES:
            break
    return small.getvalue()

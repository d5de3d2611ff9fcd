"""A picture of a screen as a small PNG: few colours, no filters, which suits flat areas and text."""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Sequence

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = 256


def small_png(rgb: bytes, width: int, height: int) -> bytes:
    """`rgb`: three bytes a pixel, row by row. The commonest colours are kept; others become the nearest of them."""
    pixels = [rgb[at : at + 3] for at in range(0, 3 * width * height, 3)]
    counted = Counter(pixels).most_common()
    palette = [colour for colour, _ in counted[:COLOURS]]
    index = {colour: number for number, colour in enumerate(palette)}
    for colour, _ in counted[COLOURS:]:
        index[colour] = _nearest(palette, colour)
    cells = bytes(map(index.__getitem__, pixels))
    rows = b"".join(b"\0" + cells[at : at + width] for at in range(0, len(cells), width))
    return (
        _SIGNATURE
        + _chunk(b"IHDR", struct.pack("!IIBBBBB", width, height, 8, 3, 0, 0, 0))
        + _chunk(b"PLTE", b"".join(palette))
        + _chunk(b"IDAT", zlib.compress(rows, 9))
        + _chunk(b"IEND", b"")
    )


def _nearest(palette: Sequence[bytes], colour: bytes) -> int:
    """The number of the nearest colour, the first of several. Written out: each other colour asks for all of them."""
    red, green, blue = colour
    distances = [(r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2 for r, g, b in palette]
    return distances.index(min(distances))


def _chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack("!I", len(content)) + kind + content + struct.pack("!I", zlib.crc32(kind + content))

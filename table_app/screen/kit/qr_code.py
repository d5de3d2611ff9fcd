"""QR codes on the table's screen."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby

from table_app.screen.kit.scene import Fill, Item, Rect


def qr_code(text: str, place: Rect) -> list[Item]:
    """Return the code of a text, dark on light whatever the theme, in whole pixels."""
    modules = _modules(text)
    count = len(modules)
    size = min(place.w, place.h) // count
    ground = place.middle(size * count, size * count)
    items: list[Item] = [Fill(ground, "disc_white")]
    for y, row in enumerate(modules):
        line, x = ground.below(y * size).top(size), 0
        for dark, run in groupby(row):
            length = len(list(run))
            if dark:
                items.append(Fill(line.beside(x * size).left(length * size), "disc_black"))
            x += length
    return items


@lru_cache(4)
def _modules(text: str) -> tuple[bytes, ...]:
    """Return rows of modules, 1 for a dark one, with the margin of four light ones that readers need (ISO/IEC
    18004)."""
    import segno  # loaded only by those who want a code

    code = segno.make_qr(text, error="m", encoding="utf-8")
    return tuple(map(bytes, code.matrix_iter(border=4)))

"""A scene as a list of plain values: the same list is drawn, compared with the last one, and touched.

Rectangles are in pixels; colours are names of the theme; later items cover earlier ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace


class Rect(NamedTuple):
    x: int
    y: int
    w: int
    h: int

    @property
    def right(self) -> int:
        return self.x + self.w

    @property
    def bottom(self) -> int:
        return self.y + self.h

    def inset(self, across: int, down: int | None = None) -> Rect:
        """Smaller by so many pixels on each side."""
        down = across if down is None else down
        return Rect(self.x + across, self.y + down, max(0, self.w - 2 * across), max(0, self.h - 2 * down))

    def top(self, high: int) -> Rect:
        return self._replace(h=high)

    def below(self, high: int) -> Rect:
        """Return the rectangle that remains below its top."""
        return Rect(self.x, self.y + high, self.w, self.h - high)

    def foot(self, high: int) -> Rect:
        return Rect(self.x, self.bottom - high, self.w, high)

    def left(self, wide: int) -> Rect:
        return self._replace(w=wide)

    def beside(self, wide: int) -> Rect:
        """Return the rectangle that remains to the right of its left part."""
        return Rect(self.x + wide, self.y, self.w - wide, self.h)

    def end(self, wide: int) -> Rect:
        """Return the right part."""
        return Rect(self.right - wide, self.y, wide, self.h)

    def middle(self, wide: int, high: int) -> Rect:
        return Rect(self.x + (self.w - wide) // 2, self.y + (self.h - high) // 2, wide, high)

    def columns(self, count: int, gap: int = 0) -> list[Rect]:
        """Equal parts side by side."""
        edges = [self.x + round(i * (self.w + gap) / count) for i in range(count + 1)]
        return [Rect(a, self.y, b - a - gap, self.h) for a, b in pairwise(edges)]

    def rows(self, count: int, gap: int = 0) -> list[Rect]:
        """Equal parts below each other."""
        edges = [self.y + round(i * (self.h + gap) / count) for i in range(count + 1)]
        return [Rect(self.x, a, self.w, b - a - gap) for a, b in pairwise(edges)]

    def holds(self, x: int, y: int) -> bool:
        return self.x <= x < self.right and self.y <= y < self.bottom

    def meets(self, other: Rect) -> bool:
        return (
            self.x < other.right and other.x < self.right and self.y < other.bottom and other.y < self.bottom
        )


class Meaning(Struct, frozen=True):
    """The meaning of a touch. The players' face, each sheet over it and each page of the judge's panel have their own,
    small classes beside what reads them."""


class Close(Meaning, frozen=True):
    """The cross of a sheet."""


class Key(Meaning, frozen=True):
    """A digit of a keypad."""

    sign: str


class Erase(Meaning, frozen=True):
    """The key that takes the last digit back."""


class Enter(Meaning, frozen=True):
    """The key that ends what is typed."""


class Fill(Struct, frozen=True):
    """A rectangle, solid or (with `border`) its outline."""

    rect: Rect
    colour: str
    radius: int = 0
    border: int = 0


class Words(Struct, frozen=True):
    """Text in a box: one line is shrunk to fit, several `lines` are broken at spaces. `size` in pixels.

    `face`: "text", "strong" or "figures" (digits of equal width). `turned`: upside down, for the opposite player.
    `language` chooses among the forms of a Chinese character.
    """

    rect: Rect
    text: str
    size: int
    colour: str = "ink"
    face: str = "text"
    align: str = "left"
    lines: int = 1
    turned: bool = False
    language: str = ""


class FilledCircle(Struct, frozen=True):
    """A filled circle in the middle of a square box, with an edge."""

    rect: Rect
    colour: str
    edge: str
    width: int = 1


class Shape(Struct, frozen=True):
    """A filled polygon."""

    points: tuple[tuple[int, int], ...]
    colour: str


class Line(Struct, frozen=True):
    """A straight line, `width` pixels."""

    start: tuple[int, int]
    end: tuple[int, int]
    colour: str
    width: int


class Pixels(Struct, frozen=True):
    """A picture of `width` x `height` (red, green, blue each), stretched over its rectangle."""

    rect: Rect
    width: int
    height: int
    pixels: bytes


class Hit(Struct, frozen=True):
    """A place to touch; with `hold_ns` it must be held that long. `again`: the text of a button that waits for its
    second touch, which makes it another place than before."""

    rect: Rect
    tap: Meaning
    hold_ns: int = 0
    again: str = ""


Item = Fill | Words | FilledCircle | Shape | Line | Pixels | Hit
Scene = tuple[Item, ...]


def bounds(item: Item) -> Rect:
    """Return the pixels that an item may cover. A line of letters may be higher than its box."""
    if isinstance(item, Words):
        return item.rect.inset(0, -max(0, item.size * max(3, 2 * item.lines) // 2 - item.rect.h + 1) // 2)
    if isinstance(item, Shape):
        xs, ys = [x for x, _ in item.points], [y for _, y in item.points]
        return Rect(min(xs) - 1, min(ys) - 1, max(xs) - min(xs) + 3, max(ys) - min(ys) + 3)
    if isinstance(item, Line):
        (x, y), (to_x, to_y), wide = item.start, item.end, item.width
        return Rect(min(x, to_x), min(y, to_y), abs(x - to_x) + 1, abs(y - to_y) + 1).inset(-wide)
    return item.rect


def _turned_rect(rect: Rect, area: Rect) -> Rect:
    return Rect(2 * area.x + area.w - rect.right, 2 * area.y + area.h - rect.bottom, rect.w, rect.h)


def turned(items: Iterable[Item], area: Rect) -> Scene:
    """Return the same items, turned by 180 degrees within `area`."""
    result: list[Item] = []
    for item in items:
        if isinstance(item, Shape):
            points = tuple((2 * area.x + area.w - x, 2 * area.y + area.h - y) for x, y in item.points)
            result.append(replace(item, points=points))
        elif isinstance(item, Words):
            result.append(replace(item, rect=_turned_rect(item.rect, area), turned=not item.turned))
        elif isinstance(item, Line):
            raise ValueError("expected nothing with lines to be turned")
        else:
            result.append(replace(item, rect=_turned_rect(item.rect, area)))
    return tuple(result)


def hit_at(scene: Sequence[Item], x: int, y: int) -> Hit | None:
    """Return the topmost place to touch at this point; a later `Hit` covers an earlier one."""
    for item in reversed(scene):
        if isinstance(item, Hit) and item.rect.holds(x, y):
            return item
    return None

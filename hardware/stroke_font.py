"""Letters of straight lines for a board's print, read from below."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from copper import Point

# Lines through points of a grid of three columns and five rows, numbered 0..14 from the lower left.
_LETTERS = {
    "A": "0,9,13,11,2 6,8",
    "B": "0,12,13,10,7,6 7,4,1,0",
    "C": "14,12,0,2",
    "D": "0,12,13,11,5,1,0",
    "E": "14,12,0,2 6,7",
    "F": "0,12,14 6,7",
    "G": "14,12,0,2,8,7",
    "H": "0,12 2,14 6,8",
    "J": "14,2,0,3",
    "L": "12,0,2",
    "Q": "0,12,14,2,0 4,2",
    "R": "0,12,14,8,6 7,2",
    "U": "12,0,2,14",
    "1": "9,13,1 0,2",
    "2": "12,14,8,6,0,2",
    "3": "12,14,2,0 6,8",
    "4": "12,6,8 14,2",
    "5": "14,12,6,8,2,0",
    "6": "14,12,0,2,8,6",
    "7": "12,14,1",
    "8": "0,12,14,2,0 6,8",
    "9": "8,6,12,14,2,0",
}


def strokes(text: str, middle: Point, height: float) -> Iterable[tuple[Point, Point]]:
    """The lines of a text around its middle; KeyError for a letter that is not drawn."""
    unit = height / 4
    wide = (len(text) * 3 - 1) * unit
    for index, letter in enumerate(text):
        for run in _LETTERS[letter].split():
            points = [int(number) for number in run.split(",")]
            for a, b in pairwise(points):
                yield _at(a, index, unit, wide, middle), _at(b, index, unit, wide, middle)


def _at(number: int, index: int, unit: float, wide: float, middle: Point) -> Point:
    x = (number % 3 + 3 * index) * unit - wide / 2
    y = (number // 3 - 2) * unit
    # Mirrored: it is read from below.
    return round(middle[0] - x, 4), round(middle[1] + y, 4)

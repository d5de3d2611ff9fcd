"""The board's three plates as drawings for a laser cutter: SVG in millimetres, red is cut, blue is engraved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import centre
from copper import Point

COLUMNS = "abcdefgh"
# Distance from the strips to the plate's edge: room for the battens that hold floor and base apart.
BESIDE = 13.0
RECESS = 37.0
SCREW = 3.4
_EDGE = 6.5
# Left edge of the centre board from that of the strips: the strips' plugs and the bend of their cables lie beside it.
CENTRE_LEFT = 30.0


def files(drawn: Mapping[str, Any]) -> dict[str, str]:
    """Return the drawings: top with its recesses; floor as seen from below, where the strips are taped; base with the
    holes of the centre board.
    """
    outline = list(_outline(drawn))
    return {
        "top.svg": _svg(drawn, [*outline, *_recesses(drawn), *_names(drawn)]),
        "floor-from-below.svg": _svg(drawn, [*outline, *_strips(drawn)]),
        "base.svg": _svg(
            drawn, [*outline, *(_circle(place, diameter) for place, diameter in _spacers(drawn))]
        ),
    }


def size(drawn: Mapping[str, Any]) -> Point:
    return drawn["board"]["length"] + 2 * BESIDE, 8 * drawn["board"]["pitch"] + 2 * BESIDE


def middle(drawn: Mapping[str, Any], row: int, x: float) -> Point:
    """Return a point of row 1 to 8, x as the strip's drawing has it: on the plate from its upper left corner, seen from
    above.
    """
    return BESIDE + x, BESIDE + (row - 0.5) * drawn["board"]["pitch"]


def _spacers(drawn: Mapping[str, Any]) -> Iterable[tuple[Point, float]]:
    """Yield (middle, diameter) of the holes for the centre board's spacers, seen from above: right of the strips'
    plugs, halfway between the first row and the last.
    """
    board = centre.drawing()
    left, top = BESIDE + CENTRE_LEFT, (size(drawn)[1] - board["board"]["width"]) / 2
    for hole in board["hole"]:
        x, y = hole["at"]
        yield (round(left + x, 3), round(top + board["board"]["width"] - y, 3)), hole["diameter"]


def _outline(drawn: Mapping[str, Any]) -> Iterable[str]:
    wide, high = size(drawn)
    yield f'<rect x="0" y="0" width="{wide:g}" height="{high:g}" rx="4"/>'
    for x in (_EDGE, wide / 2, wide - _EDGE):
        for y in (_EDGE, high / 2, high - _EDGE):
            if (x, y) != (wide / 2, high / 2):
                yield _circle((x, y), SCREW)


def _recesses(drawn: Mapping[str, Any]) -> Iterable[str]:
    for row in range(1, 9):
        for index in range(8):
            yield _circle(middle(drawn, row, _square(drawn, index)), RECESS)


def _square(drawn: Mapping[str, Any], index: int) -> float:
    """Return the middle of a column, where its sensor is."""
    board = drawn["board"]
    return float(board["first_square"] + (index + 0.5) * board["pitch"])


def _names(drawn: Mapping[str, Any]) -> Iterable[str]:
    for index, letter in enumerate(COLUMNS):
        x, _ = middle(drawn, 1, _square(drawn, index))
        yield _text((x, BESIDE - 3), letter)
        yield _text(
            (BESIDE + drawn["board"]["first_square"] - 3, middle(drawn, index + 1, 0)[1] + 2), str(index + 1)
        )


def _strips(drawn: Mapping[str, Any]) -> Iterable[str]:
    """Yield each strip's edge, and the rings that its holes show when it lies right; left is right here."""
    wide, _ = size(drawn)
    board = drawn["board"]
    for row in range(1, 9):
        x, y = middle(drawn, row, board["length"])
        yield (
            f'<rect class="engraved" x="{wide - x:g}" y="{y - board["width"] / 2:g}" '
            f'width="{board["length"]:g}" height="{board["width"]:g}"/>'
        )
        yield _text((wide - BESIDE + 4, y + 2), str(row))
        for hole in drawn["hole"]:
            x, y = middle(drawn, row, hole["at"][0])
            yield _circle((wide - x, y), hole["diameter"] - 0.8, "engraved")


def _circle(place: Point, diameter: float, kind: str = "cut") -> str:
    return f'<circle class="{kind}" cx="{place[0]:g}" cy="{place[1]:g}" r="{diameter / 2:g}"/>'


def _text(place: Point, text: str) -> str:
    return f'<text class="engraved" x="{place[0]:g}" y="{place[1]:g}">{text}</text>'


def _svg(drawn: Mapping[str, Any], lines: Iterable[str]) -> str:
    wide, high = size(drawn)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}mm" height="{high:g}mm" '
            f'viewBox="0 0 {wide:g} {high:g}">',
            "<style>rect, circle { fill: none; stroke: #ff0000; stroke-width: 0.1 }",
            "text { fill: none; stroke: #0000ff; stroke-width: 0.1; font: 5px sans-serif; text-anchor: middle }",
            "rect.engraved, circle.engraved { stroke: #0000ff }</style>",
            *lines,
            "</svg>",
            "",
        ]
    )

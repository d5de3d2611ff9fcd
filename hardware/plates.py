"""The board's three plates as drawings for a laser cutter, and its battens for a saw and a drill.

SVG in millimetres, red is cut, blue is engraved. Letters are lines, since no cutter has our fonts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import centre
from copper import TOP, Point, Text
from gerber import strokes

COLUMNS = "abcdefgh"
# Distance from the strips to the plate's edge: room for the battens that hold floor and base apart.
BESIDE = 13.0
RECESS = 37.0
SCREW = 3.4
_EDGE = 6.5
# Of a batten, between floor and base; its length on the plate's edge is `battens`'.
BATTEN_HIGH = 25.0
# Width and depth of the notch for the USB cable, at the base's side.
NOTCH = 6.0
# Middle of the cable clip's hole from the batten and beside the cable.
_CLIP_INSIDE, _CLIP_BESIDE = 14.0, 8.0
_LETTERS_MM = 4.0
# Left edge of the centre board from that of the strips: the strips' plugs and the bend of their cables lie beside it.
CENTRE_LEFT = 30.0


def files(drawn: Mapping[str, Any]) -> dict[str, str]:
    """Return the drawings: top with its recesses; floor as seen from below, where the strips are taped; base with the
    holes of the centre board and of the cable's clip; the four battens.
    """
    outline = list(_outline(drawn))
    return {
        "top.svg": _svg(drawn, [*outline, *_recesses(drawn), *_names(drawn)]),
        "floor-from-below.svg": _svg(drawn, [*outline, *_strips(drawn)]),
        "base.svg": _svg(
            drawn,
            [
                *outline,
                *(_circle(place, diameter) for place, diameter in _spacers(drawn)),
                _circle(clip(drawn), SCREW),
                *_text((size(drawn)[0] / 2, 20.0), "UPPER SIDE. ROW 1 IS HERE, THE CABLE LEAVES"),
            ],
        ),
        "battens.svg": _battens_drawing(drawn),
    }


def size(drawn: Mapping[str, Any]) -> Point:
    return drawn["board"]["length"] + 2 * BESIDE, 8 * drawn["board"]["pitch"] + 2 * BESIDE


def middle(drawn: Mapping[str, Any], row: int, x: float) -> Point:
    """Return a point of row 1 to 8, x as the strip's drawing has it: on the plate from its upper left corner, seen from
    above.
    """
    return BESIDE + x, BESIDE + (row - 0.5) * drawn["board"]["pitch"]


@dataclass(frozen=True, slots=True)
class Batten:
    """A batten along an edge of the plates: its length, its holes from its left end, and its notch's middle, if any."""

    name: str
    length: float
    holes: tuple[float, ...]
    notch: float | None = None


def battens(drawn: Mapping[str, Any]) -> list[Batten]:
    """Return the battens; left and upper ends count from the plate's upper left corner, seen from above."""
    wide, high = size(drawn)
    long_holes = (_EDGE, wide / 2, wide - _EDGE)
    short = high - 2 * BESIDE
    return [
        Batten("ROW 1", wide, long_holes, usb(drawn)[0]),
        Batten("ROW 8", wide, long_holes),
        Batten("LEFT", short, (high / 2 - BESIDE,)),
        Batten("RIGHT", short, (high / 2 - BESIDE,)),
    ]


def usb(drawn: Mapping[str, Any]) -> Point:
    """Return the middle of the Pico's USB socket on the base, seen from above: its upper end is nearest to row 1."""
    board = centre.drawing()
    (pico,) = [part for part in centre.placed(board) if part.ref == "A1"]
    top = (size(drawn)[1] - board["board"]["width"]) / 2
    x, y = pico.place
    return BESIDE + CENTRE_LEFT + x, top + board["board"]["width"] - y - pico.body[1] / 2


def clip(drawn: Mapping[str, Any]) -> Point:
    """Return the hole of the clip that holds the USB cable, on the base seen from above."""
    return round(usb(drawn)[0] + _CLIP_BESIDE, 3), BESIDE + _CLIP_INSIDE


def _battens_drawing(drawn: Mapping[str, Any]) -> str:
    """Return the battens from above with their holes, and that of row 1 from outside with its notch."""
    lines: list[str] = []
    y = 8.0
    for batten in battens(drawn):
        lines += _text(
            (size(drawn)[0] / 2, y - 4), f"{batten.name}: {batten.length:g} x {BESIDE:g}, FROM ABOVE"
        )
        lines.append(_rect((0, y), batten.length, BESIDE))
        for hole in batten.holes:
            lines.append(_circle((hole, y + BESIDE / 2), SCREW))
            beside = hole + 12 if hole < batten.length / 2 else hole - 12
            lines += _text((beside, y + BESIDE / 2), f"{hole:g}")
        y += BESIDE + 12
        if batten.notch is not None:
            left, below = batten.notch - NOTCH / 2, y + BATTEN_HIGH
            lines += _text(
                (size(drawn)[0] / 2, y - 4), f"{batten.name}: {BATTEN_HIGH:g} HIGH, FROM INSIDE, BASE BELOW"
            )
            points: list[tuple[float, float]] = [(0, y), (batten.length, y), (batten.length, below)]
            points += [(left + NOTCH, below), (left + NOTCH, below - NOTCH), (left, below - NOTCH)]
            points += [(left, below), (0, below)]
            corners = " ".join(f"{px:g},{py:g}" for px, py in points)
            lines.append(f'<polygon points="{corners}"/>')
            lines += _text(
                (batten.notch, below - NOTCH - 5), f"NOTCH {NOTCH:g} x {NOTCH:g} AT {batten.notch:.1f}"
            )
            y = below + 12
    return _sheet((size(drawn)[0], y), lines)


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
        yield from _text((x, BESIDE - 5), letter)
        row = middle(drawn, index + 1, 0)[1]
        yield from _text((BESIDE + drawn["board"]["first_square"] - 5, row), str(index + 1))


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
        yield from _text((wide - BESIDE + 4, y), str(row))
        for hole in drawn["hole"]:
            x, y = middle(drawn, row, hole["at"][0])
            yield _circle((wide - x, y), hole["diameter"] - 0.8, "engraved")


def _circle(place: Point, diameter: float, kind: str = "cut") -> str:
    return f'<circle class="{kind}" cx="{place[0]:g}" cy="{place[1]:g}" r="{diameter / 2:g}"/>'


def _rect(corner: Point, wide: float, high: float) -> str:
    return f'<rect x="{corner[0]:g}" y="{corner[1]:g}" width="{wide:g}" height="{high:g}"/>'


def _text(place: Point, text: str) -> Iterator[str]:
    """Yield a label around its middle, as lines to engrave."""
    path = []
    for (x0, y0), (x1, y1) in strokes(Text((0.0, 0.0), text, _LETTERS_MM, TOP)):
        path.append(f"M{place[0] + x0:.2f} {place[1] - y0:.2f}L{place[0] + x1:.2f} {place[1] - y1:.2f}")
    yield f'<path class="engraved" d="{"".join(path)}"><title>{text}</title></path>'


def _svg(drawn: Mapping[str, Any], lines: Iterable[str]) -> str:
    return _sheet(size(drawn), lines)


def _sheet(whole: Point, lines: Iterable[str]) -> str:
    wide, high = whole
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide:g}mm" height="{high:g}mm" '
            f'viewBox="0 0 {wide:g} {high:g}">',
            "<style>rect, circle, polygon, path { fill: none; stroke: #ff0000; stroke-width: 0.1 }",
            ".engraved { stroke: #0000ff }</style>",
            *lines,
            "</svg>",
            "",
        ]
    )

"""A board as flat shapes on two layers, and whether it can be made and joins what it should."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import networkx
import shapely

Point = tuple[float, float]
TOP, BOTTOM = "top", "bottom"


@dataclass(frozen=True, slots=True)
class Shape:
    """A piece of copper: all within `radius` of the outline `points` (one point: a disc; two: a track)."""

    net: str
    layers: tuple[str, ...]
    points: tuple[Point, ...]
    radius: float = 0.0
    # "U3.OUT" if a part's pin is soldered there, else "".
    pad: str = ""
    # Number of that pad in its part's footprint.
    number: str = ""
    # Outlines of what is cut out of an area.
    cuts: tuple[tuple[Point, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Hole:
    """A drilled hole; `net` is "" for one without copper in it."""

    place: Point
    diameter: float
    net: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A label on the print of a side, read from there; `place` is its middle."""

    place: Point
    text: str
    height: float = 1.2
    side: str = BOTTOM


@dataclass(frozen=True, slots=True)
class Part:
    """A part as it is placed: its middle, and its turn in degrees, counted against the clock as seen from the top."""

    ref: str
    footprint: str
    place: Point
    turn: int
    side: str
    # Width and height of its body, before it is turned.
    body: Point
    value: str = ""
    # False for what is soldered by hand, or is no part at all.
    machine: bool = True


@dataclass(frozen=True, slots=True)
class Rules:
    clearance: float
    edge: float
    track: float
    annular: float
    hole_to_copper: float


@dataclass(frozen=True, slots=True)
class Board:
    length: float
    width: float
    shapes: tuple[Shape, ...]
    holes: tuple[Hole, ...]
    texts: tuple[Text, ...]
    parts: tuple[Part, ...] = ()
    # Printed lines, on the side of the parts.
    lines: tuple[tuple[Point, Point], ...] = ()
    side: str = BOTTOM


def faults(board: Board, rules: Rules, wanted: dict[str, str]) -> list[str]:
    """Return what is wrong, one line each; `wanted` is the net of every pad, from the netlist."""
    return [
        *_wrong_pads(board, wanted),
        *_apart(board),
        *_too_close(board, rules),
        *_outside(board, rules),
        *_holes(board, rules),
    ]


def _wrong_pads(board: Board, wanted: dict[str, str]) -> Iterable[str]:
    drawn = {shape.pad: shape.net for shape in board.shapes if shape.pad}
    for pad in sorted(drawn.keys() | wanted.keys()):
        if drawn.get(pad) != wanted.get(pad):
            yield f"{pad}: drawn on {drawn.get(pad, 'nothing')}, the netlist says {wanted.get(pad, 'nothing')}"


def _apart(board: Board) -> Iterable[str]:
    """Yield the nets that are not one piece of copper."""
    touching: networkx.Graph[int] = networkx.Graph()
    touching.add_nodes_from(range(len(board.shapes)))
    for i, j, apart in _near(board.shapes, 0.0):
        if board.shapes[i].net == board.shapes[j].net and apart <= 0:
            touching.add_edge(i, j)
    pieces = Counter(board.shapes[min(piece)].net for piece in networkx.connected_components(touching))
    for net, count in sorted(pieces.items()):
        if count > 1:
            label = "electrode and bridges in" if net.startswith("COLUMN") else "in"
            yield f"{net}: {label} {count} pieces"


def _too_close(board: Board, rules: Rules) -> Iterable[str]:
    for i, j, apart in _near(board.shapes, rules.clearance):
        shape, other = board.shapes[i], board.shapes[j]
        if shape.net != other.net and apart < rules.clearance - 1e-9:
            yield f"{_name(shape)} and {_name(other)}: {max(0.0, apart):.2f} mm apart at {_where(shape, other)}"


def _outside(board: Board, rules: Rules) -> Iterable[str]:
    for shape in board.shapes:
        x0, y0, x1, y1 = outline(shape).bounds
        inside = min(x0, y0, board.length - x1, board.width - y1) - shape.radius
        if inside < rules.edge - 1e-9:
            yield f"{_name(shape)}: {inside:.2f} mm from the edge"
        if len(shape.points) == 2 and 2 * shape.radius < rules.track:
            yield f"{_name(shape)}: {2 * shape.radius:.2f} mm wide"


def _holes(board: Board, rules: Rules) -> Iterable[str]:
    drills = [Shape(hole.net, (TOP, BOTTOM), (hole.place,), hole.diameter / 2) for hole in board.holes]
    beside = near(drills, board.shapes, rules.hole_to_copper)
    for hole, drill, close in zip(board.holes, drills, beside, strict=True):
        around = [shape for shape in close if distance(shape, drill) < rules.hole_to_copper]
        for shape in around:
            if shape.net != hole.net:
                yield f"hole at {hole.place}: {_name(shape)} is too near"
        if hole.net:
            rings = [
                shape.radius - hole.diameter / 2
                for shape in around
                if shape.points == (hole.place,) and shape.net == hole.net
            ]
            if max(rings, default=0.0) < rules.annular:
                yield f"hole at {hole.place}: no ring of {rules.annular} mm"


def _name(shape: Shape) -> str:
    return shape.pad or shape.net


def _where(shape: Shape, other: Shape) -> str:
    x, y = (shape if len(shape.points) <= len(other.points) else other).points[0]
    return f"({x:.2f}, {y:.2f})"


@cache
def outline(shape: Shape) -> Any:
    """Return the shape without its radius, as shapely has it."""
    if len(shape.points) == 1:
        return shapely.Point(shape.points[0])
    if len(shape.points) == 2:
        return shapely.LineString(shape.points)
    return shapely.Polygon(shape.points, shape.cuts)


def distance(shape: Shape, other: Shape) -> float:
    """Return the distance between the nearest edges of two shapes; zero or less if they touch."""
    return float(shapely.distance(outline(shape), outline(other))) - shape.radius - other.radius


def near(shapes: Sequence[Shape], others: Sequence[Shape], within: float) -> list[list[Shape]]:
    """Return for each of `shapes` those of `others`, in their order, that may be as near as `within`, on any layer."""
    found: list[set[int]] = [set() for _ in shapes]
    if shapes and others:
        reach = within + max(shape.radius for shape in shapes) + max(shape.radius for shape in others)
        tree = shapely.STRtree([outline(shape) for shape in others])
        drawn = [outline(shape) for shape in shapes]
        for number, other in zip(*tree.query(drawn, "dwithin", reach), strict=True):
            found[number].add(int(other))
    return [[others[number] for number in sorted(numbers)] for numbers in found]


def _near(shapes: Sequence[Shape], within: float) -> Iterator[tuple[int, int, float]]:
    """Yield pairs of shapes on one layer that are nearer than `within`, by their numbers, and how far they are
    apart.
    """
    outlines = [outline(shape) for shape in shapes]
    reach = within + 2 * max(shape.radius for shape in shapes)
    for i, j in zip(*shapely.STRtree(outlines).query(outlines, "dwithin", reach), strict=True):
        if i < j and set(shapes[i].layers) & set(shapes[j].layers):
            apart = distance(shapes[i], shapes[j])
            if apart <= within:
                yield int(i), int(j), apart

"""A board as flat shapes on two layers, and whether it can be made and joins what it should."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

Point = tuple[float, float]
TOP, BOTTOM = "top", "bottom"


@dataclass(frozen=True, slots=True)
class Shape:
    """Copper: all within `radius` of the convex outline `points` (one point: a disc; two: a track). `pad`: "U3.OUT"
    where a part's pin is soldered, else ""."""

    net: str
    layers: tuple[str, ...]
    points: tuple[Point, ...]
    radius: float = 0.0
    pad: str = ""


@dataclass(frozen=True, slots=True)
class Hole:
    """A drilled hole; `net` is "" for one without copper in it."""

    at: Point
    diameter: float
    net: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """A label on the bottom's print, read from below; `at` is its middle."""

    at: Point
    text: str
    height: float = 1.2


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
    bodies: tuple[tuple[Point, Point], ...]
    """Outlines of parts on the bottom: two corners each."""


def faults(board: Board, rules: Rules, wanted: dict[str, str]) -> list[str]:
    """What is wrong, one line each; `wanted`: the net of every pad, from the netlist."""
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
    """Each net must be one piece of copper."""
    piece = list(range(len(board.shapes)))

    def root(index: int) -> int:
        while piece[index] != index:
            index = piece[index]
        return index

    for (i, one), (j, other) in combinations(enumerate(board.shapes), 2):
        if one.net == other.net and _meet(one, other) and distance(one, other) <= 0:
            piece[root(i)] = root(j)
    pieces: dict[str, set[int]] = {}
    for index, shape in enumerate(board.shapes):
        pieces.setdefault(shape.net, set()).add(root(index))
    for net, roots in sorted(pieces.items()):
        if len(roots) > 1 and not net.startswith("COLUMN"):
            yield f"{net}: in {len(roots)} pieces"
        if net.startswith("COLUMN") and len(roots) > 1:
            yield f"{net}: electrode and bridges in {len(roots)} pieces"


def _too_close(board: Board, rules: Rules) -> Iterable[str]:
    for one, other in combinations(board.shapes, 2):
        if one.net != other.net and _meet(one, other):
            apart = distance(one, other)
            if apart < rules.clearance - 1e-9:
                yield f"{_name(one)} and {_name(other)}: {max(0.0, apart):.2f} mm apart at {_where(one, other)}"


def _outside(board: Board, rules: Rules) -> Iterable[str]:
    for shape in board.shapes:
        xs, ys = [x for x, _ in shape.points], [y for _, y in shape.points]
        inside = min(
            min(xs) - shape.radius,
            min(ys) - shape.radius,
            board.length - max(xs) - shape.radius,
            board.width - max(ys) - shape.radius,
        )
        if inside < rules.edge - 1e-9:
            yield f"{_name(shape)}: {inside:.2f} mm from the edge"
        if len(shape.points) == 2 and 2 * shape.radius < rules.track:
            yield f"{_name(shape)}: {2 * shape.radius:.2f} mm wide"


def _holes(board: Board, rules: Rules) -> Iterable[str]:
    for hole in board.holes:
        drill = Shape(hole.net, (TOP, BOTTOM), (hole.at,), hole.diameter / 2)
        around = [shape for shape in board.shapes if distance(shape, drill) < rules.hole_to_copper]
        for shape in around:
            if shape.net != hole.net:
                yield f"hole at {hole.at}: {_name(shape)} is too near"
        if hole.net:
            rings = [
                shape.radius - hole.diameter / 2
                for shape in around
                if shape.points == (hole.at,) and shape.net == hole.net
            ]
            if max(rings, default=0.0) < rules.annular:
                yield f"hole at {hole.at}: no ring of {rules.annular} mm"


def _meet(one: Shape, other: Shape) -> bool:
    return any(layer in other.layers for layer in one.layers)


def _name(shape: Shape) -> str:
    return shape.pad or shape.net


def _where(one: Shape, other: Shape) -> str:
    x, y = (one if len(one.points) <= len(other.points) else other).points[0]
    return f"({x:.2f}, {y:.2f})"


def distance(one: Shape, other: Shape) -> float:
    """Between the nearest edges of two shapes; zero or less where they touch."""
    return _outlines_apart(one.points, other.points) - one.radius - other.radius


def _outlines_apart(one: Sequence[Point], other: Sequence[Point]) -> float:
    if _holds(one, other[0]) or _holds(other, one[0]):
        return 0.0
    nearest = math.inf
    for first in _edges(one):
        for second in _edges(other):
            if _cross(first, second):
                return 0.0
            nearest = min(
                nearest,
                *(_point_to(point, second) for point in first),
                *(_point_to(point, first) for point in second),
            )
    return nearest


def _edges(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    if len(points) < 3:
        return [(points[0], points[-1])]
    return list(zip(points, (*points[1:], points[0]), strict=True))


def _holds(outline: Sequence[Point], point: Point) -> bool:
    if len(outline) < 3:
        return False
    turns = [_turn(a, b, point) for a, b in _edges(outline)]
    return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)


def _turn(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(first: tuple[Point, Point], second: tuple[Point, Point]) -> bool:
    (a, b), (c, d) = first, second
    return _turn(a, b, c) * _turn(a, b, d) < 0 and _turn(c, d, a) * _turn(c, d, b) < 0


def _point_to(point: Point, edge: tuple[Point, Point]) -> float:
    (ax, ay), (bx, by) = edge
    long = (bx - ax) ** 2 + (by - ay) ** 2
    share = 0.0
    if long:
        share = max(0.0, min(1.0, ((point[0] - ax) * (bx - ax) + (point[1] - ay) * (by - ay)) / long))
    return math.dist(point, (ax + share * (bx - ax), ay + share * (by - ay)))

"""The ground plane of a board: what is left of both layers around everything else, joined to its pads by spokes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import shapely
from copper import BOTTOM, TOP, Board, Point, Rules, Shape, outline

# Distance of the plane from everything else: more than the rule, since its corners are cut.
_APART = 0.3
_NARROWEST = 0.25
_RING, _SPOKE = 0.35, 0.5


def poured(
    board: Board,
    shapes: Sequence[Shape],
    rules: Rules,
    net: str,
    free: Iterable[tuple[Point, float]],
    *,
    islands: bool = False,
) -> Iterator[Shape]:
    """Yield the areas of the plane on both layers. Left out, unless `islands`, is an area that no pad or via of the net
    reaches on its layer; `free` are circles without copper.
    """
    corners = shapely.box(0, 0, board.length, board.width).buffer(-rules.edge, join_style="mitre")
    round_holes = [shapely.Point(place).buffer(radius, quad_segs=8) for place, radius in free]
    round_holes += [
        shapely.Point(hole.place).buffer(hole.diameter / 2 + _APART) for hole in board.holes if not hole.net
    ]
    for layer in (TOP, BOTTOM):
        here = [shape for shape in shapes if layer in shape.layers]
        others = [_grown(shape, _APART) for shape in here if shape.net != net]
        soldered = [shape for shape in here if shape.net == net and shape.pad]
        rings = [_grown(shape, _RING) for shape in soldered]
        foreign = shapely.union_all([*others, *round_holes])
        area = corners.difference(shapely.union_all([foreign, *rings]))
        spokes = shapely.union_all([spoke for shape in soldered for spoke in _spokes(shape)])
        area = area.buffer(-_NARROWEST / 2, join_style="mitre").union(spokes.difference(foreign))
        area = area.buffer(_NARROWEST / 2, join_style="mitre").difference(foreign)
        area = shapely.set_precision(area.simplify(0.02), 0.001)
        joined = shapely.union_all([_grown(shape, 0.0) for shape in here if shape.net == net])
        for piece in _pieces(area):
            if piece.area > 1.0 and (islands or piece.intersects(joined)):
                rims = [tuple(ring.coords[:-1]) for ring in (piece.exterior, *piece.interiors)]
                yield Shape(net, (layer,), rims[0], 0.0, cuts=tuple(rims[1:]))


def _grown(shape: Shape, apart: float) -> Any:
    around = shape.radius + apart
    return outline(shape).buffer(around, quad_segs=3) if around else outline(shape)


def _spokes(shape: Shape) -> Iterator[Any]:
    """Yield the four bridges from a pad over the ring around it."""
    x0, y0, x1, y1 = outline(shape).buffer(shape.radius).bounds
    x, y, reach = (x0 + x1) / 2, (y0 + y1) / 2, _RING + 0.3
    half = _SPOKE / 2 - _NARROWEST / 2
    yield shapely.box(x - half, y0 - reach, x + half, y1 + reach)
    yield shapely.box(x0 - reach, y - half, x1 + reach, y + half)


def _pieces(area: Any) -> list[Any]:
    return [part for part in getattr(area, "geoms", [area]) if part.geom_type == "Polygon"]


def in_a_loop(shape: Shape) -> list[Point]:
    """Return an area with cuts as a single outline: each cut is reached by a way there and back, to its left."""
    loop = list(shape.points)
    for cut in sorted(shape.cuts, key=lambda cut: min(cut)):
        start = min(range(len(cut)), key=lambda index: cut[index])
        x, y = cut[start]
        after, reached = -1, float("-inf")
        for index in range(len(loop)):
            (x0, y0), (x1, y1) = loop[index], loop[(index + 1) % len(loop)]
            if y0 != y1 and min(y0, y1) <= y <= max(y0, y1):
                crossed = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
                if reached < crossed <= x:
                    after, reached = index, crossed
        if after < 0:
            raise ValueError(f"plane: a cut at ({x}, {y}) lies outside of its area")
        way = (round(reached, 6), y)
        loop[after + 1 : after + 1] = [way, *cut[start:], *cut[:start], cut[start], way]
    return loop

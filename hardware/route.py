"""The router of the centre board: `python hardware/route.py` writes `centre-tracks.toml` anew (a few minutes).

Nets are routed one by one over a grid on two layers, at first also across each other; places where they cross become
dearer with every round, until no two are too near (negotiated congestion). What it writes is not trusted: the check of
`copper.py` and KiCad's look at it as at any drawing. Pads of the plane's net get a way to a via; then vias join what
the tracks have cut the plane into.
"""

from __future__ import annotations

import argparse
import heapq
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import centre
import networkx
import numpy
import shapely
from copper import BOTTOM, TOP, Board, Point, Rules, Shape, distance, outline
from nets import nets
from pinmap import read
from plane import poured

_LAYERS = (TOP, BOTTOM)
_STEPS = [(dx, dy, 1.0 if not dx * dy else 1.4142) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]
# A way on the bottom is dearer: there the plane is to stay whole. A via costs as much as so many steps.
_DEARER = (1.0, 1.4)
_VIA_COST = 12.0
# Above 1 the search goes straight for its end: faster, and not always the shortest way.
_EAGER = 1.1
# Between two points of the grid a slanting track comes nearer to a pad than at either.
_SLANT = 0.04
_MOST_ROUNDS = 80
# Vias that join the planes of both layers: at least so far apart.
_STITCH = 9.0


@dataclass
class _Net:
    name: str
    mover: int
    pads: list[list[int]]
    nodes: set[int] = field(default_factory=set)
    vias: set[int] = field(default_factory=set)
    paths: list[list[int]] = field(default_factory=list)


class Router:
    """The grid with all that stands on it. Movers are a track, a wide track and a via, by their radius."""

    def __init__(
        self, board: Board, rules: Rules, settings: dict[str, Any], free: Sequence[tuple[Point, float]]
    ) -> None:
        self._board, self._rules, self._free = board, rules, free
        self.grid: float = settings["grid"]
        self.wide = round(board.length / self.grid) + 1
        self.high = round(board.width / self.grid) + 1
        self.layer = self.wide * self.high
        widest = max(settings["wide"].values())
        self.radii = (settings["width"] / 2, widest / 2, settings["via"]["diameter"] / 2)
        self.plane: str = settings["plane"]
        self._number = {
            net: index + 1 for index, net in enumerate(sorted({shape.net for shape in board.shapes}))
        }
        self._owner = [self._owners(mover) for mover in range(3)]
        self._crowd = [numpy.zeros(2 * self.layer, dtype=numpy.int16) for _ in range(3)]
        self._past = [numpy.zeros(2 * self.layer, dtype=numpy.float32) for _ in range(3)]
        self._near = {
            (placed, mover): self._offsets(self.radii[placed] + self.radii[mover] + rules.clearance)
            for placed, mover in product(range(3), range(3))
        }
        self._toll: list[list[float]] = []
        self._columns = list(range(self.wide)) * (2 * self.high)
        self._lines = [line for line in range(self.high) for _ in range(self.wide)] * 2
        self.nets = self._nets(settings["wide"])

    def _offsets(self, reach: float) -> list[tuple[int, int]]:
        most = int(reach / self.grid) + 1
        span = range(-most, most + 1)
        return [
            (dx, dy) for dx in span for dy in span if (dx * dx + dy * dy) ** 0.5 * self.grid < reach - 1e-6
        ]

    def _owners(self, mover: int) -> list[int]:
        """Return for each node which net alone may be there: 0 for any, -1 for none."""
        radius, rules = self.radii[mover], self._rules
        xs, ys = numpy.meshgrid(numpy.arange(self.wide) * self.grid, numpy.arange(self.high) * self.grid)
        owner = numpy.zeros((2, self.high, self.wide), dtype=numpy.int32)
        inside = rules.edge + radius - 1e-6
        outer = (
            (xs < inside)
            | (ys < inside)
            | (xs > self._board.length - inside)
            | (ys > self._board.width - inside)
        )
        for (x, y), reach in self._free:
            outer |= (xs - x) ** 2 + (ys - y) ** 2 < (reach + radius) ** 2
        owner[:, outer] = -1

        def block(level: int, near: Any, number: int) -> None:
            here = owner[level]
            here[near & (here != number) & (here != 0)] = -1
            here[near & (here == 0)] = number

        for shape in self._board.shapes:
            x0, y0, x1, y1 = outline(shape).bounds
            gone = numpy.hypot(
                numpy.maximum(numpy.maximum(x0 - xs, xs - x1), 0),
                numpy.maximum(numpy.maximum(y0 - ys, ys - y1), 0),
            )
            near = gone - shape.radius < radius + rules.clearance + _SLANT
            for level, layer in enumerate(_LAYERS):
                if layer in shape.layers or mover == 2:
                    block(level, near, self._number[shape.net])
        if mover == 2:
            # No via in a pad: solder would run away through it. None beside a hole.
            for shape in self._board.shapes:
                x0, y0, x1, y1 = outline(shape).bounds
                grow = shape.radius + radius - 0.1
                owner[:, (xs > x0 - grow) & (xs < x1 + grow) & (ys > y0 - grow) & (ys < y1 + grow)] = -1
        flat: list[int] = owner.reshape(-1).tolist()
        return flat

    def _nets(self, wide: dict[str, float]) -> list[_Net]:
        pads: dict[str, list[list[int]]] = {}
        for shape in self._board.shapes:
            if shape.net.startswith("unconnected") or (shape.net == self.plane and len(shape.layers) == 2):
                continue
            pads.setdefault(shape.net, []).append(self._terminal(shape))
        return [
            _Net(net, 1 if net in wide else 0, ends)
            for net, ends in pads.items()
            if len(ends) > 1 or net == self.plane
        ]

    def _terminal(self, shape: Shape) -> list[int]:
        """Return the nodes in a pad, where a track that ends there is joined to it."""
        x0, y0, x1, y1 = outline(shape).bounds
        grow = shape.radius * 0.7
        xs = range(round((x0 - grow) / self.grid), round((x1 + grow) / self.grid) + 1)
        ys = range(round((y0 - grow) / self.grid), round((y1 + grow) / self.grid) + 1)
        inside = [
            (x, y)
            for x in xs
            for y in ys
            if x0 - grow - 0.05 <= x * self.grid <= x1 + grow + 0.05
            and y0 - grow - 0.05 <= y * self.grid <= y1 + grow + 0.05
        ]
        levels = [level for level, layer in enumerate(_LAYERS) if layer in shape.layers]
        return [level * self.layer + y * self.wide + x for level in levels for x, y in inside]

    def _footprint(self, net: _Net, mover: int) -> Any:
        """Return the nodes where that mover would be too near to this net's copper."""
        nodes = []
        for placed, points, levels in ((net.mover, net.nodes, (0,)), (2, net.vias, (0, 1))):
            if not points:
                continue
            base = numpy.fromiter(points, dtype=numpy.int64)
            for dx, dy in self._near[placed, mover]:
                moved = base + dy * self.wide + dx
                if len(levels) == 2 or mover == 2:
                    moved = moved % self.layer
                    nodes += [moved, moved + self.layer]
                else:
                    nodes.append(moved)
        if not nodes:
            return numpy.zeros(0, dtype=numpy.int64)
        every = numpy.unique(numpy.concatenate(nodes))
        return every[(every >= 0) & (every < 2 * self.layer)]

    def _place(self, net: _Net, sign: int, price: float) -> None:
        for mover in range(3):
            nodes = self._footprint(net, mover)
            self._crowd[mover][nodes] += sign
            toll = self._toll[mover]
            for node in nodes.tolist():
                toll[node] += sign * price

    def clashes(self, net: _Net) -> list[tuple[int, int]]:
        """Return (mover, node) of this net's copper that is too near to another net's."""
        bad = [(net.mover, node) for node in net.nodes if self._crowd[net.mover][node] > 1]
        return bad + [(2, node) for node in net.vias if self._crowd[2][node] > 1]

    def route(self) -> bool:
        """Route all nets; return whether all are apart in the end."""
        order = sorted(
            self.nets,
            key=lambda net: (net.name != "3V3", net.name == self.plane, len(net.pads), self._span(net)),
        )
        todo, price = order, 0.5
        for number in range(_MOST_ROUNDS):
            self._toll = [(self._crowd[mover] * price + self._past[mover]).tolist() for mover in range(3)]
            for net in todo:
                if net.nodes:
                    self._place(net, -1, price)
                self._route_net(net)
                self._place(net, 1, price)
            bad = {net.name: self.clashes(net) for net in order}
            todo = [net for net in order if bad[net.name]]
            print(
                f"round {number + 1}: {len(todo)} nets cross others, {sum(map(len, bad.values()))} places",
                file=sys.stderr,
                flush=True,
            )
            if not todo:
                return True
            for places in bad.values():
                for mover, node in places:
                    self._past[mover][node] += 0.6
            price = min(price * 1.4, 60.0)
        return False

    def _span(self, net: _Net) -> int:
        xs = [pad[0] % self.wide for pad in net.pads]
        ys = [pad[0] % self.layer // self.wide for pad in net.pads]
        return int(max(xs) - min(xs) + max(ys) - min(ys))

    def _route_net(self, net: _Net) -> None:
        net.nodes, net.vias, net.paths = set(), set(), []
        if net.name == self.plane:
            for pad in net.pads:
                self._extend(net, self._search(net, set(pad), None))
            return
        left = sorted(net.pads, key=lambda pad: (pad[0] % self.wide, pad[0]))
        tree = set(left.pop(0))
        while left:
            path = self._search(net, tree, left)
            reached = next(pad for pad in left if path[-1] in pad)
            left.remove(reached)
            self._extend(net, path)
            tree |= set(path) | set(reached)

    def _extend(self, net: _Net, path: list[int]) -> None:
        net.paths.append(path)
        net.nodes |= set(path)
        net.vias |= {a % self.layer for a, b in pairwise(path) if abs(a - b) == self.layer}

    def _search(self, net: _Net, sources: set[int], targets: list[list[int]] | None) -> list[int]:
        """Return the cheapest way from the sources to the nearest target, or, without targets, to a via."""
        wide, layer, number = self.wide, self.layer, self._number[net.name]
        owner, via_owner = self._owner[net.mover], self._owner[2]
        toll, via_toll, columns, lines = self._toll[net.mover], self._toll[2], self._columns, self._lines
        ends: set[int] = set()
        x0, y0, x1, y1 = 0, 0, wide, self.high
        if targets is not None:
            target = self._nearest(sources, targets)
            ends, (x0, y0, x1, y1) = set(target), self._box(target)

        def ahead(node: int) -> float:
            x, y = columns[node], lines[node]
            dx = x0 - x if x < x0 else x - x1 if x > x1 else 0
            dy = y0 - y if y < y0 else y - y1 if y > y1 else 0
            return _EAGER * (dx + 0.4142 * dy if dx > dy else dy + 0.4142 * dx)

        cost = dict.fromkeys(sources, 0.0)
        came: dict[int, int] = {}
        heap = [(ahead(node), node) for node in sources]
        heapq.heapify(heap)
        done: set[int] = set()
        steps = [[(dy * wide + dx, length * dearer) for dx, dy, length in _STEPS] for dearer in _DEARER]
        allowed, unreached, push, pop = (0, number), float("inf"), heapq.heappush, heapq.heappop
        while heap:
            node = pop(heap)[1]
            if node in done:
                continue
            done.add(node)
            if node in ends or (targets is None and node in came and abs(came[node] - node) == layer):
                path = [node]
                while path[-1] in came:
                    path.append(came[path[-1]])
                return path[::-1]
            paid = cost[node]
            for step, length in steps[node >= layer]:
                other = node + step
                if owner[other] in allowed and other not in done:
                    total = paid + length + toll[other]
                    if total < cost.get(other, unreached):
                        cost[other], came[other] = total, node
                        push(heap, (total + ahead(other), other))
            other = node - layer if node >= layer else node + layer
            if via_owner[node] in allowed and owner[other] in allowed and other not in done:
                total = paid + _VIA_COST + via_toll[node]
                if total < cost.get(other, unreached):
                    cost[other], came[other] = total, node
                    push(heap, (total + ahead(other), other))
        raise ValueError(f"route: no way for {net.name}")

    def _nearest(self, sources: set[int], targets: list[list[int]]) -> list[int]:
        xs = numpy.array([self._columns[node] for node in sources])
        ys = numpy.array([self._lines[node] for node in sources])

        def apart(pad: list[int]) -> float:
            return float(numpy.hypot(xs - self._columns[pad[0]], ys - self._lines[pad[0]]).min())

        return min(targets, key=apart)

    def _box(self, pad: list[int]) -> tuple[int, int, int, int]:
        xs, ys = [node % self.wide for node in pad], [node % self.layer // self.wide for node in pad]
        return min(xs), min(ys), max(xs), max(ys)

    def point(self, node: int) -> Point:
        y, x = divmod(node % self.layer, self.wide)
        return round(x * self.grid, 3), round(y * self.grid, 3)

    def tracks(self) -> list[tuple[str, str, float, list[Point]]]:
        """Return (net, layer, width, points) of each track, its points where it turns."""
        lines = []
        for net in self.nets:
            for path in net.paths:
                run = [path[0]]
                for node in [*path[1:], -1]:
                    if node < 0 or abs(node - run[-1]) == self.layer:
                        if len(run) > 1:
                            layer = _LAYERS[run[0] // self.layer]
                            lines.append(
                                (net.name, layer, round(2 * self.radii[net.mover], 3), self._corners(run))
                            )
                        run = [node]
                    else:
                        run.append(node)
        return lines

    def _corners(self, run: list[int]) -> list[Point]:
        kept = [run[0]]
        for before, node, after in zip(run, run[1:], run[2:], strict=False):
            if node - before != after - node:
                kept.append(node)
        return [self.point(node) for node in [*kept, run[-1]]]


def stitched(
    board: Board,
    rules: Rules,
    settings: dict[str, Any],
    made: Sequence[Shape],
    free: Sequence[tuple[Point, float]],
) -> list[Point]:
    """Return places for vias that join the planes of both layers: first where a piece hangs on nothing else, then all
    over.
    """
    radius, grid, net = settings["via"]["diameter"] / 2, settings["grid"], settings["plane"]
    shapes = list(made)
    areas = list(poured(board, shapes, rules, net, free, islands=True))
    tops, bottoms = (
        [outline(area).buffer(-radius - 0.05) for area in areas if layer in area.layers] for layer in _LAYERS
    )
    drills = [shapely.Point(hole.place).buffer(hole.diameter / 2 + radius + 0.3) for hole in board.holes]
    pads = [outline(shape).buffer(shape.radius + radius + 0.1) for shape in board.shapes if shape.pad]
    taken = shapely.union_all([*drills, *pads])
    joined: networkx.Graph[int] = networkx.Graph()
    joined.add_nodes_from(range(len(areas)))
    mine = [shape for shape in shapes if shape.net == net and len(shape.layers) == 2]
    for shape in mine:
        here = [index for index, area in enumerate(areas) if distance(area, shape) <= 0]
        networkx.add_path(joined, here)
    places: list[Point] = [shape.points[0] for shape in mine]
    added: dict[Point, int] = {}
    order = {
        TOP: [index for index, area in enumerate(areas) if TOP in area.layers],
        BOTTOM: [index for index, area in enumerate(areas) if BOTTOM in area.layers],
    }
    for top, bottom in product(range(len(tops)), range(len(bottoms))):
        shared = tops[top].intersection(bottoms[bottom]).difference(taken)
        if shared.is_empty:
            continue
        first, second = order[TOP][top], order[BOTTOM][bottom]
        x0, y0, x1, y1 = shared.bounds
        spots = [
            (round(x * grid, 3), round(y * grid, 3))
            for x in range(int(x0 / grid) + 1, int(x1 / grid) + 1)
            for y in range(int(y0 / grid) + 1, int(y1 / grid) + 1)
        ]
        inside = shapely.contains_xy(shared, [x for x, _ in spots], [y for _, y in spots]) if spots else []
        for place, is_inside in zip(spots, inside, strict=True):
            if not is_inside:
                continue
            apart = min((((place[0] - x) ** 2 + (place[1] - y) ** 2) ** 0.5 for x, y in places), default=1e9)
            if apart > _STITCH or (apart > 1.0 and not networkx.has_path(joined, first, second)):
                places.append(place)
                added[place] = first
                joined.add_edge(first, second)
    # Two areas that hang on each other alone are left out of the plane.
    whole = max(networkx.connected_components(joined), key=len)
    return [place for place, area in added.items() if area in whole]


def text(tracks: Iterable[tuple[str, str, float, list[Point]]], vias: dict[str, list[Point]]) -> str:
    """Return the file of the tracks."""
    lines = [
        "# Written by hardware/route.py: the centre board's copper. Do not edit: change centre.toml, route anew.",
        "",
    ]
    for net, layer, width, points in sorted(tracks):
        lines.append("[[track]]")
        lines.append(f'net = "{net}"')
        lines.append(f'layer = "{layer}"')
        lines.append(f"width = {width}")
        lines.append(f"points = [{', '.join(f'[{x}, {y}]' for x, y in points)}]")
    lines.append("\n[via]")
    for net, places in sorted(vias.items()):
        lines.append(f'"{net}" = [{", ".join(f"[{x}, {y}]" for x, y in sorted(places))}]')
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stitch", action="store_true", help="keep the tracks; only join the planes anew")
    options = parser.parse_args()
    drawn = centre.drawing()
    pads = centre.wanted_pads(nets(read()), drawn)
    bare, rules, settings = centre.unrouted(drawn, pads), centre.rules(drawn), drawn["router"]
    free = [((hole["at"][0], hole["at"][1]), hole["free"]) for hole in drawn["hole"]]
    whole = True
    if options.stitch:
        routed = centre.tracks()
        tracks = [
            (track["net"], track["layer"], track["width"], [(x, y) for x, y in track["points"]])
            for track in routed["track"]
        ]
        vias = {net: [(x, y) for x, y in places] for net, places in routed["via"].items()}
        ends = {point for net, _, _, points in tracks for point in points if net == settings["plane"]}
        vias[settings["plane"]] = [place for place in vias[settings["plane"]] if place in ends]
    else:
        router = Router(bare, rules, settings, free)
        whole = router.route()
        tracks = router.tracks()
        vias = {net.name: [router.point(node) for node in net.vias] for net in router.nets if net.vias}
    shapes = list(bare.shapes)
    for net, layer, width, points in tracks:
        shapes += [Shape(net, (layer,), ends, width / 2) for ends in pairwise(points)]
    radius = settings["via"]["diameter"] / 2
    shapes += [Shape(net, _LAYERS, (place,), radius) for net, places in vias.items() for place in places]
    vias.setdefault(settings["plane"], []).extend(stitched(bare, rules, settings, shapes, free))
    centre.TRACKS.write_text(text(tracks, vias), "utf-8")
    print(
        f"{len(tracks)} tracks, {sum(map(len, vias.values()))} vias" + ("" if whole else ": NOT ROUTED WHOLE")
    )
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())

"""KiCad's files of a board, which it opens and edits: the shapes of the maker's files, with the drawing's rules."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

from copper import BOTTOM, TOP, Board, Part, Point, Rules, Shape, outline
from plane import in_a_loop

_LAYER = {TOP: "F.Cu", BOTTOM: "B.Cu"}
_NAMES = uuid.UUID("7d1c5b6e-3f57-4a39-9d0e-5c5a4a0f1a46")


def project(rules: Rules) -> str:
    """Return the project file: the drawing's rules as KiCad keeps them. Left out: whether a part is as in KiCad's own
    library, which is not used.
    """
    limits = {
        "min_clearance": rules.clearance,
        "min_copper_edge_clearance": rules.edge,
        "min_track_width": rules.track,
        "min_via_annular_width": rules.annular,
        "min_hole_clearance": rules.hole_to_copper,
        "min_through_hole_diameter": 0.3,
        "min_via_diameter": round(0.3 + 2 * rules.annular, 3),
        "solder_mask_to_copper_clearance": 0.0,
    }
    silent = dict.fromkeys(("lib_footprint_issues", "lib_footprint_mismatch", "missing_courtyard"), "ignore")
    wire = {
        "name": "Default",
        "clearance": rules.clearance,
        "track_width": 0.25,
        "via_diameter": 0.7,
        "via_drill": 0.3,
    }
    settings = {
        "board": {"design_settings": {"rules": limits, "rule_severities": silent}},
        "erc": {"rule_severities": dict.fromkeys(("lib_symbol_issues", "footprint_link_issues"), "ignore")},
        "net_settings": {"classes": [wire]},
    }
    return json.dumps(settings, indent=1) + "\n"


def board_text(board: Board, name: str, thickness: float) -> str:
    """Return the board file. KiCad counts y downwards, from the upper left corner of its sheet."""
    return "\n".join(_Writer(board, name).lines(thickness)) + "\n"


def identity(*words: object) -> str:
    """Return the name by which KiCad knows a thing: the same in every run."""
    return str(uuid.uuid5(_NAMES, " ".join(map(str, words))))


class _Writer:
    """The lines of one board's file."""

    def __init__(self, board: Board, name: str) -> None:
        self._board, self._name, self._count = board, name, 0
        nets = ["", *sorted({shape.net for shape in board.shapes})]
        self._number = {net: index for index, net in enumerate(nets)}
        self._drills = {hole.place: hole.diameter for hole in board.holes}

    def lines(self, thickness: float) -> Iterator[str]:
        board = self._board
        yield f'(kicad_pcb (version 20240108) (generator "flagfall") (general (thickness {thickness})) (paper "A3")'
        yield (
            '(layers (0 "F.Cu" signal) (31 "B.Cu" signal) (34 "B.Paste" user) (35 "F.Paste" user) (36 "B.SilkS" user)'
            ' (37 "F.SilkS" user) (38 "B.Mask" user) (39 "F.Mask" user) (44 "Edge.Cuts" user) (46 "B.CrtYd" user)'
            ' (47 "F.CrtYd" user) (48 "B.Fab" user) (49 "F.Fab" user))'
        )
        yield "(setup (pad_to_mask_clearance 0.05) (allow_soldermask_bridges_in_footprints yes))"
        yield from (f'(net {index} "{net}")' for net, index in self._number.items())
        start, end = self._at((0.0, board.width)), self._at((board.length, 0.0))
        yield (
            f"(gr_rect (start {start}) (end {end}) (stroke (width 0.1) (type solid)) (fill none)"
            f' (layer "Edge.Cuts") {self._id()})'
        )
        for part in board.parts:
            yield from self._part(part)
        for index, hole in enumerate(hole for hole in board.holes if not hole.net):
            yield from self._bare(f"H{index + 1}", hole.place, hole.diameter)
        yield from self._print()
        yield from self._wires()
        yield ")"

    def _at(self, point: Point) -> str:
        return f"{20 + point[0]:.6g} {20 + self._board.width - point[1]:.6g}"

    def _id(self) -> str:
        self._count += 1
        return f'(uuid "{identity(self._name, self._count)}")'

    def _part(self, part: Part) -> Iterator[str]:
        side = "F" if part.side == TOP else "B"
        turn = f" {part.turn}" if part.turn else ""
        pads = [shape for shape in self._board.shapes if shape.pad.partition(".")[0] == part.ref]
        place = f"(at {self._at(part.place)}{turn})"
        yield f'(footprint "flagfall:{part.footprint}" (layer "{side}.Cu") {self._id()} {place}'
        yield f'(path "/{identity("symbol", self._name, part.ref)}")'
        flat = all(len(shape.layers) == 1 for shape in pads)
        left_out = " exclude_from_pos_files exclude_from_bom" if part.footprint in NO_PART else ""
        yield f"(attr {'smd' if flat else 'through_hole'}{left_out})"
        yield self._field("Reference", part.ref, f"{side}.Fab")
        yield self._field("Value", part.value or part.ref, f"{side}.Fab")
        wide, high = part.body
        box = f"(start {-wide / 2:g} {-high / 2:g}) (end {wide / 2:g} {high / 2:g})"
        yield f'(fp_rect {box} (stroke (width 0.1) (type solid)) (fill none) (layer "{side}.Fab") {self._id()})'
        for shape in pads:
            yield self._pad(part, shape)
        yield ")"

    def _field(self, key: str, value: str, layer: str) -> str:
        hidden = "" if key == "Reference" else " (hide yes)"
        mirror = " (justify mirror)" if layer.startswith("B.") else ""
        font = f"(effects (font (size 0.8 0.8) (thickness 0.1)){mirror})"
        return f'(property "{key}" "{value}" (at 0 0) (layer "{layer}"){hidden} {self._id()} {font})'

    def _pad(self, part: Part, shape: Shape) -> str:
        net = f'(net {self._number[shape.net]} "{shape.net}")'
        turn = f" {part.turn}" if part.turn else ""
        middle = outline(shape).centroid.coords[0]
        x, y = _turned_back((middle[0] - part.place[0], middle[1] - part.place[1]), part.turn)
        place = f"(at {round(x, 4):g} {round(-y, 4):g}{turn})"
        if shape.radius:
            across = f"{2 * shape.radius:g}"
            drill = self._drills[shape.points[0]]
            kind = f'thru_hole circle {place} (size {across} {across}) (drill {drill:g}) (layers "*.Cu" "*.Mask")'
        else:
            x0, y0, x1, y1 = outline(shape).bounds
            wide, high = (x1 - x0, y1 - y0) if part.turn % 180 == 0 else (y1 - y0, x1 - x0)
            side = "F" if part.side == TOP else "B"
            kind = f'smd rect {place} (size {wide:.4g} {high:.4g}) (layers "{side}.Cu" "{side}.Mask" "{side}.Paste")'
        return f'(pad "{shape.number}" {kind} {net} {self._id()})'

    def _bare(self, ref: str, place: Point, diameter: float) -> Iterator[str]:
        yield f'(footprint "flagfall:Hole" (layer "F.Cu") {self._id()} (at {self._at(place)})'
        yield "(attr exclude_from_pos_files exclude_from_bom board_only)"
        yield self._field("Reference", ref, "F.Fab")
        across = f"(size {diameter} {diameter}) (drill {diameter})"
        yield f'(pad "" np_thru_hole circle (at 0 0) {across} (layers "*.Cu" "*.Mask") {self._id()}))'

    def _print(self) -> Iterator[str]:
        for text in self._board.texts:
            side, mirror = ("F", "") if text.side == TOP else ("B", " (justify mirror)")
            size = f"(font (size {text.height} {text.height}) (thickness 0.15))"
            place = f'(at {self._at(text.place)}) (layer "{side}.SilkS")'
            yield f'(gr_text "{text.text}" {place} {self._id()} (effects {size}{mirror}))'
        side = "F" if self._board.side == TOP else "B"
        for a, b in self._board.lines:
            stroke = f'(stroke (width 0.15) (type solid)) (layer "{side}.SilkS")'
            yield f"(gr_line (start {self._at(a)}) (end {self._at(b)}) {stroke} {self._id()})"

    def _wires(self) -> Iterator[str]:
        for shape in self._board.shapes:
            if shape.pad:
                continue
            net, layer = f"(net {self._number[shape.net]})", f'(layer "{_LAYER[shape.layers[0]]}")'
            points = [self._at(point) for point in shape.points]
            if len(points) == 1:
                size = f"(size {2 * shape.radius:g}) (drill {self._drills[shape.points[0]]:g})"
                yield f'(via (at {points[0]}) {size} (layers "F.Cu" "B.Cu") {net} {self._id()})'
            elif len(points) == 2:
                width = f"(width {2 * shape.radius:g})"
                yield f"(segment (start {points[0]}) (end {points[1]}) {width} {layer} {net} {self._id()})"
            elif self._board.side == BOTTOM:
                stroke = "(stroke (width 0) (type solid)) (fill solid)"
                yield f"(gr_poly (pts {_xy(points)}) {stroke} {layer} {net} {self._id()})"
        if self._board.side == TOP:
            yield from self._zones()

    def _zones(self) -> Iterator[str]:
        """Yield the plane: on each layer one zone with what is filled of it, which KiCad can fill anew."""
        areas = [shape for shape in self._board.shapes if len(shape.points) > 2 and not shape.pad]
        length, width = self._board.length, self._board.width
        corners = [
            self._at(point)
            for point in ((0.5, 0.5), (length - 0.5, 0.5), (length - 0.5, width - 0.5), (0.5, width - 0.5))
        ]
        for side in (TOP, BOTTOM):
            here = [area for area in areas if side in area.layers]
            if not here:
                continue
            net = here[0].net
            name = f'(net {self._number[net]}) (net_name "{net}") (layer "{_LAYER[side]}")'
            yield f"(zone {name} {self._id()} (hatch edge 0.5)"
            yield "(connect_pads (clearance 0.25)) (min_thickness 0.25) (filled_areas_thickness no)"
            yield "(fill yes (thermal_gap 0.35) (thermal_bridge_width 0.5) (island_removal_mode 0))"
            yield f"(polygon (pts {_xy(corners)}))"
            for area in here:
                loop = [self._at(point) for point in in_a_loop(area)]
                yield f'(filled_polygon (layer "{_LAYER[side]}") (pts {_xy(loop)}))'
            yield ")"


# What is on the board without being a part that somebody mounts.
NO_PART = ("Testpad", "bridge")


def _xy(points: list[str]) -> str:
    return " ".join(f"(xy {point})" for point in points)


def _turned_back(point: Point, degrees: int) -> Point:
    x, y = point
    return {0: (x, y), 90: (y, -x), 180: (-x, -y), 270: (-y, x)}[degrees % 360]

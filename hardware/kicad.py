"""KiCad's own rule check over the strip board: `python hardware/kicad.py [FOLDER]`, where there is a `kicad-cli` of
KiCad 8 or newer (Debian trixie; bookworm's 6 has none). Exit 1 if it finds anything.

The board is written from the same shapes as the maker's files (`FOLDER/strip.kicad_pcb`, which KiCad opens), with the
drawing's rules; what is not joined to its net, too near, or cannot be drilled is KiCad's to find.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import strip
from copper import BOTTOM, TOP, Board, Hole, Rules, Shape
from nets import nets
from pinmap import read

_LAYER = {TOP: "F.Cu", BOTTOM: "B.Cu"}


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="flagfall-kicad-"))
    drawn = strip.drawing()
    board, rules = strip.board(drawn, strip.wanted_pads(nets(read()), row=1)), strip.rules(drawn)
    (folder / "strip.kicad_pcb").write_text(text(board), "utf-8")
    (folder / "strip.kicad_pro").write_text(json.dumps(project(rules)), "utf-8")
    result = run_check(folder, "drc", "strip.kicad_pcb")
    return findings(
        result, [*result["violations"], *result["unconnected_items"]], f"{len(board.shapes)} shapes"
    )


def run_check(folder: Path, check: str, file: str) -> dict[str, Any]:
    """Return the report of KiCad's check (`drc` of a board, `erc` of a schematic) of a file."""
    kind, report = Path(file).suffix.removeprefix(".kicad_"), f"{Path(file).stem}-{check}.json"
    command = ["kicad-cli", kind, check, "--format", "json", "--output", report, file]
    subprocess.run(command, cwd=folder, check=True)
    result: dict[str, Any] = json.loads((folder / report).read_text("utf-8"))
    return result


def findings(result: dict[str, Any], entries: list[dict[str, Any]], subject: str) -> int:
    """Print the findings; return 1 if there are any."""
    for entry in entries:
        where = "; ".join(item["description"] for item in entry["items"])
        print(f"{entry['severity']}: {entry['type']}: {entry['description']}: {where}")
    print(f"KiCad {result['kicad_version']}: {subject}, {len(entries)} findings")
    return 1 if entries else 0


def project(rules: Rules) -> dict[str, object]:
    """Return the drawing's rules as KiCad keeps them. Left out: whether parts have their outline and library, which a
    board without KiCad's own library has not.
    """
    limits = {
        "min_clearance": rules.clearance,
        "min_copper_edge_clearance": rules.edge,
        "min_track_width": rules.track,
        "min_via_annular_width": rules.annular,
        "min_hole_clearance": rules.hole_to_copper,
        "min_through_hole_diameter": 0.3,
        "min_via_diameter": 0.3 + 2 * rules.annular,
    }
    silent = dict.fromkeys(("lib_footprint_issues", "lib_footprint_mismatch", "missing_courtyard"), "ignore")
    wire = {"name": "Default", "clearance": rules.clearance, "track_width": rules.track}
    return {
        "board": {"design_settings": {"rules": limits, "rule_severities": silent}},
        "net_settings": {"classes": [wire]},
    }


def text(board: Board) -> str:
    """Return the board file. KiCad counts y downwards."""
    names = ["", *sorted({shape.net for shape in board.shapes})]
    number = {name: index for index, name in enumerate(names)}
    lines = [
        '(kicad_pcb (version 20240108) (generator "flagfall") (general (thickness 1.2)) (paper "A3")',
        '(layers (0 "F.Cu" signal) (31 "B.Cu" signal) (36 "B.SilkS" user) (37 "F.SilkS" user)'
        ' (38 "B.Mask" user) (39 "F.Mask" user) (34 "B.Paste" user) (44 "Edge.Cuts" user))',
        *(f'(net {index} "{name}")' for name, index in number.items()),
        f"(gr_rect (start 0 {-board.width}) (end {board.length} 0) (stroke (width 0.1) (type solid))"
        f' (fill none) (layer "Edge.Cuts") {new_id()})',
        *_parts(board, number),
        *_wires(board, number),
    ]
    return "\n".join([*lines, ")"]) + "\n"


def _parts(board: Board, number: dict[str, int]) -> Iterator[str]:
    drills = {(hole.place, hole.net): hole.diameter for hole in board.holes}
    parts: dict[str, list[Shape]] = {}
    for shape in board.shapes:
        if shape.pad:
            parts.setdefault(shape.pad.partition(".")[0], []).append(shape)
    for ref, shapes in parts.items():
        yield _part(ref, (_pad(shape, drills, number) for shape in shapes))
    for index, hole in enumerate(hole for hole in board.holes if not hole.net):
        yield _part(f"H{index + 1}", [_bare(hole)])


def _part(ref: str, pads: Iterable[str]) -> str:
    name = f'(property "Reference" "{ref}" (at 0 0) (layer "B.SilkS") (hide yes) {new_id()})'
    return "\n".join([f'(footprint "flagfall:{ref}" (layer "B.Cu") (at 0 0) {new_id()} {name}', *pads, ")"])


def _pad(shape: Shape, drills: dict[tuple[tuple[float, float], str], float], number: dict[str, int]) -> str:
    pin, net = shape.pad.partition(".")[2], f'(net {number[shape.net]} "{shape.net}")'
    xs, ys = [x for x, _ in shape.points], [-y for _, y in shape.points]
    place = f"(at {(min(xs) + max(xs)) / 2:.4f} {(min(ys) + max(ys)) / 2:.4f})"
    if shape.radius:
        drill, across = drills[shape.points[0], shape.net], 2 * shape.radius
        form = f'thru_hole circle {place} (size {across} {across}) (drill {drill}) (layers "*.Cu" "*.Mask")'
    else:
        size = f"(size {max(xs) - min(xs):.4f} {max(ys) - min(ys):.4f})"
        form = f'smd rect {place} {size} (layers "B.Cu" "B.Mask" "B.Paste")'
    return f'(pad "{pin}" {form} {net} {new_id()})'


def _bare(hole: Hole) -> str:
    across = f"(size {hole.diameter} {hole.diameter}) (drill {hole.diameter})"
    place = f"(at {hole.place[0]} {-hole.place[1]})"
    return f'(pad "" np_thru_hole circle {place} {across} (layers "*.Cu" "*.Mask") {new_id()})'


def _wires(board: Board, number: dict[str, int]) -> Iterator[str]:
    drills = {hole.place: hole.diameter for hole in board.holes}
    for shape in board.shapes:
        net = f"(net {number[shape.net]})"
        if shape.pad:
            continue
        if len(shape.points) == 1:
            (x, y), across = shape.points[0], 2 * shape.radius
            drill = drills[shape.points[0]]
            yield f'(via (at {x} {-y}) (size {across}) (drill {drill}) (layers "F.Cu" "B.Cu") {net} {new_id()})'
            continue
        layer = f'(layer "{_LAYER[shape.layers[0]]}")'
        points = [f"{x} {-y}" for x, y in shape.points]
        if len(points) == 2:
            width = f"(width {2 * shape.radius})"
            yield f"(segment (start {points[0]}) (end {points[1]}) {width} {layer} {net} {new_id()})"
        else:
            outline = " ".join(f"(xy {point})" for point in points)
            stroke = "(stroke (width 0) (type solid)) (fill solid)"
            yield f"(gr_poly (pts {outline}) {stroke} {layer} {net} {new_id()})"


def new_id() -> str:
    return f'(uuid "{uuid.uuid4()}")'


if __name__ == "__main__":
    sys.exit(main())

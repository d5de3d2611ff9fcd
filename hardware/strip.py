"""The strip board: `strip.toml` as shapes, and the net that the pin map wants on each of its pads."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from copper import BOTTOM, TOP, Board, Hole, Point, Rules, Shape, Text

COLUMNS = "abcdefgh"
_LABEL_BESIDE = {"0805": -2.0, "box12": -12.65}
"""Where a part's name is printed, above its middle."""
DRAWING = Path(__file__).with_name("strip.toml")


def drawing() -> dict[str, Any]:
    return tomllib.loads(DRAWING.read_text("utf-8"))


def rules(drawn: Mapping[str, Any]) -> Rules:
    return Rules(**drawn["rules"])


def wanted_pads(nets: Mapping[str, list[tuple[str, str]]], row: int) -> dict[str, str]:
    """The net of each pad of the strip of this row, under the strip's own names (`U3.OUT`, `OUT c`)."""
    first = 8 * (row - 1)
    found: dict[str, str] = {}
    for net, ends in nets.items():
        for ref, pin in ends:
            if ref[0] in "UC" and first < int(ref[1:]) <= first + 8:
                found[f"{ref[0]}{int(ref[1:]) - first}.{pin}"] = _own(net, row)
            elif ref == f"C{64 + row}":
                found[f"C9.{pin}"] = _own(net, row)
            elif ref in (f"Q{row}", f"R{row}", f"J{row}"):
                found[f"{ref[0]}1.{pin}"] = _own(net, row)
    for column in COLUMNS:
        for edge in (1, 2):
            found[f"COLUMN {column}.{edge}"] = f"COLUMN {column}"
    return found


def _own(net: str, row: int) -> str:
    """A net's name on any strip."""
    if net.startswith("OUT "):
        return net[:5]
    if net.startswith("PWR"):
        return "PWR"
    return {f"VS{row}": "VS", f"ELECTRODE row {row}": "ROW"}.get(net, net)


def board(drawn: Mapping[str, Any], pads: Mapping[str, str]) -> Board:
    """The shapes of the drawing; pads get the nets that `pads` says, everything else its own."""
    shapes: list[Shape] = []
    holes = [Hole((hole["at"][0], hole["at"][1]), hole["diameter"]) for hole in drawn["hole"]]
    texts: list[Text] = []
    bodies: list[tuple[Point, Point]] = []
    seen: dict[str, int] = {}

    def put(part: Mapping[str, Any], left: float, letter: str) -> None:
        ref = part["ref"].replace("*", letter)
        seen[ref] = number = seen.get(ref, 0) + 1
        bridge = part["footprint"] == "bridge"
        name = ref if bridge else f"{ref}{number}"
        x, y = part["at"][0] + left, part["at"][1]
        footprint = drawn["footprint"][part["footprint"]]
        for pad, dx, dy, wide, high in footprint.get("pads", []):
            pin = f"{name}.{part.get('pins', {}).get(pad, pad)}"
            box = _box(x + dx - wide / 2, y + dy - high / 2, x + dx + wide / 2, y + dy + high / 2)
            shapes.append(Shape(pads.get(pin, "nothing"), (BOTTOM,), box, 0.0, pin))
        for pad, dx, dy, diameter, hole in footprint.get("through", []):
            pin = f"{name}.{number if bridge else pad}"
            net = pads.get(pin, "nothing")
            shapes.append(Shape(net, (TOP, BOTTOM), ((x + dx, y + dy),), diameter / 2, pin))
            holes.append(Hole((x + dx, y + dy), hole, net))
        wide, high = footprint["body"]
        bodies.append(((x - wide / 2, y - high / 2), (x + wide / 2, y + high / 2)))
        if not bridge:
            texts.append(Text((x, y + _LABEL_BESIDE.get(part["footprint"], 2.6)), name))

    def run(track: Mapping[str, Any], left: float) -> None:
        layer = TOP if track.get("top") else BOTTOM
        points = [(px + left, py) for px, py in track["points"]]
        for ends in pairwise(points):
            shapes.append(Shape(track["net"], (layer,), ends, track["width"] / 2))

    def drill(via: Mapping[str, Any], left: float) -> None:
        at = (via["at"][0] + left, via["at"][1])
        shapes.append(Shape(via["net"], (TOP, BOTTOM), (at,), drawn["via_size"]["diameter"] / 2))
        holes.append(Hole(at, drawn["via_size"]["hole"], via["net"]))

    for index, letter in enumerate(COLUMNS):
        left = drawn["board"]["first_square"] + index * drawn["board"]["pitch"]
        square = drawn["square"]
        for part in square["part"]:
            put(part, left, letter)
        for track in square["track"]:
            run(track, left)
        for via in square["via"]:
            drill(via, left)
        for area in square["area"]:
            x0, y0, x1, y1 = area["corners"]
            net = area["net"].replace("*", letter)
            shapes.append(Shape(net, (TOP,), _box(x0 + left, y0, x1 + left, y1)))
        texts.append(Text((left + 30.0, 20.3), letter.upper(), 3.0))
    for part in drawn["part"]:
        put(part, 0.0, "")
    for track in drawn["track"]:
        run(track, 0.0)
    for via in drawn["via"]:
        drill(via, 0.0)
    texts.append(Text((6.0, 34.3), "FLAGFALL", 1.2))
    texts += [Text((mark["at"][0], mark["at"][1]), mark["text"]) for mark in drawn["mark"]]
    size = drawn["board"]
    return Board(
        length=size["length"],
        width=size["width"],
        shapes=tuple(shapes),
        holes=tuple(holes),
        texts=tuple(texts),
        bodies=tuple(bodies),
    )


def _box(x0: float, y0: float, x1: float, y1: float) -> tuple[Point, ...]:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))

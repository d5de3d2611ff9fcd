"""The strip board: `strip.toml` as shapes, and the net that the pin map wants on each of its pads."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from copper import BOTTOM, TOP, Board, Hole, Part, Point, Rules, Shape, Text

COLUMNS = "abcdefgh"
# Place of a part's printed name, above its middle.
_LABEL_BESIDE = {"0805": -2.0, "box12": -12.65}
DRAWING = Path(__file__).with_name("strip.toml")


def drawing() -> dict[str, Any]:
    return tomllib.loads(DRAWING.read_text("utf-8"))


def rules(drawn: Mapping[str, Any]) -> Rules:
    return Rules(**drawn["rules"])


def wanted_pads(nets: Mapping[str, list[tuple[str, str]]], row: int) -> dict[str, str]:
    """Return the net of each pad of the strip of this row, under the strip's own names (`U3.OUT`, `OUT c`)."""
    first = 8 * (row - 1)
    pads: dict[str, str] = {}
    for net, ends in nets.items():
        for ref, pin in ends:
            if ref[0] in "UC" and first < int(ref[1:]) <= first + 8:
                pads[f"{ref[0]}{int(ref[1:]) - first}.{pin}"] = _strip_name(net, row)
            elif ref == f"C{64 + row}":
                pads[f"C9.{pin}"] = _strip_name(net, row)
            elif ref in (f"Q{row}", f"R{row}", f"J{row}"):
                pads[f"{ref[0]}1.{pin}"] = _strip_name(net, row)
    for index, column in enumerate(COLUMNS):
        for edge in (1, 2):
            pads[f"TP{2 * index + edge}.1"] = f"COLUMN {column}"
    return pads


def _strip_name(net: str, row: int) -> str:
    """Return a net's name on any strip."""
    if net.startswith("OUT "):
        return net[:5]
    if net.startswith("PWR"):
        return "PWR"
    return {f"VS{row}": "VS", f"ELECTRODE row {row}": "ROW"}.get(net, net)


class _Layout:
    """The shapes drawn so far."""

    def __init__(self, drawn: Mapping[str, Any], pads: Mapping[str, str]) -> None:
        self._drawn, self._pads = drawn, pads
        self.shapes: list[Shape] = []
        self.holes = [Hole((hole["at"][0], hole["at"][1]), hole["diameter"]) for hole in drawn["hole"]]
        self.texts: list[Text] = []
        self.parts: list[Part] = []
        self._seen: Counter[str] = Counter()

    def draw(self, section: Mapping[str, Any], left: float) -> None:
        """Draw parts, tracks and vias of a square, so far to the right, or those of the whole strip."""
        for part in section["part"]:
            self._part(part, left)
        for track in section["track"]:
            layer = TOP if track.get("top") else BOTTOM
            for ends in pairwise((x + left, y) for x, y in track["points"]):
                self.shapes.append(Shape(track["net"], (layer,), ends, track["width"] / 2))
        size = self._drawn["via_size"]
        for via in section["via"]:
            place = (via["at"][0] + left, via["at"][1])
            self.shapes.append(Shape(via["net"], (TOP, BOTTOM), (place,), size["diameter"] / 2))
            self.holes.append(Hole(place, size["hole"], via["net"]))

    def _part(self, part: Mapping[str, Any], left: float) -> None:
        ref, bridge = part["ref"], part["footprint"] == "bridge"
        self._seen[ref] += 1
        name = f"{ref}{self._seen[ref]}"
        x, y = part["at"][0] + left, part["at"][1]
        footprint = self._drawn["footprint"][part["footprint"]]
        for pad, dx, dy, wide, high in footprint.get("pads", []):
            pin = f"{name}.{part.get('pins', {}).get(pad, pad)}"
            box = _box(x + dx - wide / 2, y + dy - high / 2, x + dx + wide / 2, y + dy + high / 2)
            self.shapes.append(Shape(self._pads.get(pin, "nothing"), (BOTTOM,), box, pad=pin, number=pad))
        for pad, dx, dy, diameter, hole in footprint.get("through", []):
            pin = f"{name}.{pad}"
            net = self._pads.get(pin, "nothing")
            self.shapes.append(
                Shape(net, (TOP, BOTTOM), ((x + dx, y + dy),), diameter / 2, pad=pin, number=pad)
            )
            self.holes.append(Hole((x + dx, y + dy), hole, net))
        wide, high = footprint["body"]
        value = self._drawn["value"].get(name) or self._drawn["value"][ref]
        self.parts.append(
            Part(
                ref=name,
                footprint=part["footprint"],
                place=(x, y),
                turn=0,
                side=BOTTOM,
                body=(wide, high),
                value=value,
                machine="pads" in footprint,
            )
        )
        if not bridge:
            self.texts.append(Text((x, y + _LABEL_BESIDE.get(part["footprint"], 2.6)), name))


def board(drawn: Mapping[str, Any], pads: Mapping[str, str]) -> Board:
    """Return the shapes of the drawing; pads get the nets that `pads` says, everything else its own."""
    made, size = _Layout(drawn, pads), drawn["board"]
    for index, letter in enumerate(COLUMNS):
        left = size["first_square"] + index * size["pitch"]
        made.draw(drawn["square"], left)
        for area in drawn["square"]["area"]:
            x0, y0, x1, y1 = area["corners"]
            net = area["net"].replace("*", letter)
            made.shapes.append(Shape(net, (TOP,), _box(x0 + left, y0, x1 + left, y1)))
        made.texts.append(Text((left + 30.0, 20.3), letter.upper(), 3.0))
    made.draw(drawn, 0.0)
    made.texts.append(Text((6.0, 34.3), "FLAGFALL", 1.2))
    made.texts += [Text((mark["at"][0], mark["at"][1]), mark["text"]) for mark in drawn["mark"]]
    return Board(
        length=size["length"],
        width=size["width"],
        shapes=tuple(made.shapes),
        holes=tuple(made.holes),
        texts=tuple(made.texts),
        parts=tuple(made.parts),
    )


def _box(x0: float, y0: float, x1: float, y1: float) -> tuple[Point, ...]:
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))

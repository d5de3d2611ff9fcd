"""The centre board: `centre.toml` as shapes, with the net that the pin map wants on each of its pads."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

import plane
from copper import BOTTOM, TOP, Board, Hole, Part, Point, Rules, Shape, Text
from nets import Nets, letters
from pinmap import HERE

DRAWING = HERE / "centre.toml"
TRACKS = HERE / "centre-tracks.toml"
_KINDS = ("X", "M", "Z", "RN", "A", "E", "TP")


def drawing() -> dict[str, Any]:
    return tomllib.loads(DRAWING.read_text("utf-8"))


def tracks() -> dict[str, Any]:
    """Return the routed copper, as `route.py` wrote it."""
    return tomllib.loads(TRACKS.read_text("utf-8"))


def rules(drawn: Mapping[str, Any]) -> Rules:
    return Rules(**drawn["rules"])


def kind(drawn: Mapping[str, Any], ref: str) -> dict[str, Any]:
    """Return the entry of a part's kind: its own, or the one of its letters."""
    entry: dict[str, Any] = drawn["kind"].get(ref) or drawn["kind"][letters(ref)]
    return entry


def is_here(ref: str) -> bool:
    """Return whether the part is on the centre board."""
    number = ref[len(letters(ref)) :]
    if letters(ref) in ("C", "R"):
        return int(number) in (range(73, 78) if ref[0] == "C" else (11, 12))
    return letters(ref) in _KINDS


def wanted_pads(all_nets: Nets, drawn: Mapping[str, Any]) -> dict[str, str]:
    """Return the net of each pin. One that the drawing leaves open has a net of its own, named as KiCad does."""
    pads = {f"{ref}.{pin}": net for net, ends in all_nets.items() for ref, pin in ends if is_here(ref)}
    for ref in sorted({pad.partition(".")[0] for pad in pads}):
        entry = kind(drawn, ref)
        for pin in entry.get("open", ()):
            number = entry["pins"].index(pin) + 1
            if f"{ref}.{pin}" in pads:
                raise ValueError(
                    f"{ref}.{pin}: open in {DRAWING.name}, on {pads[f'{ref}.{pin}']} in the netlist"
                )
            pads[f"{ref}.{pin}"] = f"unconnected-({ref}-{pin}-Pad{number})"
    return pads


def footprint_pads(footprint: Mapping[str, Any]) -> Iterator[tuple[str, Point, tuple[float, float], bool]]:
    """Yield (number, middle, width and height or diameter and hole, whether it goes through) of each pad."""
    for number, x, y, wide, high in footprint.get("pads", ()):
        yield number, (x, y), (wide, high), False
    for number, x, y, diameter, hole in footprint.get("through", ()):
        yield number, (x, y), (diameter, hole), True
    if column := footprint.get("column"):
        half = column["pads"] // 2
        for index in range(column["pads"]):
            left = index < half
            step = index if left else column["pads"] - 1 - index
            place = (-column["x"] if left else column["x"], ((half - 1) / 2 - step) * column["pitch"])
            yield str(index + 1), place, _size(column), "hole" in column
    if row := footprint.get("row"):
        for index in range(row["pads"]):
            yield str(index + 1), (0.0, ((row["pads"] - 1) / 2 - index) * row["pitch"]), _size(row), True


def _size(entry: Mapping[str, Any]) -> tuple[float, float]:
    return (entry["diameter"], entry["hole"]) if "hole" in entry else (entry["width"], entry["height"])


def turned(point: Point, degrees: int) -> Point:
    cosine, sine = round(math.cos(math.radians(degrees))), round(math.sin(math.radians(degrees)))
    return point[0] * cosine - point[1] * sine, point[0] * sine + point[1] * cosine


def placed(drawn: Mapping[str, Any]) -> list[Part]:
    """Return every part, in the drawing's order."""
    entries = [(part["ref"], part["at"], part.get("turn", 0)) for part in drawn["part"]]
    for index, (left, low) in enumerate(drawn["unit"]["places"]):
        for part in drawn["unit"]["part"]:
            x, y = part["at"]
            entries.append((part["refs"][index], (left + x, low + y), part.get("turn", 0)))
    parts = []
    for ref, (x, y), turn in entries:
        entry = kind(drawn, ref)
        body = drawn["footprint"][entry["footprint"]]["body"]
        place = (round(x, 4), round(y, 4))
        part = Part(
            ref=ref,
            footprint=entry["footprint"],
            place=place,
            turn=turn,
            side=TOP,
            body=(body[0], body[1]),
            value=entry["value"],
            machine="mounted" not in entry,
        )
        parts.append(part)
    return parts


def unrouted(drawn: Mapping[str, Any], pads: Mapping[str, str]) -> Board:
    """Return the board with its parts, holes and print alone."""
    shapes: list[Shape] = []
    holes = [Hole((hole["at"][0], hole["at"][1]), hole["diameter"]) for hole in drawn["hole"]]
    parts = placed(drawn)
    for part in parts:
        names = kind(drawn, part.ref).get("pins")
        for number, middle, size, through in footprint_pads(drawn["footprint"][part.footprint]):
            pin = f"{part.ref}.{names[int(number) - 1] if names else number}"
            dx, dy = turned(middle, part.turn)
            place = (round(part.place[0] + dx, 4), round(part.place[1] + dy, 4))
            net = pads.get(pin, "nothing")
            if through:
                shapes.append(Shape(net, (TOP, BOTTOM), (place,), size[0] / 2, pad=pin, number=number))
                holes.append(Hole(place, size[1], net))
            else:
                wide, high = (abs(side) for side in turned(size, part.turn))
                shapes.append(Shape(net, (TOP,), _box(place, wide, high), pad=pin, number=number))
    return Board(
        length=drawn["board"]["length"],
        width=drawn["board"]["width"],
        shapes=tuple(shapes),
        holes=tuple(holes),
        texts=tuple(_texts(drawn, parts)),
        parts=tuple(parts),
        lines=tuple(_lines(drawn, parts)),
        side=TOP,
    )


def board(drawn: Mapping[str, Any], pads: Mapping[str, str], routed: Mapping[str, Any]) -> Board:
    """Return the whole board: parts, tracks, vias, and the ground plane in what they leave free."""
    bare = unrouted(drawn, pads)
    shapes, holes, via = list(bare.shapes), list(bare.holes), drawn["router"]["via"]
    for track in routed["track"]:
        for ends in pairwise((x, y) for x, y in track["points"]):
            shapes.append(Shape(track["net"], (track["layer"],), ends, track["width"] / 2))
    for net, places in routed["via"].items():
        for x, y in places:
            shapes.append(Shape(net, (TOP, BOTTOM), ((x, y),), via["diameter"] / 2))
            holes.append(Hole((x, y), via["hole"], net))
    free = [((hole["at"][0], hole["at"][1]), hole["free"]) for hole in drawn["hole"]]
    poured = plane.poured(bare, shapes, rules(drawn), drawn["router"]["plane"], free)
    return Board(
        length=bare.length,
        width=bare.width,
        shapes=(*shapes, *poured),
        holes=tuple(holes),
        texts=bare.texts,
        parts=bare.parts,
        lines=bare.lines,
        side=TOP,
    )


def _box(middle: Point, wide: float, high: float) -> tuple[Point, ...]:
    x0, x1 = round(middle[0] - wide / 2, 4), round(middle[0] + wide / 2, 4)
    y0, y1 = round(middle[1] - high / 2, 4), round(middle[1] + high / 2, 4)
    return ((x0, y0), (x1, y0), (x1, y1), (x0, y1))


def _texts(drawn: Mapping[str, Any], parts: Iterable[Part]) -> Iterator[Text]:
    """Yield each part's name, beside it, and the print of the drawing."""
    for part in parts:
        label = drawn["label"].get(part.ref) or drawn["label"][letters(part.ref)]
        more = label.get("more") or (f"ROW {part.ref[1:]}" if part.footprint == "IDC-2x06" else "")
        place = (part.place[0] + label["at"][0], part.place[1] + label["at"][1])
        yield Text(place, f"{part.ref} {more}".strip(), 0.9, TOP)
        if part.footprint in ("IDC-2x06", "Pico-socket"):
            # Pin 1, beside its pad.
            (x, y), *_ = (middle for _, middle, _, _ in footprint_pads(drawn["footprint"][part.footprint]))
            dx, dy = turned((x - 1.5 if part.footprint == "IDC-2x06" else x + 1.6, y), part.turn)
            yield Text((part.place[0] + dx, part.place[1] + dy), "1", 0.9, TOP)
    for mark in drawn["mark"]:
        x, y = mark["at"]
        yield Text((x, y), mark["text"], mark.get("height", 1.0), TOP)


def _lines(drawn: Mapping[str, Any], parts: Iterable[Part]) -> Iterator[tuple[Point, Point]]:
    """Yield the printed lines of each part."""
    for part in parts:
        for x0, y0, x1, y1 in drawn["print"].get(part.footprint, ()):
            ends = (turned((x, y), part.turn) for x, y in ((x0, y0), (x1, y1)))
            (ax, ay), (bx, by) = ((part.place[0] + x, part.place[1] + y) for x, y in ends)
            yield (ax, ay), (bx, by)

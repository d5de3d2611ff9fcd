"""The strip board: its drawing against the netlist and the rules; the maker's files read by another program."""

from __future__ import annotations

import copy
import csv
import warnings
from pathlib import Path
from typing import Any

import copper
import gerber
import nets
import pinmap
import pytest
import strip

FILES = pinmap.HERE / "generated" / "strip"
PINS = pinmap.read()
DRAWN = strip.drawing()
JOINED = nets.nets(PINS)
PADS = strip.wanted_pads(JOINED, row=1)
BOARD = strip.board(DRAWN, PADS)


def faults(drawn: dict[str, Any], pads: dict[str, str] = PADS) -> list[str]:
    return copper.faults(strip.board(drawn, pads), strip.rules(drawn), pads)


def test_the_drawing_joins_what_the_netlist_joins_and_can_be_made() -> None:
    assert faults(DRAWN) == []


@pytest.mark.parametrize("row", range(2, 9))
def test_the_same_board_serves_every_row(row: int) -> None:
    assert strip.wanted_pads(JOINED, row) == PADS


def test_every_part_of_a_strip_has_all_its_pads() -> None:
    refs = [f"{letter}{number}" for letter in "UC" for number in range(1, 9)] + ["Q1", "R1", "J1", "C9"]
    for ref in refs:
        pins = {pad.split(".")[1] for pad in PADS if pad.startswith(f"{ref}.")}
        assert pins == set(nets.needed_pins(ref))


def track(net: str, drawn: dict[str, Any]) -> dict[str, Any]:
    return next(wire for wire in drawn["track"] if wire["net"] == net)


def with_a_shift(drawn: dict[str, Any]) -> None:
    track("OUT c", drawn)["points"][-2][1] = track("OUT c", drawn)["points"][-3][1] = 24.5


def with_a_gap(drawn: dict[str, Any]) -> None:
    track("VS", drawn)["points"][-1][0] = 100.0


def with_a_short(drawn: dict[str, Any]) -> None:
    track("ROW", drawn)["points"][-1] = [288.0, 11.0]


def with_a_wrong_pin(drawn: dict[str, Any]) -> None:
    drawn["square"]["part"][0]["pins"] = {"1": "GND", "2": "OUT", "3": "VCC"}


def at_the_edge(drawn: dict[str, Any]) -> None:
    track("OUT h", drawn)["points"] = [
        [4.73, 17.73],
        [0.3, 17.73],
        [0.3, 31.89],
        [296.0, 31.89],
        [296.0, 19.95],
    ]


def with_a_hole_in_copper(drawn: dict[str, Any]) -> None:
    drawn["hole"][0]["at"] = [55.0, 19.0]


def with_a_thin_ring(drawn: dict[str, Any]) -> None:
    drawn["via_size"]["hole"] = 0.6


def with_a_hair(drawn: dict[str, Any]) -> None:
    track("PWR", drawn)["width"] = 0.1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (with_a_shift, "OUT c and OUT b: 0.00 mm apart"),
        (with_a_gap, "VS: in "),
        (with_a_short, "VS and ROW: 0.00 mm apart"),
        (with_a_wrong_pin, "U1.GND and VS: 0.00 mm apart"),
        (at_the_edge, "OUT h: 0.17 mm from the edge"),
        (with_a_hole_in_copper, "hole at (55.0, 19.0): ROW is too near"),
        (with_a_thin_ring, "no ring of 0.19 mm"),
        (with_a_hair, "PWR: 0.10 mm wide"),
    ],
)
def test_the_check_finds_what_is_wrong(change: Any, message: str) -> None:
    drawn = copy.deepcopy(DRAWN)
    change(drawn)
    lines = faults(drawn)
    assert any(
        message in fault or " and ".join(reversed(message.split(": ")[0].split(" and "))) in fault
        for fault in lines
    ), lines


def test_a_pad_that_the_netlist_wants_elsewhere_is_named() -> None:
    lines = faults(DRAWN, {**PADS, "U9.OUT": "OUT i"})
    assert lines == ["U9.OUT: drawn on nothing, the netlist says OUT i"]


def test_no_label_is_printed_on_a_pad() -> None:
    pads = [shape for shape in BOARD.shapes if shape.pad and copper.BOTTOM in shape.layers]
    assert BOARD.texts and pads
    for text in BOARD.texts:
        for ends in gerber.strokes(text):
            line = copper.Shape("", (copper.BOTTOM,), ends, 0.075)
            assert all(copper.distance(line, pad) > 0.05 for pad in pads), text


def opened() -> Any:
    from gerbonara import LayerStack

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return LayerStack.open(FILES)


def test_another_program_reads_every_file_and_finds_the_same_board() -> None:
    stack = opened()
    layers = {
        ("top", "copper"),
        ("bottom", "copper"),
        ("top", "mask"),
        ("bottom", "mask"),
        ("bottom", "silk"),
    }
    assert layers | {("bottom", "paste"), ("mechanical", "outline")} == set(stack.graphic_layers)
    (x0, y0), (x1, y1) = stack.graphic_layers["mechanical", "outline"].bounding_box("mm")
    assert (round(x0 + x1, 3), round(y0 + y1, 3)) == (BOARD.length, BOARD.width)
    assert (round(x1 - x0, 1), round(y1 - y0, 1)) == (BOARD.length + 0.1, BOARD.width + 0.1)
    drilled = [
        (round(hole.x, 3), round(hole.y, 3), round(hole.aperture.diameter, 3))
        for layer in stack.drill_layers
        for hole in layer.objects
    ]
    wanted = [(round(hole.place[0], 3), round(hole.place[1], 3), hole.diameter) for hole in BOARD.holes]
    assert sorted(drilled) == sorted(wanted)


@pytest.mark.parametrize("side", [copper.TOP, copper.BOTTOM])
def test_copper_read_back_is_the_copper_that_was_drawn(side: str) -> None:
    # Point by point: what the files cover is what the shapes cover.
    from gerbonara.graphic_objects import Flash, Line, Region

    shapes: list[copper.Shape] = []
    for thing in opened().graphic_layers[side, "copper"].objects:
        if isinstance(thing, Flash):
            shapes.append(copper.Shape("", (side,), ((thing.x, thing.y),), thing.aperture.diameter / 2))
        elif isinstance(thing, Line):
            ends = ((thing.x1, thing.y1), (thing.x2, thing.y2))
            shapes.append(copper.Shape("", (side,), ends, thing.aperture.diameter / 2))
        else:
            assert isinstance(thing, Region)
            shapes.append(copper.Shape("", (side,), tuple(thing.outline)))
    drawn = [shape for shape in BOARD.shapes if side in shape.layers]
    assert len(shapes) == len(drawn)
    for read, shape in zip(shapes, drawn, strict=True):
        assert read.radius == pytest.approx(shape.radius, abs=1e-4)
        # A region may come back closed: its first corner once more at the end.
        for point, wanted in zip(read.points, shape.points, strict=False):
            assert point == pytest.approx(wanted, abs=1e-4)


def test_the_placement_names_every_part_once() -> None:
    with (FILES / "strip-placement.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sorted(row["designator"] for row in rows) == sorted(
        {pad.split(".")[0] for pad in PADS if not pad.startswith(("TP", "J"))}
    )
    sensors = {
        row["designator"]: (float(row["x mm"]), float(row["y mm"]))
        for row in rows
        if row["designator"].startswith("U")
    }
    assert sensors == {
        f"U{number}": (12 + 38 * (number - 1) + 19.0, BOARD.width / 2) for number in range(1, 9)
    }


def test_files_are_what_is_committed() -> None:
    for name, text in gerber.files(BOARD).items():
        assert (FILES / name).read_text("utf-8") == text, name
    assert {path.name for path in Path(FILES).iterdir() if path.is_file()} == {
        "strip-bom.csv",
        *gerber.files(BOARD),
    }

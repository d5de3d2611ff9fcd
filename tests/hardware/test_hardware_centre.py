"""The centre board: its drawing against the netlist and the rules; maker's and KiCad's files read by other programs."""

from __future__ import annotations

import copy
import csv
import math
import re
import warnings
from collections import Counter
from functools import cache
from itertools import pairwise
from typing import Any

import centre
import copper
import gerber
import kicad
import kicad_schematic
import listings
import nets
import pinmap
import plane
import plates
import pytest
import route
import shapely
import strip

FILES = pinmap.HERE / "generated" / "centre"
PINS = pinmap.read()
DRAWN = centre.drawing()
RULES = centre.rules(DRAWN)
JOINED = nets.nets(PINS)
PADS = centre.wanted_pads(JOINED, DRAWN)
TRACKS = centre.tracks()


@cache
def whole_board() -> copper.Board:
    """Return the board with its plane: not made while tests are collected, by every worker."""
    return centre.board(DRAWN, PADS, TRACKS)


def poured() -> list[copper.Shape]:
    return [shape for shape in whole_board().shapes if len(shape.points) > 2 and not shape.pad]


@pytest.mark.long
def test_the_routed_board_joins_what_the_netlist_joins_and_can_be_made() -> None:
    assert copper.faults(whole_board(), RULES, PADS) == []
    assert RULES.clearance >= 0.2 and RULES.track >= 0.2
    assert min(hole.diameter for hole in whole_board().holes) >= 0.3


def test_each_sensor_reaches_the_channel_that_the_firmware_reads() -> None:
    # From the plug's pin through the resistor to the multiplexer's pad, on the copper alone.
    joined = {pad: net for net, ends in JOINED.items() for pad in (f"{ref}.{pin}" for ref, pin in ends)}
    assert len(PADS.keys() & joined.keys()) > 400
    box = PINS["connector"]["pins"]
    for group in pinmap.groups(PINS):
        for square, multiplexer, channel, adc in group:
            row, column = square // 8 + 1, "abcdefgh"[square % 8]
            outside = joined[f"X{row}.{box.index(column) + 1}"]
            inside = joined[f"M{multiplexer}.C{channel}"]
            ends = [
                (number, pin)
                for number in range(1, 17)
                for pin in range(1, 5)
                if joined[f"RN{number}.{pin}"] == outside
            ]
            assert [joined[f"RN{number}.{9 - pin}"] for number, pin in ends] == [inside]
            assert joined[f"M{multiplexer}.SIG"] == joined[f"A1.GP{PINS['pico']['adc'][adc]}"]


def test_every_line_to_a_strip_or_an_electrode_has_protection_and_a_resistor() -> None:
    protected = {net for net, ends in JOINED.items() for ref, pin in ends if ref[0] == "Z" and pin != "GND"}
    resistors = {net for net, ends in JOINED.items() for ref, _ in ends if ref.startswith("RN")}
    leaving = {net for net, ends in JOINED.items() for ref, _ in ends if ref[0] == "X"} - {"GND", "3V3"}
    assert len(leaving) == 64 + 8 + 8 + 4
    assert leaving == protected
    assert leaving <= resistors


def test_both_planes_are_whole_and_reach_every_ground_pad() -> None:
    assert {shape.net for shape in poured()} == {"GND"}
    bottom = [shape for shape in poured() if copper.BOTTOM in shape.layers]
    area = sum(copper.outline(shape).area for shape in bottom)
    assert max(copper.outline(shape).area for shape in bottom) > 0.98 * area
    assert area > 0.8 * whole_board().length * whole_board().width


def test_no_copper_lies_under_a_screws_head() -> None:
    assert len(DRAWN["hole"]) == 4
    for hole in DRAWN["hole"]:
        head = shapely.Point(hole["at"]).buffer(hole["free"] - 0.05)
        for shape in whole_board().shapes:
            assert shapely.distance(copper.outline(shape), head) > shape.radius, hole


def test_the_bases_holes_are_the_boards() -> None:
    text = plates.files(strip.drawing())["base.svg"]
    holes = [
        (float(x), float(y))
        for x, y in re.findall(r'<circle class="cut" cx="([\d.]+)" cy="([\d.]+)" r="1.6"/>', text)
    ]
    assert len(holes) == 4
    # On the plate y runs downwards.
    wanted = [(hole["at"][0], whole_board().width - hole["at"][1]) for hole in DRAWN["hole"]]
    shifts = {
        (round(a[0] - b[0], 3), round(a[1] - b[1], 3))
        for a, b in zip(sorted(holes), sorted(wanted), strict=True)
    }
    assert len(shifts) == 1
    ((left, _),) = shifts
    assert left > plates.BESIDE + 12, "beside the strips' plugs"


def without_a_track(routed: dict[str, Any]) -> None:
    routed["track"] = [track for track in routed["track"] if track["net"] != "EN2"]


def with_a_shift(routed: dict[str, Any]) -> None:
    track = next(track for track in routed["track"] if track["net"] == "IN c3")
    track["points"] = [[x, y + 0.4] for x, y in track["points"]]


def with_a_hair(routed: dict[str, Any]) -> None:
    next(track for track in routed["track"] if track["net"] == "S0")["width"] = 0.1


def without_a_via(routed: dict[str, Any]) -> None:
    routed["via"]["3V3"] = routed["via"]["3V3"][1:]


@pytest.fixture(scope="module")
def faults_of_a_bad_board() -> list[str]:
    """Return what the check finds on one board that has all four faults, each on a net of its own."""
    routed = copy.deepcopy(TRACKS)
    for change in (without_a_track, with_a_shift, with_a_hair, without_a_via):
        change(routed)
    return copper.faults(centre.board(DRAWN, PADS, routed), RULES, PADS)


@pytest.mark.parametrize("message", ["EN2: in ", "IN c3", "S0: 0.10 mm wide", "3V3: in "])
def test_the_check_finds_what_is_wrong_with_the_routing(
    message: str, faults_of_a_bad_board: list[str]
) -> None:
    assert any(message in line for line in faults_of_a_bad_board), faults_of_a_bad_board[:9]


def test_an_open_pad_that_the_netlist_joins_is_refused() -> None:
    drawn = copy.deepcopy(DRAWN)
    drawn["kind"]["A"]["open"].append("GP4")
    with pytest.raises(ValueError, match=r"A1\.GP4: open in centre\.toml, on SDA"):
        centre.wanted_pads(JOINED, drawn)


def test_the_multiplexer_has_its_data_sheets_pins() -> None:
    # CD74HC4067, SCHS209: 1 common, 2 to 9 channels 7 to 0, 16 to 23 channels 15 to 8.
    pins = dict(enumerate(DRAWN["kind"]["M"]["pins"], start=1))
    assert pins[1] == "SIG" and pins[12] == "GND" and pins[24] == "VCC" and pins[15] == "E"
    assert [pins[number] for number in (10, 11, 14, 13)] == ["S0", "S1", "S2", "S3"]
    assert [pins[number] for number in range(9, 1, -1)] == [f"C{channel}" for channel in range(8)]
    assert [pins[number] for number in range(23, 15, -1)] == [f"C{channel}" for channel in range(8, 16)]


def test_no_label_is_printed_on_a_pad() -> None:
    pads = [shape for shape in whole_board().shapes if shape.pad and copper.TOP in shape.layers]
    lines = [*whole_board().lines, *(ends for text in whole_board().texts for ends in gerber.strokes(text))]
    assert lines and pads
    printed = [copper.Shape("", (copper.TOP,), ends, 0.075) for ends in lines]
    for line, beside in zip(printed, copper.near(printed, pads, 0.05), strict=True):
        assert all(copper.distance(line, pad) > 0.05 for pad in beside), line.points


def test_every_part_has_the_same_name_in_schematic_board_bill_and_placement() -> None:
    wanted = {pad.partition(".")[0] for pad in PADS}
    mounted = {ref for ref in wanted if not ref.startswith("TP")}
    board = (FILES / "kicad" / "centre.kicad_pcb").read_text("utf-8")
    assert set(re.findall(r'"Reference" "([A-Z]+\d+)"', board)) - {"H1", "H2", "H3", "H4"} == wanted
    schematic = (FILES / "kicad" / "centre.kicad_sch").read_text("utf-8")
    assert set(re.findall(r'\(reference "([A-Z]+\d+)"\)', schematic)) == wanted
    with (FILES / "centre-bom.csv").open(encoding="utf-8") as file:
        kinds = list(csv.DictReader(file))
    refs = [ref for entry in kinds for ref in entry["designators"].split()]
    assert sorted(refs) == sorted(mounted)
    assert all(int(entry["quantity"]) == len(entry["designators"].split()) for entry in kinds)
    assert all(entry["value"] and entry["package"] and entry["maker's number"] for entry in kinds)
    with (FILES / "centre-placement.csv").open(encoding="utf-8") as file:
        placed = list(csv.DictReader(file))
    by_machine = {
        ref for entry in kinds if entry["mounted by"] == "machine" for ref in entry["designators"].split()
    }
    assert {entry["designator"] for entry in placed} == by_machine
    kind_of = {ref: entry for entry in kinds for ref in entry["designators"].split()}
    for entry in placed:
        assert (entry["value"], entry["package"]) == tuple(
            kind_of[entry["designator"]][key] for key in ("value", "package")
        )
        assert entry["side"] == "top" and int(entry["rotation"]) in (0, 90, 180, 270)
    # The bill of the whole table counts the same parts.
    with (pinmap.HERE / "generated" / "parts.csv").open(encoding="utf-8") as file:
        table = [entry for entry in csv.DictReader(file) if entry["where"].startswith("centre board")]
    counted = Counter({entry["refs"]: int(entry["quantity"]) for entry in table})
    for kind in ("M0..M3", "RN1..RN20", "RN21", "Z1..Z21", "X1..X8", "C73..C76", "C77", "R11,R12", "X9"):
        assert counted[kind] in {int(entry["quantity"]) for entry in kinds}, kind


def test_the_turn_of_a_part_brings_its_first_pad_where_the_copper_has_it() -> None:
    with (FILES / "centre-placement.csv").open(encoding="utf-8") as file:
        placed = {entry["designator"]: entry for entry in csv.DictReader(file)}
    assert len(placed) == 4 + 21 + 21 + 5 + 2
    for ref, entry in placed.items():
        footprint = DRAWN["footprint"][entry["package"]]
        (x, y), *_ = (middle for _, middle, _, _ in centre.footprint_pads(footprint))
        angle = math.radians(int(entry["rotation"]))
        turned = (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle))
        (pad,) = [
            shape for shape in whole_board().shapes if shape.pad.startswith(f"{ref}.") and shape.number == "1"
        ]
        middle = copper.outline(pad).centroid
        assert (middle.x, middle.y) == pytest.approx(
            (float(entry["x mm"]) + turned[0], float(entry["y mm"]) + turned[1]), abs=1e-3
        )


def test_kicads_parts_lie_where_they_belong_and_its_plane_is_filled() -> None:
    text = (FILES / "kicad" / "centre.kicad_pcb").read_text("utf-8")
    places = re.findall(
        r'^\(footprint "flagfall:[\w-]+" \(layer "F\.Cu"\) \(uuid "[\w-]+"\) \(at ([\d.]+) ([\d.]+)',
        text,
        re.M,
    )
    assert len(set(places)) == len(places) == len(whole_board().parts) + 4
    assert text.count("(filled_polygon") == len(poured())
    assert text.count("(zone ") == 2
    assert len(re.findall(r"^\(segment ", text, re.M)) == sum(
        len(shape.points) == 2 and not shape.pad for shape in whole_board().shapes
    )


@pytest.mark.parametrize("name", ["centre", "strip"])
def test_kicads_files_are_whole_expressions(name: str) -> None:
    folder = pinmap.HERE / "generated" / name / "kicad"
    for path in (folder / f"{name}.kicad_pcb", folder / f"{name}.kicad_sch"):
        depth = 0
        for mark in re.findall(r'"[^"]*"|[()]', path.read_text("utf-8")):
            depth += {"(": 1, ")": -1}.get(mark, 0)
            assert depth >= 0
        assert depth == 0


def test_the_same_board_is_written_the_same_twice() -> None:
    assert kicad.board_text(whole_board(), "centre", 1.6) == kicad.board_text(whole_board(), "centre", 1.6)
    assert kicad_schematic.of_a_board("centre", whole_board()) == kicad_schematic.of_a_board(
        "centre", whole_board()
    )
    assert listings.board_bill(PINS, whole_board()) == (FILES / "centre-bom.csv").read_text("utf-8")


@pytest.mark.parametrize("side", [copper.TOP, copper.BOTTOM])
def test_another_program_reads_the_copper_that_was_drawn(side: str) -> None:
    from gerbonara import LayerStack
    from gerbonara.graphic_objects import Flash, Line

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stack = LayerStack.open(FILES)
    read = []
    for thing in stack.graphic_layers[side, "copper"].objects:
        if isinstance(thing, Flash):
            read.append(shapely.Point(thing.x, thing.y).buffer(thing.aperture.diameter / 2))
        elif isinstance(thing, Line):
            ends = ((thing.x1, thing.y1), (thing.x2, thing.y2))
            read.append(shapely.LineString(ends).buffer(thing.aperture.diameter / 2))
        else:
            # A way there and back to a cut has no width: what is left is the area with its cuts.
            read.append(shapely.Polygon(thing.outline).buffer(0))
    drawn = [
        copper.outline(shape).buffer(shape.radius) if shape.radius else copper.outline(shape)
        for shape in whole_board().shapes
        if side in shape.layers
    ]
    assert len(read) == len(drawn)
    for made, wanted in zip(read, drawn, strict=True):
        assert made.symmetric_difference(wanted).area < 0.01
    drilled = sorted(
        (round(hole.x, 3), round(hole.y, 3), round(hole.aperture.diameter, 3))
        for layer in stack.drill_layers
        for hole in layer.objects
    )
    assert drilled == sorted(
        (round(hole.place[0], 3), round(hole.place[1], 3), hole.diameter) for hole in whole_board().holes
    )


def test_an_area_with_cuts_is_one_loop_around_the_same_copper() -> None:
    cuts = (((2.0, 2.0), (2.0, 4.0), (4.0, 4.0), (4.0, 2.0)), ((6.0, 3.0), (6.0, 5.0), (8.0, 4.0)))
    shape = copper.Shape("GND", (copper.TOP,), ((0.0, 0.0), (10.0, 0.0), (10.0, 6.0), (0.0, 6.0)), cuts=cuts)
    loop = plane.in_a_loop(shape)
    area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(loop, [*loop[1:], loop[0]], strict=True)) / 2
    assert abs(area) == pytest.approx(copper.outline(shape).area)


def test_the_router_leads_two_nets_past_each_other() -> None:
    # Four pads on a cross: one net must go below the other.
    def pad(net: str, x: float, y: float) -> copper.Shape:
        corners = ((x - 0.5, y - 0.5), (x + 0.5, y - 0.5), (x + 0.5, y + 0.5), (x - 0.5, y + 0.5))
        return copper.Shape(net, (copper.TOP,), corners, 0.0, f"P{x:g}{y:g}.{net}")

    pads = (pad("A", 3, 10), pad("A", 17, 10), pad("B", 10, 3), pad("B", 10, 17))
    bare = copper.Board(20.0, 20.0, pads, (), ())
    settings = {
        "grid": 0.254,
        "width": 0.25,
        "via": {"diameter": 0.7, "hole": 0.3},
        "wide": {"3V3": 0.6},
        "plane": "GND",
    }
    router = route.Router(bare, RULES, settings, [])
    assert router.route()
    shapes = list(pads)
    holes = []
    for net, layer, width, points in router.tracks():
        shapes += [copper.Shape(net, (layer,), ends, width / 2) for ends in pairwise(points)]
    for routed in router.nets:
        for node in routed.vias:
            shapes.append(copper.Shape(routed.name, (copper.TOP, copper.BOTTOM), (router.point(node),), 0.35))
            holes.append(copper.Hole(router.point(node), 0.3, routed.name))
    made = copper.Board(20.0, 20.0, tuple(shapes), tuple(holes), ())
    assert copper.faults(made, RULES, {shape.pad: shape.net for shape in pads}) == []
    assert len(holes) == 2

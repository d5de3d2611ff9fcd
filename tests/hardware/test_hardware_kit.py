"""The kit: counted against netlist, plates and case, its sums, and what it refuses."""

from __future__ import annotations

import copy
import csv
import io
import re
from collections.abc import Mapping
from typing import Any

import case
import centre
import kit
import nets
import pinmap
import plates
import pytest
import strip

KIT = kit.read()
PINS = pinmap.read()
BOARD_AND_LAMPS_A = 0.25 + 2 * 0.008


def pieces(ref: str) -> int:
    """Return how many pieces the part has in whose refs this one is."""
    (number,) = [part["each"] for part in KIT["part"] if ref in kit.refs(part["ref"])]
    return int(number)


def test_every_square_has_its_sensor_disc_and_magnet() -> None:
    assert pieces("U1") == pieces("DISC1") == pieces("MAG1") == 8 * 8


def test_every_strip_has_its_board_header_and_cable() -> None:
    assert pieces("PCB1") == pieces("J1") == pieces("W1") == len(PINS["strip"]) == 8


def test_the_centre_board_has_a_header_for_each_strip_and_a_spacer_for_each_hole() -> None:
    assert pieces("X1") == len(PINS["strip"])
    assert pieces("SPACER1") == len(centre.drawing()["hole"]) == 4
    assert pieces("PCB9") == pieces("A1") == pieces("CAB1") == 1


def test_there_is_a_screw_for_each_hole_and_a_plate_for_each_drawing() -> None:
    drawings = plates.files(strip.drawing())
    assert pieces("PLATE1") == len(drawings) - 1, "the last one is the battens'"
    holes = re.findall(rf'class="cut" cx="[\d.]+" cy="[\d.]+" r="{plates.SCREW / 2:g}"', drawings["base.svg"])
    assert pieces("SCREW1") + pieces("CLAMP1") == len(holes)
    battens = plates.battens(strip.drawing())
    assert pieces("BATTEN1") == len(battens)
    (timber,) = [part for part in KIT["part"] if part["ref"].startswith("BATTEN")]
    assert f"{plates.BESIDE:g} x {plates.BATTEN_HIGH:g} mm" in timber["name"]
    assert sum(batten.length for batten in battens) <= 1400 and "1.4 m in all" in timber["type"]
    drawn = case.parameters()
    names = [box.name for box in case.boxes(drawn, "uc595")]
    assert pieces("LUGSCREW1") == names.count("a post of the screen's") == 4
    assert pieces("BACKSCREW1") == names.count("a post of the back's") == 4
    assert pieces("S1") == pieces("D1") == pieces("R9") == names.count("a button") == 2
    assert pieces("PISCREW1") == 4
    assert pieces("BUMPER1") == 2 * 2


def test_the_kit_holds_every_part_of_the_netlist() -> None:
    listed = {ref for part in KIT["part"] for ref in kit.refs(part["ref"])}
    # Planes and test pads are copper alone.
    copper = ("PLANE", "TP")
    wanted = {ref for ends in nets.nets(PINS).values() for ref, _ in ends if not ref.startswith(copper)}
    assert wanted - listed == set()


def test_each_part_is_joined_by_each_of_its_pins_but_the_free_ones() -> None:
    # Pin by pin, both ways: no pin of the netlist that the part has not, none of the part left in the air.
    joined: dict[str, set[str]] = {}
    for ends in nets.nets(PINS).values():
        for ref, pin in ends:
            joined.setdefault(ref, set()).add(pin)
    refs = 0
    for part in KIT["part"]:
        for ref in kit.refs(part["ref"]):
            if ref in joined and ref != "P1":  # the table's Pi, of which five pins are wired
                free = set(kit.pins(part, "free"))
                assert joined[ref] | free == set(kit.pins(part)), ref
                assert not joined[ref] & free, ref
                refs += 1
    assert refs == sum(not ref.startswith(("PLANE", "TP", "P1")) for ref in joined)


def test_what_is_soldered_has_the_pads_of_its_footprint() -> None:
    drawn, flat = centre.drawing(), strip.drawing()
    soldered = {ref: part for part in KIT["part"] for ref in kit.refs(part["ref"])}
    soldered |= {ref: part for part in KIT["part"] if "on" in part for ref in kit.refs(part["on"])}
    soldered["C9"] = soldered["C65"]  # the strip's own name
    pads = {
        part.ref: len(list(centre.footprint_pads(drawn["footprint"][part.footprint])))
        for part in centre.placed(drawn)
        if part.footprint != "Testpad"
    }
    assert pads == {ref: pads_of(soldered[ref]) for ref in pads}
    footprints = {
        part.ref: flat["footprint"][part.footprint]
        for part in strip.board(flat, {}).parts
        if part.footprint != "bridge"
    }
    pads = {
        ref: len(shape.get("pads", [])) + len(shape.get("through", [])) for ref, shape in footprints.items()
    }
    assert pads == {ref: pads_of(soldered[ref]) for ref in pads}
    assert len(pads) == 8 + 9 + 3


def pads_of(part: Mapping[str, Any]) -> int:
    """Return how many pads the pieces have that are soldered in one place: two sockets for a Pico."""
    return len(kit.pins(part)) * part["each"] // len(kit.refs(part.get("on", part["ref"])))


def test_values_of_the_drawings_are_those_of_the_kit() -> None:
    named = {
        "4k7": "4.7 kilohm",
        "4x 1k": "of 1 kilohm",
        "4x 100R": "of 100 ohm",
        "100n": "100 nF",
        "10u": "10 uF",
    }
    named |= {"box header 2x6": "box header 2 x 6", "pin header 1x8": "pin header 1 x 8"}
    parts = {ref: part for part in KIT["part"] for ref in kit.refs(part["ref"])}
    parts["C9"] = parts["C65"]
    entries = []
    for name in ("strip", "centre"):
        with (pinmap.HERE / "generated" / name / f"{name}-bom.csv").open(encoding="utf-8") as file:
            entries += [(entry["designators"].split()[0], entry) for entry in csv.DictReader(file)]
    compared = {ref: entry for ref, entry in entries if ref not in ("A1", "E1")}
    assert [
        ref
        for ref, entry in compared.items()
        if named.get(entry["value"], entry["value"]) not in f"{parts[ref]['name']} {parts[ref]['number']}"
    ] == []
    numbers = {ref: entry["maker's number"] for ref, entry in compared.items()}
    assert numbers == {ref: parts[ref]["number"] for ref in compared}
    assert len(entries) - len(compared) == 2


def test_every_bridge_and_every_touch_wire_is_in_the_list() -> None:
    holes = [hole for hole in strip.board(strip.drawing(), {}).parts if hole.footprint == "bridge"]
    bridges = len(holes) // 2 * 7
    (wire,) = [part for part in KIT["part"] if part["ref"] == "WIRE4"]
    assert f"{bridges} bridges" in wire["where"] and bridges == 56
    assert bridges * 20 <= 2000 and "2 m" in wire["name"]
    touch = [len(kit.pins(part)) * part["each"] for part in KIT["part"] if part.get("on") == "E1,E2"]
    (wires,) = [part for part in KIT["part"] if part["ref"] == "WIRE2"]
    assert f"{touch[0]} of them" in wires["where"] and "set of 40" in wires["type"] and touch[0] <= 40


def test_a_price_stands_once_and_of_every_number() -> None:
    numbers = {part["number"] for part in KIT["part"]}
    assert set(KIT["price"]) == numbers
    with pytest.raises(ValueError, match="price: A: no part has this number"):
        kit.check({**KIT, "price": {**KIT["price"], "A": 1.0}})
    some = dict(list(KIT["price"].items())[1:])
    with pytest.raises(ValueError, match=r"PCB1\.\.PCB8: price: expected EUR each of generated/strip"):
        kit.check({**KIT, "price": some})


def test_a_tool_is_for_a_step_that_there_is() -> None:
    tool = {"name": "hammer", "for": "strips, walls"}
    with pytest.raises(ValueError, match=r"tool: hammer: for: expected strips, .*, got walls"):
        kit.check({**KIT, "tool": [tool]})
    assert any("bench supply" in tool["name"] and "fuse" in tool["name"] for tool in KIT["tool"])


def test_the_first_screen_of_the_kit_is_one_that_the_case_is_drawn_for() -> None:
    (screen,) = [part for part in KIT["part"] if part["ref"] == "SCREEN1"]
    titles = [shown["title"] for shown in case.parameters()["screen"].values()]
    assert titles[0].startswith(screen["number"])
    assert any(title.split(",")[0] in screen["second"] for title in titles[1:])


def test_the_sums_are_those_of_the_parts() -> None:
    rows = list(csv.DictReader(io.StringIO(kit.bill(KIT))))
    total = sum(float(row["estimated EUR"]) for row in rows[:-1])
    assert float(rows[-1]["estimated EUR"]) == pytest.approx(total, abs=0.005)
    page = kit.page(KIT)
    assert f"**{total:.2f}**" in page
    assert sum(kit.cost(KIT, group["name"]) for group in KIT["group"]) == pytest.approx(total)
    for part in KIT["part"]:
        assert f"| {part['ref']} | " in page
    assert f"estimates of {KIT['estimated']}" in page


def test_the_supply_gives_what_the_table_draws_and_a_quarter_more() -> None:
    supplied, drawn = kit.amperes(KIT)
    assert supplied >= 1.25 * (drawn + BOARD_AND_LAMPS_A)


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("second", "", "U1..U64: second: expected a text"),
        ("number", None, "U1..U64: number: expected a text"),
        ("each", 63, "U1..U64: 64 refs, 63 pieces"),
        ("each", "64", "U1..U64: each: expected a number of pieces"),
        ("price", 0.95, "U1..U64: price: no such field"),
        ("group", "sensors", "U1..U64: group: expected one of strips, centre"),
        ("colour", "red", "U1..U64: colour: no such field"),
        ("ref", "C1..C64", "C1 is listed twice"),
    ],
)
def test_a_part_that_is_not_whole_is_refused_in_one_line(field: str, value: object, why: str) -> None:
    wrong: dict[str, Any] = copy.deepcopy(dict(KIT))
    (sensor,) = [part for part in wrong["part"] if part["ref"] == "U1..U64"]
    if value is None:
        del sensor[field]
    else:
        sensor[field] = value
    with pytest.raises(ValueError, match=why) as error:
        kit.check(wrong)
    assert "\n" not in str(error.value)


def test_prices_without_a_date_are_refused() -> None:
    with pytest.raises(ValueError, match="estimated: expected the prices' date"):
        kit.check({**KIT, "estimated": "soon"})

"""The kit: counted against netlist, plates and case, its sums, and what it refuses."""

from __future__ import annotations

import copy
import csv
import io
import re
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
    assert pieces("PLATE1") == len(drawings)
    holes = re.findall(rf'class="cut" cx="[\d.]+" cy="[\d.]+" r="{plates.SCREW / 2:g}"', drawings["base.svg"])
    assert pieces("SCREW1") == len(holes)
    assert pieces("BATTEN1") == 4
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
        ("price", 0, "U1..U64: price: expected EUR each"),
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

"""The model of both power-ups: a strip stays off whatever the parts' tolerances, and pages tell ranges."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from itertools import product
from pathlib import Path

import guide
import kit
import pinmap
import power_up
import pytest
from helpers.waiting import PATIENCE_S

PINS = pinmap.read()
VALUES = power_up.of_the_drawing(PINS)


@pytest.mark.parametrize("strips", [1, 2])
@pytest.mark.needs("ngspice")
def test_the_gates_range_holds_every_corner_that_a_simulator_computes(strips: int, tmp_path: Path) -> None:
    corners = []
    for supply_v, down_ohm, share in product(VALUES.supply_v, VALUES.pull_down_ohm, (0.95, 1.05)):
        rows = [f"* gate\nv1 vdd 0 {supply_v}", f"rp pin 0 {down_ohm}", f"rs pin gate {VALUES.series_ohm}"]
        rows += [f"r{number} vdd gate {VALUES.r1_ohm * share}" for number in range(1, strips + 1)]
        deck = tmp_path / "gate.cir"
        deck.write_text(
            "\n".join([*rows, ".op", ".control", "op", "print v(vdd)-v(gate)", ".endc", ".end", ""])
        )
        command = ["ngspice", "-b", str(deck)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        (value,) = re.findall(r"v\(vdd\)-v\(gate\) = ([\d.e+-]+)", done.stdout)
        corners.append(float(value))
    low, high = VALUES.switch_v(strips)
    assert low == pytest.approx(min(corners), abs=2e-4)
    assert high == pytest.approx(max(corners), abs=2e-4)


def test_no_strip_can_be_on_before_there_is_firmware() -> None:
    assert power_up.faults(VALUES) == []
    # The value that was drawn first, and the switch that was the second choice.
    assert "Q1 may conduct from 0.5 V" in power_up.faults(replace(VALUES, r1_ohm=10_000.0))[0]
    assert power_up.faults(replace(VALUES, least_threshold_v=0.3)) != []


def test_every_switch_that_the_kit_names_has_its_threshold() -> None:
    (switch,) = [part for part in PINS["part"] if "Q1" in kit.refs(part["ref"])]
    assert "none with a lower threshold" in switch["second"]
    assert f"threshold {switch['least_threshold_v']:g} to" in switch["type"]


def test_ranges_are_rounded_outwards() -> None:
    assert power_up.in_words((0.169, 0.3049), 2) == "0.16 to 0.31"
    assert power_up.in_words((4655.0, 5145.0), 1, 1000) == "4.6 to 5.2"


@pytest.mark.parametrize(("value", "ohm"), [("4k7", 4700), ("10k", 10_000), ("100R", 100), ("1k", 1000)])
def test_values_of_resistors(value: str, ohm: float) -> None:
    assert power_up.ohms(value) == ohm


def test_a_value_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match=r"4\.7: expected a resistance as 4k7"):
        power_up.ohms("4.7")


def test_a_block_that_nothing_writes_is_refused() -> None:
    with pytest.raises(ValueError, match="written: nonsense: expected one of cost"):
        guide.filled("<!-- written: nonsense -->\n<!-- end -->", {"cost": []})
    page = "a\n<!-- written: cost -->\nold\n<!-- end -->\nb\n"
    assert guide.filled(page, {"cost": ["new"]}) == "a\n<!-- written: cost -->\n\nnew\n\n<!-- end -->\nb\n"

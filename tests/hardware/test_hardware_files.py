"""Everything that is generated from the pin map agrees with it, and the map itself with electricity."""

from __future__ import annotations

import copy
import csv
import re
import subprocess
from pathlib import Path
from typing import Any

import forces
import generate
import listings
import nets
import overview
import pinmap
import pytest

from table_app import config

ROOT = Path(__file__).resolve().parents[2]


HARDWARE = pinmap.HERE
PINS: dict[str, Any] = dict(pinmap.read())


def test_every_generated_file_is_current() -> None:
    for path, text in generate.written(PINS).items():
        assert path.read_text("utf-8") == text, f"run `python hardware/generate.py` ({path.name})"


def test_the_firmware_reaches_each_square_once() -> None:
    groups = pinmap.groups(PINS)
    assert sorted(square for group in groups for square, *_ in group) == list(range(64))
    channels = {(multiplexer, channel) for group in groups for _, multiplexer, channel, _ in group}
    assert len(channels) == 64


def test_the_nets_pass_the_electrical_rules() -> None:
    assert nets.electrical_faults(nets.nets(PINS)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda nets: nets["S0"].remove(("M2", "S0")), "M2.S0: not connected"),
        (lambda nets: nets["S1"].append(("A1", "GP6")), "A1.GP6: on S0 and on S1"),
        (lambda nets: nets["OUT a1"].append(("U2", "OUT")), "OUT a1: driven by 2"),
        (lambda nets: nets.update({"LOOSE": [("C1", "3")]}), "LOOSE: joins nothing"),
    ],
)
def test_the_electrical_rules_find_what_is_wrong(change: Any, fault: str) -> None:
    joined = copy.deepcopy(nets.nets(PINS))
    change(joined)
    assert any(fault in found for found in nets.electrical_faults(joined))


@pytest.mark.parametrize(
    ("path", "value", "why"),
    [
        (("pico", "sda"), 6, "GPIO 6 is used 2 times"),
        (("pico", "address"), [6, 7, 8, 23], "expected a GPIO with a pin"),
        (("pico", "adc"), [26, 22], "adc: expected GPIO 26..28"),
        (("pi", "black_button"), 27, "GPIO 27 is used 2 times"),
        (("connector", "pins"), ["3V3"] * 12, "connector: pins: expected 3V3"),
        (("multiplexers", "adc"), [0, 0, 1], "one input for each enable line"),
    ],
)
def test_a_wrong_pin_map_is_refused_in_one_line(path: tuple[str, str], value: object, why: str) -> None:
    pins = copy.deepcopy(PINS)
    pins[path[0]][path[1]] = value
    with pytest.raises(ValueError, match=why) as error:
        pinmap.check(pins)
    assert "\n" not in str(error.value)


def test_a_row_left_out_or_twice_is_refused() -> None:
    pins = copy.deepcopy(PINS)
    pins["strip"][3]["row"] = 3
    with pytest.raises(ValueError, match="row 3 is used 2 times"):
        pinmap.check(pins)


def test_the_bill_counts_every_part_of_the_netlist() -> None:
    refs = {ref for ends in nets.nets(PINS).values() for ref, _ in ends if not ref.startswith("PLANE")}
    with (HARDWARE / "generated" / "parts.csv").open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["refs"]]
    for letter in "UCQRMJSD":
        wanted = sum(re.fullmatch(rf"{letter}\d+", ref) is not None for ref in refs)
        listed = sum(int(row["quantity"]) for row in rows if re.match(rf"{letter}\d", row["refs"]))
        assert listed == wanted, letter


def test_the_power_budget_fits_a_usb_port() -> None:
    drawn = listings.power_milliamperes(PINS)
    assert drawn["switched"] < 250
    assert drawn["unswitched"] > drawn["switched"]


def test_the_buttons_pins_are_keys_of_the_tables_configuration(tmp_path: Path) -> None:
    lines = (HARDWARE / "generated" / "table-pins.toml").read_text("utf-8")
    file = tmp_path / "table.toml"
    file.write_text(lines + f'state_dir = "{tmp_path}"\n', "utf-8")
    loaded = config.load({}, {}, file)
    names = ("black_button", "white_button", "black_lamp", "white_lamp")
    pins = (loaded.black_pin, loaded.white_pin, loaded.black_lamp, loaded.white_lamp)
    assert pins == tuple(PINS["pi"][name] for name in names)


@pytest.mark.needs("openscad")
@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("disc_jig.scad", []),
        *(("clock_case.scad", ["-D", f'part="{part}"']) for part in ("left", "right", "back left")),
    ],
)
def test_printed_parts_render_to_solids(name: str, options: list[str], tmp_path: Path) -> None:
    solid = tmp_path / "out.stl"
    command = ["openscad", "-q", "-o", solid, *options, "-D", "$fn=16", HARDWARE / name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    assert solid.stat().st_size > 5_000


def test_the_readme_names_only_files_that_exist() -> None:
    text = (HARDWARE / "README.md").read_text("utf-8")
    for name in re.findall(r"`([\w/.-]+\.(?:py|toml|scad|rules|txt|csv|yml))`", text):
        assert name.startswith("/etc/") or any((base / name).exists() for base in (ROOT, HARDWARE)), name


def test_every_picture_of_the_guide_is_there_and_small() -> None:
    named = re.findall(r"\((pictures/[\w.-]+)\)", (HARDWARE / "ASSEMBLY.md").read_text("utf-8"))
    assert {Path(name).name for name in named} == {path.name for path in (HARDWARE / "pictures").iterdir()}
    assert all((HARDWARE / name).stat().st_size < 60_000 for name in named)


def test_the_drawn_pictures_follow_the_pin_map() -> None:
    assert (HARDWARE / "pictures" / "cables.svg").read_text("utf-8") == overview.cables(PINS)
    assert (HARDWARE / "pictures" / "cut.svg").read_text("utf-8") == overview.cut()


def test_far_apart_magnets_pull_as_dipoles_do() -> None:
    assert forces.between(8, 1, 60) == pytest.approx(2 * forces.beside(8, 1, 60), rel=0.05)
    assert forces.between(8, 1, 7) < 2 * forces.beside(8, 1, 7)


def test_the_readmes_figures_are_those_of_the_map() -> None:
    text = (HARDWARE / "README.md").read_text("utf-8")
    assert f"**{listings.power_milliamperes(PINS)['switched']:.0f}**" in text
    total = (HARDWARE / "generated" / "parts.csv").read_text("utf-8").rstrip().split(",")[-2]
    assert f"{float(total):.0f} EUR" in text
    assert f"{forces.between(8, 1, 7):.2f} N" in text

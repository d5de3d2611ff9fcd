"""Everything that is generated from the pin map agrees with it, and the map itself with electricity."""

from __future__ import annotations

import copy
import csv
import math
import re
import subprocess
from pathlib import Path
from typing import Any

import centre
import forces
import listings
import nets
import overview
import pictures
import pinmap
import plates
import pytest
import strip
from helpers.waiting import PATIENCE_S

from simulator import board_model
from table_app import config

ROOT = Path(__file__).resolve().parents[2]


HARDWARE = pinmap.HERE
PINS: dict[str, Any] = dict(pinmap.read())


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
    assert any(fault in line for line in nets.electrical_faults(joined))


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
    for letter in ("U", "C", "Q", "R", "RN", "M", "J", "X", "Z", "S", "D"):
        wanted = sum(re.fullmatch(rf"{letter}\d+", ref) is not None for ref in refs)
        listed = sum(int(row["quantity"]) for row in rows if re.match(rf"{letter}\d", row["refs"]))
        assert listed == wanted > 0, letter


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
@pytest.mark.parametrize("name", ["disc_jig.scad", "disc_half.scad"])
def test_jig_and_disc_render_to_solids(name: str, tmp_path: Path) -> None:
    solid = tmp_path / "out.stl"
    command: list[str | Path] = ["openscad", "-q", "-o", solid, "-D", "$fn=16", HARDWARE / name]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    assert solid.stat().st_size > 1_000


def test_a_disc_fits_its_jig_its_recess_and_its_magnet() -> None:
    def figure(file: str, name: str) -> float:
        (text,) = re.findall(rf"^{name} = ([\d.]+);", (HARDWARE / file).read_text("utf-8"), re.M)
        return float(text)

    disc = figure("disc_half.scad", "disc_diameter")
    assert 0.2 <= figure("disc_jig.scad", "disc_diameter") - disc <= 1
    # A disc lies 1.5 mm beside the middle of its recess at most.
    assert 0 < plates.RECESS - disc <= 2 * 1.5
    assert figure("disc_half.scad", "half_high") == figure("disc_jig.scad", "disc_depth")
    assert figure("disc_half.scad", "magnet_diameter") == figure("disc_jig.scad", "magnet_diameter")
    magnet = 2 * board_model.MAGNET_RADIUS_MM, board_model.MAGNET_THICKNESS_MM
    assert 0.1 <= figure("disc_half.scad", "magnet_diameter") - magnet[0] <= 0.4
    assert 0 < figure("disc_half.scad", "magnet_high") - magnet[1] <= 0.2


def test_the_readme_names_only_files_that_exist() -> None:
    text = (HARDWARE / "README.md").read_text("utf-8")
    names = re.findall(r"`([\w/.-]+\.(?:py|toml|scad|rules|txt|csv|yml))`", text)
    assert names
    for name in names:
        assert name.startswith("/etc/") or any((base / name).exists() for base in (ROOT, HARDWARE)), name


def test_every_picture_of_the_guide_is_there_and_small() -> None:
    named = re.findall(r"\((pictures/[\w.-]+)\)", (HARDWARE / "ASSEMBLY.md").read_text("utf-8"))
    assert {Path(name).name for name in named} == {path.name for path in (HARDWARE / "pictures").iterdir()}
    assert all((HARDWARE / name).stat().st_size < 60_000 for name in named)


def test_the_drawn_pictures_follow_the_pin_map() -> None:
    drawn = {"cables.svg": overview.cables(PINS), **pictures.drawn_steps(PINS)}
    for name, text in drawn.items():
        assert (HARDWARE / "pictures" / name).read_text("utf-8") == text, name


def test_far_apart_magnets_pull_as_dipoles_do() -> None:
    assert forces.between(8, 1, 60) == pytest.approx(2 * forces.beside(8, 1, 60), rel=0.05)
    assert forces.between(8, 1, 7) < 2 * forces.beside(8, 1, 7)


def whole_integral(height_mm: float, offset_mm: float) -> float:
    """Return the field of both faces of the model's magnet, piece by piece."""
    rings, spokes = 40, 80

    def face(away: float) -> float:
        total = 0.0
        for ring in range(rings):
            radius = board_model.MAGNET_RADIUS_MM * (ring + 0.5) / rings
            for spoke in range(spokes):
                angle = math.tau * (spoke + 0.5) / spokes
                beside = (offset_mm - radius * math.cos(angle)) ** 2 + (radius * math.sin(angle)) ** 2
                total += radius / (beside + away**2) ** 1.5
        return away * total * board_model.MAGNET_RADIUS_MM / rings * math.tau / spokes / (4 * math.pi)

    thick = board_model.MAGNET_THICKNESS_MM
    return board_model.REMANENCE_MT * (face(height_mm) - face(height_mm + thick))


@pytest.mark.parametrize("height_mm", [4, 6, 8, 21])
@pytest.mark.parametrize("offset_mm", [0, 0.75, 1.5, 3, 5, 38])
def test_the_models_field_is_that_of_the_whole_magnet(height_mm: float, offset_mm: float) -> None:
    on_axis = board_model.field_mt(height_mm, 0)
    field = board_model.field_mt(height_mm, offset_mm)
    assert field == pytest.approx(whole_integral(height_mm, offset_mm), abs=0.01 * on_axis)


def test_the_readmes_field_is_the_models() -> None:
    text = (HARDWARE / "README.md").read_text("utf-8")
    field = board_model.field_mt
    lies = field(6, 0)
    assert (
        f"{lies:.1f} mT ({field(5, 0):.0f} at 5 mm, {field(7, 0):.0f} at 7, {field(4, 0):.0f} at 4)" in text
    )
    counts = lies * board_model.MILLIVOLTS_PER_MILLITESLA * board_model.FULL_SCALE / board_model.SUPPLY_MV
    assert counts == pytest.approx(870, abs=10)
    assert f"{field(5, 0) * 1.08 * 1.05:.0f} mT: still in range" in text
    around = 4 * field(6, 38) + 4 * field(6, 38 * math.sqrt(2))
    assert f"{-around:.2f} mT = {-around * counts / lies:.0f} counts" in text
    assert f"play of a recess) | {100 * field(6, 1.5) / lies:.0f} %" in text
    assert f"off the middle | {100 * field(6, 2) / lies:.0f} % / {100 * field(6, 4) / lies:.0f} %" in text
    assert f"2 mm above its place | {100 * field(8, 0) / lies:.0f} %" in text


def test_the_assembly_guide_wires_what_the_map_says() -> None:
    text = (HARDWARE / "ASSEMBLY.md").read_text("utf-8")
    pico, box = PINS["pico"], PINS["connector"]["pins"]

    def pins(numbers: list[int], joined: str = ", ") -> str:
        return joined.join(f"GP{number}" for number in numbers)

    assert f"| Pico {pins(pico['address'])} | S0, S1, S2, S3" in text
    assert f"| Pico {pins(pico['enable'])} | E of M0, M1, M2, M3 |" in text
    groups = [[strip["row"] for strip in PINS["strip"] if strip["group"] == group] for group in range(4)]
    strips = ", ".join(f"{first} and {second}" for first, second in groups)
    assert f"| Pico {pins(pico['power'])} | pin {box.index('PWR') + 1} of strips {strips} |" in text
    assert PINS["multiplexers"]["adc"] == [0, 0, 1, 1]
    assert f"| Pico {pins(pico['adc'], '; ')} | SIG of M0 and M1; of M2 and M3 |" in text
    assert f"| Pico {pins([pico['sda'], pico['scl']])} | SDA, SCL" in text
    assert f"ELE0 to ELE7 to pin {box.index('ROW') + 1} of strips 1 to 8" in text
    assert f"pins {box.index('3V3') + 1} and {box.index('GND') + 1} of all eight strips" in text
    assert f"pins {' '.join(str(box.index(column) + 1) for column in 'abcdefgh')} (a to h)" in text
    assert all(strip["channel"] == (0 if strip["row"] % 2 else 8) for strip in PINS["strip"])


def circles(name: str, kind: str) -> dict[float, set[tuple[float, float]]]:
    """Return radius -> middles of a plate's circles."""
    text = (HARDWARE / "generated" / "plates" / name).read_text("utf-8")
    middles: dict[float, set[tuple[float, float]]] = {}
    for x, y, radius in re.findall(
        rf'<circle class="{kind}" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"/>', text
    ):
        middles.setdefault(float(radius), set()).add((float(x), float(y)))
    return middles


def test_recesses_lie_over_the_sensors_and_rings_under_the_strips_holes() -> None:
    # A strip lies upside down when the floor is seen from below: left is right, up stays up.
    drawn = strip.drawing()
    board = strip.board(drawn, {})
    wide, _ = plates.size(drawn)
    (sensor,) = [part["at"] for part in drawn["square"]["part"] if part["ref"] == "U"]
    assert sensor[1] == board.width / 2
    lefts = [drawn["board"]["first_square"] + 38 * column for column in range(8)]
    middles = {
        (plates.BESIDE + left + sensor[0], plates.BESIDE + 38 * row + 19)
        for row in range(8)
        for left in lefts
    }
    assert circles("top.svg", "cut")[plates.RECESS / 2] == middles
    (rings,) = circles("floor-from-below.svg", "engraved").values()
    seen = {
        (wide - plates.BESIDE - hole.place[0], plates.BESIDE + 38 * row + 19)
        for hole in board.holes
        if not hole.net and hole.diameter > 3
        for row in range(8)
    }
    assert rings == seen
    screws = [
        circles(name, "cut")[plates.SCREW / 2] for name in ("top.svg", "floor-from-below.svg", "base.svg")
    ]
    assert screws[0] == screws[1] == screws[2] - {plates.clip(drawn)}
    assert all((wide - x, y) in screws[0] for x, y in screws[0]), "turned over they match too"


def test_the_battens_holes_are_those_of_the_plates_and_the_notch_lets_the_cable_out() -> None:
    drawn = strip.drawing()
    wide, high = plates.size(drawn)
    screws = circles("top.svg", "cut")[plates.SCREW / 2]
    row_1, row_8, left, right = plates.battens(drawn)
    inside = plates.BESIDE
    edge = plates.BESIDE / 2
    drilled = {(hole, edge) for hole in row_1.holes} | {(hole, high - edge) for hole in row_8.holes}
    drilled |= {(edge, inside + hole) for hole in left.holes}
    drilled |= {(wide - edge, inside + hole) for hole in right.holes}
    assert drilled == screws
    assert row_1.length == wide and left.length == high - 2 * inside
    # The cable leaves the Pico's socket straight towards row 1; its clip is beside it, and no screw in its way.
    x, y = plates.usb(drawn)
    assert row_1.notch == x and y > 3 * inside, "room for plug and clip"
    assert all(abs(x - hole) > plates.NOTCH for hole in row_1.holes)
    clip_x, clip_y = plates.clip(drawn)
    assert 5 < clip_x - x < 12 and inside + 5 < clip_y < y - 30
    assert (clip_x, clip_y) in circles("base.svg", "cut")[plates.SCREW / 2]
    (pico,) = [part for part in centre.placed(centre.drawing()) if part.ref == "A1"]
    assert x == plates.BESIDE + plates.CENTRE_LEFT + pico.place[0]


def test_letters_on_the_plates_are_lines() -> None:
    for path in (HARDWARE / "generated" / "plates").iterdir():
        text = path.read_text("utf-8")
        assert "<text" not in text and "font" not in text, path.name
        assert all("M" in line for line in re.findall(r'<path class="engraved" d="([^"]*)"', text))
    assert (HARDWARE / "generated" / "plates" / "top.svg").read_text("utf-8").count("<title>") == 16


def test_the_readmes_figures_are_those_of_the_map() -> None:
    text = (HARDWARE / "README.md").read_text("utf-8")
    assert f"**{listings.power_milliamperes(PINS)['switched']:.0f}**" in text
    assert f"{forces.between(8, 1, 7):.2f} N" in text

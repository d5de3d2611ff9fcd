"""The clock's case: what fits is rendered, what does not is named, and no press makes it slide or tip."""

from __future__ import annotations

import copy
import math
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import case
import forces
import pytest
from helpers.waiting import PATIENCE_S

HARDWARE = case.PARAMETERS.parent
DRAWN = case.parameters()
SCREENS = list(DRAWN["screen"])


@pytest.mark.parametrize("screen", SCREENS)
def test_everything_fits_into_the_case(screen: str) -> None:
    assert case.faults(DRAWN, screen) == []


def put(*path: str, to: object) -> Callable[[dict[str, Any]], None]:
    """Return a change of one parameter."""

    def change(drawn: dict[str, Any]) -> None:
        *sections, name = path
        for section in sections:
            drawn = drawn[section]
        drawn[name] = to

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (put("screen", "uc595", "view", to=[166.0, 86.0]), "window as wide as the glass"),
        (put("screen", "uc595", "view", to=[155.0, 100.0]), "window as high as the glass"),
        (put("screen", "uc595", "lugs", to=[159.5, 114.0]), "posts of the lugs stand in the wall (high)"),
        (put("screen", "uc595", "lugs", to=[150.0, 90.0]), "the screen and a post of the screen's"),
        (put("screen", "uc595", "plugs", to=30.0), "the screen's plugs and the Pi"),
        (put("button", "room", to=55.0), "a button's cap lies over the screen"),
        (put("button", "behind", to=60.0), "a button does not fit into the case"),
        (put("button", "nut", to=20.0), "a button's nut falls through its hole"),
        (put("pi", "plugs_beside", to=70.0), "a button and the Pi's USB plugs are at one place"),
        (put("pi", "middle", to=[0.0, 40.0]), "the Pi does not fit into the case"),
        (put("case", "depth", to=40.0), "the screen's plugs and the Pi"),
        (put("case", "step", to=3.0), "nothing of the face is left"),
        (put("case", "foot_beside", to=60.0), "tips the clock to the side"),
        (put("case", "foot_beside", to=2.0), "a foot is not under the case"),
        (put("bumper", "diameter", to=20.0), "the rubber is wider than a foot"),
    ],
)
def test_what_does_not_fit_is_named_and_nothing_is_written(
    change: Callable[[dict[str, Any]], None], fault: str
) -> None:
    drawn = copy.deepcopy(DRAWN)
    change(drawn)
    faults = case.faults(drawn, "uc595")
    assert any(fault in line for line in faults), faults
    with pytest.raises(ValueError, match=r"case\.toml: uc595: "):
        case.files(drawn)


@pytest.mark.parametrize("screen", SCREENS)
def test_no_press_on_a_button_slides_or_tips_the_clock(screen: str) -> None:
    clock = case.standing(DRAWN, screen)
    hardest_n = DRAWN["standing"]["press_n"]
    assert forces.slides_at(clock, DRAWN["standing"]["friction"]) >= 2 * hardest_n
    assert forces.tips_at(clock) >= 2 * hardest_n
    # The centre of mass lies between the feet, a quarter of their distance from either at least.
    assert clock.rear / 4 < clock.centre < 3 * clock.rear / 4


def test_a_face_that_stands_steeper_slides() -> None:
    # As the case was drawn first: 30 degrees from upright. A firm press pushed it across the table.
    drawn = copy.deepcopy(DRAWN)
    drawn["case"]["lean"] = 30.0
    friction = drawn["standing"]["friction"]
    assert forces.slides_at(case.standing(drawn, "uc595"), friction) < drawn["standing"]["press_n"]


def test_the_pages_say_what_the_parameters_give() -> None:
    readme, assembly = (
        " ".join((HARDWARE / name).read_text("utf-8").split()) for name in ("README.md", "ASSEMBLY.md")
    )
    clock, friction = case.standing(DRAWN, "uc595"), DRAWN["standing"]["friction"]
    slides_n, tips_n = forces.slides_at(clock, friction), forces.tips_at(clock)
    assert f"leans back by {DRAWN['case']['lean']:g} degrees slides from {slides_n:.0f} N on" in readme
    assert f"tips over its rear feet from {tips_n:.0f} N on" in readme
    assert f"up to {math.degrees(math.atan(friction)):.0f} degrees (a friction of {friction:g})" in readme
    assert f"in one piece ({case.size(DRAWN, 'uc595')[0]:g} mm)" in assembly
    screens = (HARDWARE / "SCREENS.md").read_text("utf-8")
    assert all(f"[screen.{screen}]" in screens for screen in SCREENS)


def test_a_press_slides_where_its_share_along_the_table_exceeds_the_friction_of_its_share_downwards() -> None:
    clock = case.Standing(0, 100, (40, 90), (50, 120), 50, weight_n=8.0, lean_degrees=45)
    press_n = forces.slides_at(clock, 0.5)
    share = math.sqrt(0.5)
    assert press_n * share == pytest.approx(0.5 * (8.0 + press_n * share))
    assert forces.slides_at(clock, 1.1) == math.inf


def test_a_press_tips_where_its_moment_about_the_rear_feet_is_that_of_the_weight() -> None:
    clock = case.Standing(0, 100, (40, 90), (50, 120), 50, weight_n=8.0, lean_degrees=45)
    # It meets the table 70 mm behind the rear feet.
    assert forces.tips_at(clock) * 70 * math.sqrt(0.5) == pytest.approx(8.0 * 50)
    flat = case.Standing(0, 100, (40, 90), (50, 10), 50, weight_n=8.0, lean_degrees=45)
    assert forces.tips_at(flat) == math.inf


@pytest.mark.parametrize("screen", SCREENS)
def test_a_foot_holds_the_case_and_lies_flat_on_the_table(screen: str) -> None:
    lean = math.radians(DRAWN["case"]["lean"])
    outline = case.foot(DRAWN, screen)
    heights = [case.above_edge(depth, up, lean) for depth, up in outline]
    assert heights[-1] == pytest.approx(heights[-2], abs=0.01)
    lowest_of_case = case.above_edge(DRAWN["case"]["depth"], 0, lean)
    assert heights[-1] == pytest.approx(lowest_of_case - DRAWN["case"]["sole"], abs=0.01)
    # Its angle is the case's lower rear edge.
    assert outline[1] == (DRAWN["case"]["depth"], 0.0)


def render(screen: str, part: str, folder: Path) -> str:
    """Return the solid of a part as OpenSCAD writes it."""
    source = folder / "case.scad"
    text = (HARDWARE / "clock_case.scad").read_text("utf-8")
    source.write_text(text.replace("case/uc595.scad", f"case/{screen}.scad"), "utf-8")
    solid = folder / "out.stl"
    command: list[str | Path] = [
        "openscad",
        "-q",
        "-o",
        solid,
        "-D",
        f'part="{part}"',
        "-D",
        "$fn=16",
        source,
    ]
    paths = {**os.environ, "OPENSCADPATH": str(HARDWARE)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=paths)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return solid.read_text("ascii")


def corners(solid: str) -> list[tuple[float, ...]]:
    return [tuple(map(float, line.split())) for line in re.findall(r"vertex (\S+ \S+ \S+)", solid)]


@pytest.mark.needs("openscad")
@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("part", ["left", "right", "back left", "back right", "foot"])
@pytest.mark.long
def test_every_part_renders_to_a_solid_for_every_screen(screen: str, part: str, tmp_path: Path) -> None:
    points = corners(render(screen, part, tmp_path))
    wide, high = case.size(DRAWN, screen)
    reach = [max(point[axis] for point in points) - min(point[axis] for point in points) for axis in range(3)]
    if part == "foot":
        assert reach[2] == pytest.approx(DRAWN["case"]["foot_width"])
    else:
        assert reach[0] == pytest.approx(wide / 2, abs=3.5)
        assert reach[1] == pytest.approx(high, abs=7)


@pytest.mark.needs("openscad")
@pytest.mark.long
def test_the_mass_that_the_forces_reckon_with_is_not_more_than_the_solids(tmp_path: Path) -> None:
    def volume_cm3(part: str) -> float:
        points = corners(render("uc595", part, tmp_path))
        faces = zip(points[::3], points[1::3], points[2::3], strict=True)
        return (
            sum(
                (
                    a[0] * (b[1] * c[2] - b[2] * c[1])
                    - a[1] * (b[0] * c[2] - b[2] * c[0])
                    + a[2] * (b[0] * c[1] - b[1] * c[0])
                )
                / 6
                for a, b, c in faces
            )
            / 1000
        )

    solid_g = DRAWN["standing"]["density_g_cm3"] * (
        volume_cm3("body") + volume_cm3("back") + 2 * volume_cm3("foot") / 3
    )
    assert 0.85 * solid_g < case.printed_g(DRAWN, "uc595") <= 1.05 * solid_g

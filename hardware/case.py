"""The clock's case: `case.toml` checked (does all fit?), its parameters for OpenSCAD, its mass and how it stands.

Coordinates of the checks: x to the right, y up along the face, both from its middle; z from the face into the case.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

PARAMETERS = Path(__file__).with_name("case.toml")
# A post of the screen's, of the back's, and the screws' threads in them.
SCREEN_POST, BACK_POST = 6.0, 9.0
_EDGE = 1.0

Drawn = Mapping[str, Any]


@dataclass(frozen=True)
class Box:
    """A part's room: two opposite corners."""

    name: str
    low: tuple[float, float, float]
    high: tuple[float, float, float]

    def overlaps(self, other: Box) -> bool:
        return all(
            self.low[axis] < other.high[axis] - 1e-6 and other.low[axis] < self.high[axis] - 1e-6
            for axis in range(3)
        )


@dataclass(frozen=True)
class Standing:
    """The side view of a clock on a table: places along the table from its front foot, and heights, in millimetres."""

    # Where the two feet touch the table.
    front: float
    rear: float
    # The point of the face's middle, and the highest point of a button's cap.
    middle: tuple[float, float]
    cap_top: tuple[float, float]
    # Of the centre of mass, along the table.
    centre: float
    weight_n: float
    lean_degrees: float


def parameters() -> dict[str, Any]:
    return tomllib.loads(PARAMETERS.read_text("utf-8"))


def size(drawn: Drawn, screen: str) -> tuple[float, float]:
    """Return the face's width and height."""
    shown, case = drawn["screen"][screen], drawn["case"]
    tall = max(shown["tall"], shown["glass"][1])
    return shown["glass"][0] + 2 * drawn["button"]["room"], tall + 2 * (case["wall"] + _EDGE)


def faults(drawn: Drawn, screen: str) -> list[str]:
    """Return what does not fit in a case for this screen, one line each."""
    shown, case, button = drawn["screen"][screen], drawn["case"], drawn["button"]
    wide, high = size(drawn, screen)
    lines = []
    for axis, side in enumerate(("wide", "high")):
        if shown["view"][axis] >= shown["glass"][axis]:
            lines.append(f"{screen}: window as {side} as the glass: nothing holds it")
        if shown["glass"][axis] + 2 * case["play"] > (wide, high)[axis] - 2 * case["wall"]:
            lines.append(f"{screen}: glass does not fit into the face ({side})")
        if shown["lugs"][axis] + SCREEN_POST > (wide, high)[axis] - 2 * case["wall"] + 1e-6:
            lines.append(f"{screen}: posts of the lugs stand in the wall ({side})")
    if button["room"] < button["cap"] + 2 * _EDGE or button["cap"] + 2 * _EDGE > high:
        lines.append(f"{screen}: a button's cap lies over the screen or the edge")
    if button["hole"] >= button["nut"]:
        lines.append(f"{screen}: a button's nut falls through its hole")
    if case["step"] >= case["wall"]:
        lines.append(f"{screen}: nothing of the face is left before the glass")
    if (
        case["foot_beside"] + case["foot_width"] / 2 > wide / 2
        or case["foot_beside"] < case["foot_width"] / 2
    ):
        lines.append(f"{screen}: a foot is not under the case")
    if wide / 2 - case["foot_beside"] < button_x(drawn, screen):
        lines.append(f"{screen}: a press on a button tips the clock to the side: feet lie further in")
    if drawn["bumper"]["diameter"] > case["foot_width"]:
        lines.append(f"{screen}: the rubber is wider than a foot")
    room = _room(drawn, screen)
    parts = list(boxes(drawn, screen))
    for part in parts:
        inside = all(
            room.low[axis] - 1e-6 <= part.low[axis] and part.high[axis] <= room.high[axis] + 1e-6
            for axis in range(3)
        )
        if not inside:
            lines.append(f"{screen}: {part.name} does not fit into the case")
    lines += [
        f"{screen}: {part.name} and {other.name} are at one place"
        for part, other in combinations(parts, 2)
        if part.overlaps(other)
    ]
    return lines


def button_x(drawn: Drawn, screen: str) -> float:
    """Return the distance of a button's middle from the face's."""
    return float((drawn["screen"][screen]["glass"][0] + drawn["button"]["room"]) / 2)


def _room(drawn: Drawn, screen: str) -> Box:
    wide, high = size(drawn, screen)
    case = drawn["case"]
    x, y = wide / 2 - case["wall"], high / 2 - case["wall"]
    # The glass lies in the face's step.
    return Box("inside", (-x, -y, case["wall"] - case["step"]), (x, y, case["depth"] - case["wall"]))


def boxes(drawn: Drawn, screen: str) -> Iterator[Box]:
    """Yield the room of every part in the case."""
    shown, case, button, pi = drawn["screen"][screen], drawn["case"], drawn["button"], drawn["pi"]
    front = case["wall"] - case["step"]
    x, y = (side / 2 for side in shown["glass"])
    behind = front + shown["thick"]
    yield Box("the screen", (-x, -y, front), (x, y, behind))
    yield Box("the screen's plugs", (-x, -y, behind), (x, y, behind + shown["plugs"]))
    for side in (-1, 1):
        for up in (-1, 1):
            place = side * shown["lugs"][0] / 2, up * shown["lugs"][1] / 2
            yield _post("a post of the screen's", place, SCREEN_POST, case["wall"], behind)
            place = side * back_post(drawn, screen)[0], up * back_post(drawn, screen)[1]
            yield _post("a post of the back's", place, BACK_POST, case["wall"], case["depth"] - case["wall"])
        middle = side * button_x(drawn, screen)
        yield _post("a button", (middle, 0.0), button["nut"], case["wall"], button["behind"])
    top = case["depth"] - case["wall"]
    bottom = top - pi["stands"] - pi["high"]
    (left, low), (right, above) = (
        tuple(pi["middle"][axis] + sign * pi["board"][axis] / 2 for axis in (0, 1)) for sign in (-1, 1)
    )
    yield Box("the Pi", (left, low, bottom), (right, above, top))
    yield Box("the Pi's power and HDMI plugs", (left, low - pi["plugs_below"], bottom), (right, low, top))
    yield Box("the Pi's USB plugs", (right, low, bottom), (right + pi["plugs_beside"], above, top))


def _post(name: str, place: tuple[float, float], wide: float, front: float, back: float) -> Box:
    x, y = place
    return Box(name, (x - wide / 2, y - wide / 2, front), (x + wide / 2, y + wide / 2, back))


def back_post(drawn: Drawn, screen: str) -> tuple[float, float]:
    """Return where the posts stand to which the back is screwed: in the corners."""
    wide, high = size(drawn, screen)
    inset = drawn["case"]["wall"] + BACK_POST / 2
    return wide / 2 - inset, high / 2 - inset


def foot(drawn: Drawn, screen: str) -> list[tuple[float, float]]:
    """Return a foot's outline, as (depth from the face, height from the lower edge): the case lies in its angle."""
    case = drawn["case"]
    lean, depth = math.radians(case["lean"]), case["depth"]
    _, high = size(drawn, screen)
    table = -depth * math.sin(lean) - case["sole"]
    front = along_table(10.0, 0.0, lean)
    rear = along_table(depth, high - 12.0, lean) + case["foot_behind"]
    return [
        (10.0, 0.0),
        (depth, 0.0),
        (depth, high - 12.0),
        *(_of_side_view(y, z, lean) for y, z in ((rear, table + 8.0), (rear, table), (front, table))),
    ]


def along_table(depth: float, up: float, lean: float) -> float:
    """Return how far behind the face's lower edge a point of the case is, along the table."""
    return up * math.sin(lean) + depth * math.cos(lean)


def above_edge(depth: float, up: float, lean: float) -> float:
    """Return how far above the face's lower edge a point of the case is."""
    return up * math.cos(lean) - depth * math.sin(lean)


def _of_side_view(along: float, above: float, lean: float) -> tuple[float, float]:
    return (
        round(along * math.cos(lean) - above * math.sin(lean), 3),
        round(along * math.sin(lean) + above * math.cos(lean), 3),
    )


def printed_g(drawn: Drawn, screen: str) -> float:
    """Return the mass of body, back and feet, printed solid but for the feet, which are a third filled."""
    case, button, shown = drawn["case"], drawn["button"], drawn["screen"][screen]
    wide, high = size(drawn, screen)
    holes = shown["view"][0] * shown["view"][1] + 2 * math.pi * (button["hole"] / 2) ** 2
    face = (wide * high - holes) * case["wall"]
    sides = 2 * (wide + high) * case["wall"] * (case["depth"] - case["wall"])
    back = 0.9 * wide * high * case["wall"]
    feet = 2 * _area(foot(drawn, screen)) * case["foot_width"] / 3
    return float((face + sides + back + feet) / 1000 * drawn["standing"]["density_g_cm3"])


def _area(outline: list[tuple[float, float]]) -> float:
    ends = zip(outline, outline[1:] + outline[:1], strict=True)
    return abs(sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in ends)) / 2


def standing(drawn: Drawn, screen: str) -> Standing:
    """Return how the clock stands; heights are above the table."""
    case, bumper = drawn["case"], drawn["bumper"]
    lean = math.radians(case["lean"])
    _, high = size(drawn, screen)
    outline = foot(drawn, screen)
    (front_depth, front_up), (rear_depth, rear_up) = outline[-1], outline[-2]
    ground = above_edge(front_depth, front_up, lean) - bumper["high"]
    front = along_table(front_depth, front_up, lean) + bumper["diameter"] / 2
    rear = along_table(rear_depth, rear_up, lean) - bumper["diameter"] / 2

    def place(depth: float, up: float) -> tuple[float, float]:
        return along_table(depth, up, lean) - front, above_edge(depth, up, lean) - ground

    return Standing(
        front=0.0,
        rear=rear - front,
        middle=place(0.0, high / 2),
        cap_top=place(-drawn["button"]["cap_high"], high / 2 + drawn["button"]["cap"] / 2),
        # The middle of the case; the Pi behind and the screen before it are of like mass.
        centre=place(case["depth"] / 2, high / 2)[0],
        weight_n=(printed_g(drawn, screen) + drawn["standing"]["loose_g"]) / 1000 * 9.81,
        lean_degrees=case["lean"],
    )


def scad_values(drawn: Drawn, screen: str) -> dict[str, Any]:
    """Return the parameters of `clock_case.scad` for a screen."""
    shown, case, button, pi = drawn["screen"][screen], drawn["case"], drawn["button"], drawn["pi"]
    wide, high = size(drawn, screen)
    return {
        "width": wide,
        "height": high,
        "depth": case["depth"],
        "wall": case["wall"],
        "step": case["step"],
        "play": case["play"],
        "lean": case["lean"],
        "glass": shown["glass"],
        "view": shown["view"],
        "thick": shown["thick"],
        "lugs": shown["lugs"],
        "button_x": button_x(drawn, screen),
        "button_hole": button["hole"],
        "button_cap": button["cap"],
        "button_cap_high": button["cap_high"],
        "pi_holes": pi["holes"],
        "pi_board": pi["board"],
        "pi_middle": pi["middle"],
        "pi_hole_left": pi["hole_left"],
        "pi_stands": pi["stands"],
        "back_post": list(back_post(drawn, screen)),
        "foot_width": case["foot_width"],
        "foot_x": wide / 2 - case["foot_beside"],
        "foot_outline": [list(point) for point in foot(drawn, screen)],
    }


def scad(drawn: Drawn, screen: str) -> str:
    """Return the parameters as an OpenSCAD file, which `clock_case.scad` includes."""
    lines = [
        f"// {drawn['screen'][screen]['title']}: written by hardware/generate.py from hardware/case.toml."
    ]
    lines += [
        f"{name} = {json.dumps(value) if isinstance(value, list) else format(value, 'g')};"
        for name, value in scad_values(drawn, screen).items()
    ]
    return "\n".join(lines) + "\n"


def files(drawn: Drawn) -> dict[str, str]:
    """Return the parameters by their file's name, one for each screen. Raise ValueError if a part does not fit."""
    for screen in drawn["screen"]:
        for fault in faults(drawn, screen):
            raise ValueError(f"case.toml: {fault}")
    return {f"{screen}.scad": scad(drawn, screen) for screen in drawn["screen"]}

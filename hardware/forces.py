"""The force between two discs' magnets, for whoever chooses a magnet, and the press at which a clock slides or tips:
`python hardware/forces.py`.

Each magnet is two faces of magnetic charge; the faces' pull on each other is summed over rings. Millimetres, newtons.
"""

from __future__ import annotations

import math

import case

REMANENCE_T = 1.3
_MU0 = 4e-7 * math.pi
_RINGS, _SPOKES = 12, 24


def between(diameter_mm: float, thickness_mm: float, apart_mm: float) -> float:
    """Return the pull along the axis of two equal magnets whose middles are `apart_mm` apart, same side up."""
    total = 0.0
    for face, face_sign in ((thickness_mm / 2, 1), (-thickness_mm / 2, -1)):
        for other, other_sign in ((apart_mm + thickness_mm / 2, 1), (apart_mm - thickness_mm / 2, -1)):
            total -= face_sign * other_sign * _faces(diameter_mm / 2e3, (other - face) / 1e3)
    return total


def beside(diameter_mm: float, thickness_mm: float, apart_mm: float) -> float:
    """Return the push of two magnets side by side, far apart against their size: dipoles."""
    moment = REMANENCE_T / _MU0 * math.pi * (diameter_mm / 2e3) ** 2 * thickness_mm / 1e3
    return 3 * _MU0 * moment**2 / (4 * math.pi * (apart_mm / 1e3) ** 4)


def _faces(radius_m: float, height_m: float) -> float:
    """Return the force along the axis with which two faces of equal charge push each other."""
    points = []
    for ring in range(_RINGS):
        distance = radius_m * (ring + 0.5) / _RINGS
        area = math.pi * radius_m**2 * ((ring + 1) ** 2 - ring**2) / _RINGS**2 / _SPOKES
        for spoke in range(_SPOKES):
            angle = 2 * math.pi * (spoke + 0.5 * (ring % 2)) / _SPOKES
            points.append((distance * math.cos(angle), distance * math.sin(angle), area))
    push = 0.0
    for x, y, area in points[:: _SPOKES // 2]:
        # Half of a turn is enough of one face: the rest is alike.
        for u, v, other in points:
            far = math.sqrt((x - u) ** 2 + (y - v) ** 2 + height_m**2)
            push += area * other * (_SPOKES // 2) * height_m / far**3
    return push * REMANENCE_T**2 / (4 * math.pi * _MU0)


def slides_at(clock: case.Standing, friction: float) -> float:
    """Return the press on a button, straight into the face, from which the clock slides on its table; infinity if it
    never does.
    """
    lean = math.radians(clock.lean_degrees)
    away = math.cos(lean) - friction * math.sin(lean)
    return friction * clock.weight_n / away if away > 0 else math.inf


def tips_at(clock: case.Standing) -> float:
    """Return the press on a cap's upper rim, straight into the face, from which the clock tips over its rear feet."""
    lean = math.radians(clock.lean_degrees)
    along, above = clock.cap_top
    meets_table = along + above / math.tan(lean)
    arm = (meets_table - clock.rear) * math.sin(lean)
    return clock.weight_n * (clock.rear - clock.centre) / arm if arm > 0 else math.inf


def main() -> None:
    for diameter, thickness in ((8, 1), (6, 1), (5, 1)):
        stacked = ", ".join(f"{apart} mm {between(diameter, thickness, apart):.2f} N" for apart in (6, 7, 8))
        print(
            f"{diameter} x {thickness} mm: stacked {stacked}; beside, 38 mm {beside(diameter, thickness, 38):.5f} N"
        )
    drawn = case.parameters()
    friction = drawn["standing"]["friction"]
    for screen in drawn["screen"]:
        clock = case.standing(drawn, screen)
        print(
            f"clock with {screen}: {clock.weight_n:.1f} N; at a friction of {friction:g} it slides from "
            f"{slides_at(clock, friction):.0f} N on; it tips from {tips_at(clock):.0f} N on"
        )


if __name__ == "__main__":
    main()

"""The force between two discs' magnets, for whoever chooses a magnet: `python hardware/forces.py`.

Each magnet is two faces of magnetic charge; the faces' pull on each other is summed over rings. Millimetres, newtons.
"""

from __future__ import annotations

import math

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


def main() -> None:
    for diameter, thickness in ((8, 1), (6, 1), (5, 1)):
        stacked = ", ".join(f"{apart} mm {between(diameter, thickness, apart):.2f} N" for apart in (6, 7, 8))
        print(
            f"{diameter} x {thickness} mm: stacked {stacked}; beside, 38 mm {beside(diameter, thickness, 38):.5f} N"
        )


if __name__ == "__main__":
    main()

"""The schematic as a drawing: each part a box, each pin with the name of its node; equal names are joined.

Strip 1 stands for all eight; the centre board and the clock's buttons are drawn whole.
"""

from __future__ import annotations

from html import escape

from nets import Nets, letters, nets
from pinmap import Map

_PIN, _BOX, _LABEL, _GAP = 14, 90, 118, 16
_COLUMN_HIGH = 1180


def svg(pins: Map) -> str:
    """Return an SVG of all parts with their pins."""
    joined = nets(pins)
    kinds = {ref: part["name"] for part in pins["part"] for ref in _refs(part["ref"])}
    parts = _parts(joined, pins)
    drawn: list[str] = []
    x, y = 20, 50
    for ref, ends in parts.items():
        high = _PIN * ((len(ends) + 1) // 2) + 22
        if y + high > _COLUMN_HIGH:
            x, y = x + _BOX + 2 * _LABEL + _GAP, 50
        drawn += _part(ref, kinds.get(ref, ""), ends, (x + _LABEL, y), high)
        y += high + _GAP + 12
    width, height = x + _BOX + 2 * _LABEL + 20, _COLUMN_HIGH + 40
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="sans-serif" font-size="9">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            '<text x="20" y="28" font-size="16">Sensor board: strip 1 (2 to 8 alike), centre board, clock. '
            "Equal names are joined.</text>",
            *drawn,
            "</svg>",
            "",
        ]
    )


def _refs(text: str) -> list[str]:
    """Return the single refs of `U1..U64` and `E1,E2`."""
    first, dots, last = text.partition("..")
    if not dots:
        return text.split(",")
    letters = first.rstrip("0123456789")
    start, end = int(first[len(letters) :]), int(last[len(letters) :])
    return [f"{letters}{number}" for number in range(start, end + 1)]


def _parts(joined: Nets, pins: Map) -> dict[str, list[tuple[str, str]]]:
    """Return (pin, net) of each part that is drawn."""
    hidden = {ref for strip in pins["strip"] if strip["row"] > 1 for ref in _of_strip(strip["row"])}
    parts: dict[str, list[tuple[str, str]]] = {}
    for net, ends in joined.items():
        for ref, pin in ends:
            if ref not in hidden and not ref.startswith("PLANE"):
                parts.setdefault(ref, []).append((pin, net))
    order = ["J", "Q", "R", "U", "C", "A", "M", "X", "RN", "Z", "E", "TP", "P", "S", "D"]
    for ends in parts.values():
        ends.sort(key=lambda end: (not end[0].isdigit(), int(end[0]) if end[0].isdigit() else 0))
    return dict(sorted(parts.items(), key=lambda item: (order.index(letters(item[0])), _number(item[0]))))


def _number(ref: str) -> int:
    return int(ref[len(letters(ref)) :])


def _of_strip(row: int) -> list[str]:
    sensors = range(8 * (row - 1) + 1, 8 * row + 1)
    return (
        [f"{letter}{row}" for letter in "JQR"]
        + [f"C{64 + row}"]
        + [f"{letter}{number}" for letter in "UC" for number in sensors]
    )


def _part(ref: str, kind: str, pins: list[tuple[str, str]], corner: tuple[int, int], high: int) -> list[str]:
    x, y = corner
    left, right = pins[: (len(pins) + 1) // 2], pins[(len(pins) + 1) // 2 :]
    lines = [
        f'<rect x="{x}" y="{y}" width="{_BOX}" height="{high}" fill="#fffbe8" stroke="#000000"/>',
        f'<text x="{x}" y="{y - 3}"><tspan font-weight="bold">{ref}</tspan> {escape(kind)}</text>',
    ]
    for ends, edge, out, anchor in ((left, x, -1, "start"), (right, x + _BOX, 1, "end")):
        for index, (pin, net) in enumerate(ends):
            level = y + 18 + index * _PIN
            end = edge + 22 * out
            lines.append(f'<line x1="{edge}" y1="{level}" x2="{end}" y2="{level}" stroke="#a00000"/>')
            lines.append(
                f'<text x="{edge - 4 * out}" y="{level + 3}" text-anchor="{anchor}">{escape(pin)}</text>'
            )
            other = "end" if out < 0 else "start"
            place = f'x="{end + 3 * out}"'
            name = f'<text {place} y="{level + 3}" text-anchor="{other}" fill="#003f8f">{escape(net)}</text>'
            lines.append(name)
    return lines

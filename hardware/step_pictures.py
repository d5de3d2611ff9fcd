"""The drawings for the assembly guide that follow from the pin map and the boards' drawings, one for a step each."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

import centre
import plates
from nets import nets
from overview import sheet
from pinmap import Map

_RED, _BLACK, _BLUE, _GREEN = "#b02020", "#000000", "#0b5fa5", "#2f7a3a"


def _text(
    x: float, y: float, text: str, colour: str = _BLACK, *, anchor: str = "start", size: int = 13
) -> str:
    return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}" font-size="{size}">{escape(text)}</text>'


def _rect(
    corner: tuple[float, float], size: tuple[float, float], fill: str, line: str = _BLACK, dashes: str = ""
) -> str:
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return (
        f'<rect x="{corner[0]:g}" y="{corner[1]:g}" width="{size[0]:g}" height="{size[1]:g}" '
        f'fill="{fill}" stroke="{line}"{dashed}/>'
    )


def _circle(x: float, y: float, radius: float, fill: str, line: str = _BLACK) -> str:
    return f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" fill="{fill}" stroke="{line}"/>'


def _wire(points: list[tuple[float, float]], colour: str, dashes: str = "") -> str:
    path = " ".join(f"{x:g},{y:g}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"{dashed}/>'


def bench(pins: Map) -> str:
    """Return how a strip stands at the bench: supply, ammeter, voltmeter, and the wire that switches it on."""
    names = pins["connector"]["pins"]
    out = [_rect((360, 30), (150, 270), "#f4f1e6")]
    places = {}
    for index, name in enumerate(names):
        left = index % 2 == 0
        x, y = (405 if left else 465), 60 + 42 * (index // 2)
        places[name] = (x, y)
        out.append(_rect((x - 8, y - 8), (16, 16), "#d0b040"))
        if left:
            out += [
                _text(x - 14, y + 5, str(index + 1), anchor="end"),
                _text(352, y - 5, name, _BLUE, anchor="end"),
            ]
        else:
            out += [_text(x + 14, y + 5, str(index + 1)), _text(518, y - 5, name, _BLUE)]
    out += [
        _text(435, 322, "the strip's plug, seen into its pins", anchor="middle"),
        _text(435, 340, "pin 1 is at the printed 1", anchor="middle"),
        _rect((20, 40), (150, 90), "#e8eef5"),
        _text(32, 78, "supply 3.3 V", size=14),
        _text(32, 100, "limit 100 mA"),
        _text(48, 124, "-", size=16),
        _text(116, 56, "+", size=16),
        _rect((600, 40), (110, 44), "#e8eef5"),
        _text(612, 67, "ammeter, mA"),
        _rect((600, 180), (130, 44), "#e8eef5"),
        _text(612, 207, "voltmeter, V"),
    ]
    ground, supply, gate = places["GND"], places["3V3"], places["PWR"]
    out += [
        _wire(
            [(40, 130), (40, 352), (250, 352), (250, ground[1]), (300, ground[1]), (ground[0], ground[1])],
            _BLACK,
        ),
        _wire([(110, 40), (110, 14), (760, 14), (760, 62), (710, 62)], _RED),
        _wire([(600, 62), (560, 62), (560, supply[1]), (supply[0], supply[1])], _RED),
        _wire([(gate[0], gate[1]), (300, gate[1]), (250, gate[1])], _GREEN, "6 4"),
        _text(20, 386, "green: pin 3 to GND switches the strip on; open it is off", _GREEN),
        _wire([(600, 202), (560, 202), (560, places["a"][1]), places["a"]], _BLUE, "6 4"),
        _wire([(730, 202), (770, 202), (770, 352), (250, 352)], _BLACK, "6 4"),
        _text(20, 404, "blue: one output after another, a to h", _BLUE),
    ]
    return sheet(790, 420, out)


def pico(pins: Map) -> str:
    """Return the Pico from above, with what each used pin is joined to on the centre board."""
    drawn = centre.drawing()
    names = drawn["kind"]["A"]["pins"]
    joined = {pin: net for net, ends in nets(pins).items() for ref, pin in ends if ref == "A1"}
    out = [
        _rect((300, 30), (200, 500), "#2f7a3a"),
        _rect((365, 14), (70, 44), "#c8c8c8"),
        _text(400, 40, "USB", anchor="middle"),
        _circle(380, 120, 14, "#ffffff"),
        _text(400, 160, "BOOTSEL", "#ffffff", anchor="middle"),
        _wire([(380, 134), (380, 148)], "#ffffff"),
        _text(400, 300, "Raspberry Pi Pico", "#ffffff", anchor="middle", size=11),
    ]
    for index, name in enumerate(names):
        left = index < 20
        row = index if left else 39 - index
        x, y = (308 if left else 492), 44 + 24.6 * row
        used = name in joined and name not in drawn["kind"]["A"]["open"]
        out.append(_circle(x, y, 6, "#e8c840" if used else "#888888"))
        out.append(
            _text(
                x + (12 if left else -12), y + 4, name, "#ffffff", anchor="start" if left else "end", size=11
            )
        )
        if used:
            colour = _RED if joined[name] == "3V3" else _BLACK if joined[name] == "GND" else _BLUE
            out.append(
                _text(290 if left else 510, y + 4, joined[name], colour, anchor="end" if left else "start")
            )
    out.append(
        _text(
            20,
            560,
            "Hold BOOTSEL while you plug the USB cable in: the drive RPI-RP2 appears on the computer.",
        )
    )
    return sheet(790, 580, out)


def layout(drawn: Mapping[str, Any]) -> str:
    """Return the base with battens, strips' plugs, centre board and the way of the USB cable, from above."""
    scale, left, top = 2.0, 120.0, 30.0

    def at(x: float, y: float) -> tuple[float, float]:
        return left + scale * x, top + scale * y

    wide, high = plates.size(drawn)
    board = centre.drawing()["board"]
    out = [_rect(at(0, 0), (scale * wide, scale * high), "#fbf7ea")]
    beside = plates.BESIDE
    for x, y, long, deep in (
        (0.0, 0.0, wide, beside),
        (0.0, high - beside, wide, beside),
        (0.0, beside, beside, high - 2 * beside),
        (wide - beside, beside, beside, high - 2 * beside),
    ):
        out.append(_rect(at(x, y), (scale * long, scale * deep), "#d9bd92"))
    for row in range(1, 9):
        x, y = plates.middle(drawn, row, 0.0)
        size = scale * drawn["board"]["length"], scale * drawn["board"]["width"]
        out.append(_rect(at(x, y - drawn["board"]["width"] / 2), size, "none", "#8aa88a", "5 4"))
        out.append(_rect(at(x + 2, y - 11), (scale * 8, scale * 22), "#444444"))
        out.append(_text(left - 8, at(0, y)[1] + 4, f"strip {row}", anchor="end"))
    corner = plates.BESIDE + plates.CENTRE_LEFT, (high - board["width"]) / 2
    out.append(_rect(at(*corner), (scale * board["length"], scale * board["width"]), "#2f7a3a"))
    for part in centre.placed(centre.drawing()):
        if part.ref[0] == "X" and part.ref != "X9":
            x, y = corner[0] + part.place[0], corner[1] + board["width"] - part.place[1]
            out.append(_rect(at(x - 4.4, y - 11.4), (scale * 8.9, scale * 22.9), "#222222"))
            out.append(_text(at(x, y)[0], at(x, y)[1] + 4, part.ref[1:], "#ffffff", anchor="middle"))
        if part.ref == "A1":
            x, y = corner[0] + part.place[0], corner[1] + board["width"] - part.place[1]
            out.append(_rect(at(x - 10.5, y - 25.5), (scale * 21, scale * 51), "#3fa34d"))
            out.append(_text(at(x, y)[0], at(x, y)[1], "Pico", "#ffffff", anchor="middle"))
    usb, clip = plates.usb(drawn), plates.clip(drawn)
    out.append(_wire([at(*usb), at(usb[0], -12)], _BLACK))
    notch = at(usb[0] - plates.NOTCH / 2, 0)
    out.append(_rect(notch, (scale * plates.NOTCH, scale * beside), "#ffffff", _RED))
    out.append(_wire([at(usb[0], beside + 1), at(usb[0], -12)], _BLACK))
    out.append(_circle(*at(*clip), 5, "#ffffff", _RED))
    for batten in plates.battens(drawn)[:2]:
        y = beside / 2 if batten.name == "ROW 1" else high - beside / 2
        out += [_circle(*at(x, y), 4, "#ffffff") for x in batten.holes]
    out += [_circle(*at(x, high / 2), 4, "#ffffff") for x in (beside / 2, wide - beside / 2)]
    right = left + scale * wide + 16
    for number, (x, y, text) in enumerate(
        (
            (usb[0], -6.0, "USB cable, out through the notch of row 1's batten"),
            (clip[0], clip[1], "clip: it takes the pull, not the Pico's socket"),
            (wide - 30, beside / 2, "battens, eight brass screws"),
            (corner[0] + board["length"], high / 2, "centre board, on the base"),
            (wide - 40, 250.0, "dashed: strips, above, under the floor; plugs left"),
        )
    ):
        level = top + 24 + 60 * number
        (px, py), (qx, qy) = at(x, y), (right - 4, level - 4)
        out.append(f'<path d="M{px:g},{py:g} L{qx:g},{qy:g}" stroke="{_RED}" fill="none"/>')
        out.append(_text(right, level, text, _RED))
    return sheet(1180, 720, out)

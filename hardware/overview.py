"""The drawing for the assembly guide that shows which cable goes where."""

from __future__ import annotations

from html import escape

from pinmap import Map

_COLOURS = ("#0b5fa5", "#b34700", "#3b7a1e", "#7a2a8a")


def cables(pins: Map) -> str:
    """Return a drawing of strips, multiplexers, touch controllers, Pico and clock, with every cable between them."""
    out: list[str] = []
    pico = pins["pico"]
    for strip in pins["strip"]:
        row, multiplexer, first = strip["row"], strip["multiplexer"], strip["channel"]
        y = 20 + 62 * (row - 1)
        out += _box(
            (20, y),
            (330, 50),
            f"Strip {row}",
            f"a{row}..h{row}: M{multiplexer} C{first}..C{first + 7}",
            f"3V3, GND, PWR: GP{pico['power'][strip['group']]}, ROW: E1 ELE{row - 1}",
        )
        out += _cable(
            (350, y + 25), (460, 60 + 124 * multiplexer + (32 if first else 0)), _COLOURS[multiplexer]
        )
    address = ", ".join(f"GP{pin}" for pin in pico["address"])
    for number in range(4):
        y = 44 + 124 * number
        adc = pico["adc"][pins["multiplexers"]["adc"][number]]
        out += _box(
            (460, y), (200, 64), f"M{number}", "74HC4067", f"SIG: GP{adc}, E: GP{pico['enable'][number]}"
        )
        out += _cable((660, y + 32), (760, 90 + 60 * number), _COLOURS[number])
    out += _box((760, 44), (220, 276), "A1", "Raspberry Pi Pico", f"S0..S3 of all M: {address}")
    for index, (ref, label, ends) in enumerate(
        (
            ("E1", "MPR121: rows", "ELE0..7: ROW 1..8"),
            ("E2", "MPR121: columns", "ELE0..7: a..h, edge of row 1"),
        )
    ):
        x = 760 + 230 * index
        out += _box((x, 420), (210, 50), ref, label, ends)
        out += _cable(
            (820 + 60 * index, 320), (x + 100, 420), "#555555", f"SDA, SCL: GP{pico['sda']}, GP{pico['scl']}"
        )
    pi = pins["pi"]
    out += _box((1080, 44), (220, 80), "P1", "the table's Raspberry Pi")
    out += _cable((980, 84), (1080, 84), "#000000", "USB")
    for index, player in enumerate(("black", "white")):
        x = 1010 + 200 * index
        where = f"GPIO{pi[f'{player}_button']}, lamp: GPIO{pi[f'{player}_lamp']}"
        out += _box((x, 220), (190, 50), f"S{index + 1}", f"{player.capitalize()}'s button", where)
        out += _cable((1150 + 80 * index, 124), (x + 95, 220), "#000000")
    out.append(
        '<text x="1010" y="290" fill="#555555">each lamp through 150 ohm; contacts and lamps to GND</text>'
    )
    return sheet(1420, 530, out)


def _box(corner: tuple[int, int], size: tuple[int, int], ref: str, label: str, below: str = "") -> list[str]:
    (x, y), (wide, high) = corner, size
    return [
        f'<rect x="{x}" y="{y}" width="{wide}" height="{high}" rx="6" fill="#f4f1e6" stroke="#000000"/>',
        f'<text x="{x + 10}" y="{y + 19}"><tspan font-weight="bold">{escape(ref)}</tspan> {escape(label)}</text>',
        f'<text x="{x + 10}" y="{y + 38}" fill="#444444">{escape(below)}</text>',
    ]


def _cable(begin: tuple[int, int], end: tuple[int, int], colour: str, label: str = "") -> list[str]:
    (x0, y0), (x1, y1) = begin, end
    middle = (x0 + x1) // 2
    curve = f"C{middle},{y0} {middle},{y1} {x1},{y1}" if x1 - x0 > 90 else f"L{x1},{y1}"
    path = f"M{x0},{y0} {curve}"
    lines = [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>']
    if label:
        lines.append(
            f'<text x="{middle + 10}" y="{(y0 + y1) // 2 - 6}" fill="{colour}">{escape(label)}</text>'
        )
    return lines


def sheet(width: int, height: int, lines: list[str]) -> str:
    """Return a drawing of these lines on white."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return "\n".join(
        [
            f'{head} font-family="sans-serif" font-size="12">',
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
            *lines,
            "</svg>",
            "",
        ]
    )

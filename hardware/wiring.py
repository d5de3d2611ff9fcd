"""The wiring diagram's source for WireViz."""

from __future__ import annotations

from pinmap import COLUMNS, Map

_PI = ("black_button", "white_button", "black_lamp", "white_lamp")


def wiring(pins: Map) -> str:
    """The wiring diagram's source for WireViz: Pico, multiplexers, electrodes, strips, and the cables between."""
    pico, box = pins["pico"], pins["connector"]["pins"]
    signals = [
        *(("3V3", "3V3"), ("GND", "GND")),
        *((f"GP{pin}", f"S{line}") for line, pin in enumerate(pico["address"])),
        *((f"GP{pin}", f"EN{number}") for number, pin in enumerate(pico["enable"])),
        *((f"GP{pin}", f"PWR{group}") for group, pin in enumerate(pico["power"])),
        *((f"GP{pin}", f"ADC{number}") for number, pin in enumerate(pico["adc"])),
        (f"GP{pico['sda']}", "SDA"),
        (f"GP{pico['scl']}", "SCL"),
    ]
    out = ["# Written by hardware/generate.py from hardware/pinmap.toml.", "connectors:"]

    def connector(name: str, kind: str, labels: list[str]) -> None:
        out.append(f"  {name}:\n    type: {kind}\n    pinlabels: [{', '.join(labels)}]")

    connector("Pico", "Raspberry Pi Pico", [f"{pin} {name}" for pin, name in signals])
    select = ["VCC", "GND", "S0", "S1", "S2", "S3", "E", "SIG"]
    for number in range(4):
        connector(f"M{number}", "74HC4067", [*select, *(f"C{channel}" for channel in range(16))])
    for ref, role in (("E1", "rows"), ("E2", "columns")):
        connector(
            ref,
            f"MPR121 {role}",
            ["VCC", "GND", "SDA", "SCL", "ADDR", *(f"ELE{number}" for number in range(8))],
        )
    for strip in pins["strip"]:
        labels = [f"OUT {one}{strip['row']}" if one in COLUMNS else one for one in box]
        connector(f"Strip{strip['row']}", "eight sensors", labels)
    connector("Columns", "bridges at the edge of row 1", [f"column {column}" for column in COLUMNS])
    pi = pins["pi"]
    connector("Pi", "Raspberry Pi", [*(f"GPIO{pi[name]}" for name in _PI), "GND"])
    for player in ("Black", "White"):
        connector(
            f"{player}Button", "button with lamp", ["contact", "lamp through 150 ohm", "contact", "lamp -"]
        )
    place = {name: index for index, (_, name) in enumerate(signals, start=1)}
    cables: list[str] = []
    joints: list[str] = []

    def cable(name: str, ends: list[tuple[tuple[str, int], tuple[str, int]]]) -> None:
        cables.append(f"  {name}:\n    wirecount: {len(ends)}\n    color_code: DIN")
        first, second = ends[0][0][0], ends[0][1][0]
        joints.append(
            f"  -\n    - {first}: {[end[0][1] for end in ends]}\n    - {name}: [1-{len(ends)}]\n"
            f"    - {second}: {[end[1][1] for end in ends]}"
        )

    for number in range(4):
        names = [
            "3V3",
            "GND",
            "S0",
            "S1",
            "S2",
            "S3",
            f"EN{number}",
            f"ADC{pins['multiplexers']['adc'][number]}",
        ]
        cable(
            f"WM{number}",
            [(("Pico", place[name]), (f"M{number}", index)) for index, name in enumerate(names, start=1)],
        )
    for ref, address in (("E1", "GND"), ("E2", "3V3")):
        names = ["3V3", "GND", "SDA", "SCL", address]
        cable(f"W{ref}", [(("Pico", place[name]), (ref, index)) for index, name in enumerate(names, start=1)])
    for strip in pins["strip"]:
        row = strip["row"]
        cable(
            f"WP{row}",
            [
                (("Pico", place[name]), (f"Strip{row}", box.index(signal) + 1))
                for signal, name in (("3V3", "3V3"), ("GND", "GND"), ("PWR", f"PWR{strip['group']}"))
            ],
        )
        cable(
            f"WS{row}",
            [
                (
                    (f"M{strip['multiplexer']}", 9 + strip["channel"] + index),
                    (f"Strip{row}", box.index(column) + 1),
                )
                for index, column in enumerate(COLUMNS)
            ],
        )
        cable(f"WR{row}", [(("E1", 5 + row), (f"Strip{row}", box.index("ROW") + 1))])
    cable("WC", [(("E2", 6 + index), ("Columns", 1 + index)) for index in range(8)])
    for number, player in enumerate(("Black", "White")):
        ends = [(1 + number, 1), (3 + number, 2), (5, 3), (5, 4)]
        cable(f"W{player}", [(("Pi", pin), (f"{player}Button", to)) for pin, to in ends])
    return "\n".join([*out, "cables:", *cables, "connections:", *joints]) + "\n"

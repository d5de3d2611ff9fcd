"""Writes everything that follows from `pinmap.toml`; `--check` only says whether it is current (exit 1 if not).

python hardware/generate.py [--check]
"""

from __future__ import annotations

import argparse
import csv
import io
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
COLUMNS = "abcdefgh"

Map = Mapping[str, Any]


def read(path: Path = HERE / "pinmap.toml") -> Map:
    """The pin map, checked; ValueError names what is wrong in one line."""
    pins = tomllib.loads(path.read_text("utf-8"))
    check(pins)
    return pins


def check(pins: Map) -> None:
    """No pin twice, no pin the chip has not, every row once, every channel once; ValueError otherwise."""
    pico = [*pins["pico"]["address"], *pins["pico"]["enable"], *pins["pico"]["power"], *pins["pico"]["adc"]]
    pico += [pins["pico"]["sda"], pins["pico"]["scl"]]
    _unique("pico: GPIO", pico)
    for pin in pico:
        if pin not in range(23) and pin not in (26, 27, 28):
            raise ValueError(f"pico: expected a GPIO with a pin (0..22, 26..28), got {pin}")
    if not set(pins["pico"]["adc"]) <= {26, 27, 28}:
        raise ValueError(f"pico: adc: expected GPIO 26..28, got {pins['pico']['adc']}")
    if pins["pico"]["sda"] % 4 != 0 or pins["pico"]["scl"] != pins["pico"]["sda"] + 1:
        raise ValueError("pico: sda, scl: expected a pair of I2C0, as 4 and 5")
    if len(pins["multiplexers"]["adc"]) != len(pins["pico"]["enable"]):
        raise ValueError("multiplexers: adc: expected one input for each enable line")
    _unique("pi: GPIO", [*pins["pi"].values()])
    _unique("strip: row", [strip["row"] for strip in pins["strip"]])
    if sorted(strip["row"] for strip in pins["strip"]) != list(range(1, 9)):
        raise ValueError("strip: expected rows 1..8")
    places = [place[1:] for group in groups(pins) for place in group]
    _unique("strip: multiplexer and channel", [(multiplexer, channel) for multiplexer, channel, _ in places])
    faults = electrical_faults(nets(pins))
    if faults:
        raise ValueError(faults[0])
    if any(channel > 15 for _, channel, _ in places):
        raise ValueError("strip: channel: expected 0 or 8")


def _unique(what: str, values: list[Any]) -> None:
    for value in values:
        if values.count(value) > 1:
            raise ValueError(f"{what} {value} is used {values.count(value)} times")


def groups(pins: Map) -> list[list[tuple[int, int, int, int]]]:
    """(square, multiplexer, channel, ADC input) of each sensor, by the group it is powered with."""
    found: list[list[tuple[int, int, int, int]]] = [[] for _ in pins["pico"]["power"]]
    for strip in pins["strip"]:
        multiplexer = strip["multiplexer"]
        for column in range(8):
            square = 8 * (strip["row"] - 1) + column
            adc = pins["multiplexers"]["adc"][multiplexer]
            found[strip["group"]].append((square, multiplexer, strip["channel"] + column, adc))
    return found


def hwconfig(pins: Map) -> str:
    """The firmware's pins."""
    pico, electrodes = pins["pico"], pins["electrodes"]
    lines = [
        '"""Pins and wiring of the board: written by hardware/generate.py from hardware/pinmap.toml, not by hand."""',
        "",
        f"ADDRESS_PINS = {tuple(pico['address'])}",
        f"ENABLE_PINS = {tuple(pico['enable'])}",
        f"POWER_PINS = {tuple(pico['power'])}",
        f"ADC_PINS = {tuple(pico['adc'])}",
        f"SDA_PIN = {pico['sda']}",
        f"SCL_PIN = {pico['scl']}",
        f"I2C_HZ = {electrodes['hz']}",
        f"ROWS_ADDRESS = 0x{electrodes['rows']:02X}",
        f"COLUMNS_ADDRESS = 0x{electrodes['columns']:02X}",
        "",
        "GROUPS = (",
    ]
    for group in groups(pins):
        lines += ["    (", *(f"        {place}," for place in group), "    ),"]
    lines += [")", '"""(square, multiplexer, channel, ADC input) of each sensor, by power group."""', ""]
    return "\n".join(lines)


def bill(pins: Map) -> str:
    """The bill of materials as CSV; prices are estimates."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["refs", "part", "type", "quantity", "estimated EUR each", "estimated EUR", "where"])
    total = 0.0
    for part in pins["part"]:
        cost = part["each"] * part["price"]
        total += cost
        table.writerow(
            [
                part["ref"],
                part["name"],
                part["type"],
                part["each"],
                f"{part['price']:.2f}",
                f"{cost:.2f}",
                part["where"],
            ]
        )
    table.writerow(["", "sum (estimate; without case, screen, Pi)", "", "", "", f"{total:.2f}", ""])
    return out.getvalue()


def power_milliamperes(pins: Map) -> dict[str, float]:
    """The current the board draws from USB, typical: all sensors at once, and as they are switched."""
    each = {part["ref"]: part.get("milliamperes", 0.0) * part["each"] for part in pins["part"]}
    sensors = each.pop("U1..U64")
    rest = sum(each.values())
    # Two groups overlap: the next one wakes while one is read.
    switched = 2 * sensors / len(pins["pico"]["power"])
    return {"unswitched": rest + sensors, "switched": rest + switched}


def table_pins(pins: Map) -> str:
    """The lines of `table.toml` for a clock wired as the map says."""
    return (
        "# Written by hardware/generate.py from hardware/pinmap.toml: for /etc/flagfall/table.toml.\n"
        f"black_pin = {pins['pi']['black_button']}\nwhite_pin = {pins['pi']['white_button']}\n"
    )


def nets(pins: Map) -> dict[str, list[tuple[str, str]]]:
    """Every electrical node: its name, and the (part, pin) it joins. Passive pins included."""
    found: dict[str, list[tuple[str, str]]] = {"GND": [("A1", "GND")], "3V3": [("A1", "3V3")]}

    def join(net: str, ref: str, pin: str) -> None:
        found.setdefault(net, []).append((ref, pin))

    pico = pins["pico"]
    for line, pin in enumerate(pico["address"]):
        join(f"S{line}", "A1", f"GP{pin}")
    for number, pin in enumerate(pico["enable"]):
        join(f"EN{number}", "A1", f"GP{pin}")
        join(f"EN{number}", f"M{number}", "E")
        for line in range(4):
            join(f"S{line}", f"M{number}", f"S{line}")
        join("3V3", f"M{number}", "VCC")
        join("GND", f"M{number}", "GND")
        join(f"ADC{pins['multiplexers']['adc'][number]}", f"M{number}", "SIG")
    for group, pin in enumerate(pico["power"]):
        join(f"PWR{group}", "A1", f"GP{pin}")
    for number, pin in enumerate(pico["adc"]):
        join(f"ADC{number}", "A1", f"GP{pin}")
    for ref, address in (("E1", "GND"), ("E2", "3V3")):
        for net, pin in (("SDA", "SDA"), ("SCL", "SCL"), ("3V3", "VCC"), ("GND", "GND"), (address, "ADDR")):
            join(net, ref, pin)
        for electrode in range(8):
            place = f"row {electrode + 1}" if ref == "E1" else f"column {COLUMNS[electrode]}"
            join(f"ELECTRODE {place}", ref, f"ELE{electrode}")
            join(f"ELECTRODE {place}", f"PLANE {place}", "1")
    join("SDA", "A1", f"GP{pico['sda']}")
    join("SCL", "A1", f"GP{pico['scl']}")
    for strip in pins["strip"]:
        _strip_nets(strip, join)
    return found


def _strip_nets(strip: Map, join: Any) -> None:
    row = strip["row"]
    supply = f"VS{row}"
    join(f"PWR{strip['group']}", f"Q{row}", "G")
    join(f"PWR{strip['group']}", f"R{row}", "1")
    join("3V3", f"R{row}", "2")
    join("3V3", f"Q{row}", "S")
    join(supply, f"Q{row}", "D")
    for column in range(8):
        number = 8 * (row - 1) + column + 1
        square = f"{COLUMNS[column]}{row}"
        join(supply, f"U{number}", "VCC")
        join("GND", f"U{number}", "GND")
        join(f"OUT {square}", f"U{number}", "OUT")
        join(f"OUT {square}", f"M{strip['multiplexer']}", f"C{strip['channel'] + column}")
        join(supply, f"C{number}", "1")
        join("GND", f"C{number}", "2")


NEEDED_PINS = {
    "U": ("VCC", "GND", "OUT"),
    "C": ("1", "2"),
    "Q": ("G", "S", "D"),
    "R": ("1", "2"),
    "M": ("VCC", "GND", "E", "SIG", "S0", "S1", "S2", "S3", *(f"C{channel}" for channel in range(16))),
    "E": ("VCC", "GND", "SDA", "SCL", "ADDR", *(f"ELE{electrode}" for electrode in range(8))),
    "A": ("3V3", "GND"),
}
"""Pins that must not hang in the air, by the letter of the part's ref."""
DRIVES = {("U", "OUT"), ("M", "SIG"), ("Q", "D"), ("A", "3V3")}
"""Pins that put a voltage on their net. Multiplexers take turns on theirs: at most two, each with its own enable."""


def electrical_faults(found: Mapping[str, list[tuple[str, str]]]) -> list[str]:
    """What an electrical rule check finds in these nets, one line each; empty if nothing."""
    faults = []
    joined: dict[tuple[str, str], str] = {}
    for net, ends in found.items():
        if len(ends) < 2:
            faults.append(f"{net}: joins nothing: {ends}")
        for end in ends:
            if end in joined:
                faults.append(f"{end[0]}.{end[1]}: on {joined[end]} and on {net}")
            joined[end] = net
        drivers = [end for end in ends if (end[0][0], end[1]) in DRIVES and not end[0].startswith("PLANE")]
        most = 2 if all(ref.startswith("M") for ref, _ in drivers) else 1
        if len(drivers) > most:
            faults.append(f"{net}: driven by {len(drivers)}: {drivers}")
    parts = sorted({ref for ref, _ in joined if not ref.startswith("PLANE")})
    for ref in parts:
        for pin in NEEDED_PINS[ref[0]]:
            if (ref, pin) not in joined:
                faults.append(f"{ref}.{pin}: not connected")
    return faults


def netlist(pins: Map) -> str:
    """The netlist as text: one net a line, `name: part.pin part.pin`."""
    lines = ["# Written by hardware/generate.py from hardware/pinmap.toml: every node of the board."]
    for net, ends in sorted(nets(pins).items()):
        lines.append(f"{net}: " + " ".join(f"{ref.replace(' ', '_')}.{pin}" for ref, pin in ends))
    return "\n".join(lines) + "\n"


def wiring(pins: Map) -> str:
    """The wiring diagram's source for WireViz: Pico, multiplexers, electrodes, strips, and the cables between."""
    pico = pins["pico"]
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
        connector(ref, f"MPR121 {role}", ["VCC", "GND", "SDA", "SCL"])
    for strip in pins["strip"]:
        sensors = [f"OUT {column}{strip['row']}" for column in COLUMNS]
        connector(f"Strip{strip['row']}", "eight sensors", ["3V3", "GND", "PWR", *sensors])
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
    for ref in ("E1", "E2"):
        names = ["3V3", "GND", "SDA", "SCL"]
        cable(f"W{ref}", [(("Pico", place[name]), (ref, index)) for index, name in enumerate(names, start=1)])
    for strip in pins["strip"]:
        row = strip["row"]
        names = ["3V3", "GND", f"PWR{strip['group']}"]
        cable(
            f"WP{row}",
            [(("Pico", place[name]), (f"Strip{row}", index)) for index, name in enumerate(names, start=1)],
        )
        cable(
            f"WS{row}",
            [
                ((f"M{strip['multiplexer']}", 9 + strip["channel"] + column), (f"Strip{row}", 4 + column))
                for column in range(8)
            ],
        )
    return "\n".join([*out, "cables:", *cables, "connections:", *joints]) + "\n"


def written(pins: Map) -> dict[Path, str]:
    """Every generated file and what stands in it."""
    folder = HERE / "generated"
    return {
        ROOT / "firmware_py" / "hwconfig.py": hwconfig(pins),
        folder / "parts.csv": bill(pins),
        folder / "netlist.txt": netlist(pins),
        folder / "wiring.yml": wiring(pins),
        folder / "table-pins.toml": table_pins(pins),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if something is not current"
    )
    options = parser.parse_args(arguments)
    stale = 0
    for path, text in written(read()).items():
        current = path.exists() and path.read_text("utf-8") == text
        if options.check and not current:
            print(f"{path.relative_to(ROOT)}: not what hardware/pinmap.toml says", file=sys.stderr)
            stale = 1
        elif not current:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())

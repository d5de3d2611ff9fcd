"""Every electrical node of a table, and what an electrical rule check finds in them."""

from __future__ import annotations

from collections.abc import Callable

from pinmap import COLUMNS, Map

Nets = dict[str, list[tuple[str, str]]]


def nets(pins: Map) -> Nets:
    """Return every electrical node: its name, and the (part, pin) it joins, passive pins included."""
    all_nets: Nets = {"GND": [("A1", "GND")], "3V3": [("A1", "3V3")]}

    def join(net: str, ref: str, pin: str) -> None:
        all_nets.setdefault(net, []).append((ref, pin))

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
        _strip_nets(strip, pins["connector"]["pins"], join)
    _table_nets(pins["pi"], join)
    return all_nets


def _strip_nets(strip: Map, connector: list[str], join: Callable[[str, str, str], None]) -> None:
    row = strip["row"]
    supply = f"VS{row}"
    join(f"PWR{strip['group']}", f"Q{row}", "G")
    join(f"PWR{strip['group']}", f"R{row}", "1")
    join("3V3", f"R{row}", "2")
    join("3V3", f"Q{row}", "S")
    join(supply, f"Q{row}", "D")
    join("3V3", f"C{64 + row}", "1")
    join("GND", f"C{64 + row}", "2")
    for column in range(8):
        number = 8 * (row - 1) + column + 1
        square = f"{COLUMNS[column]}{row}"
        join(supply, f"U{number}", "VCC")
        join("GND", f"U{number}", "GND")
        join(f"OUT {square}", f"U{number}", "OUT")
        join(f"OUT {square}", f"M{strip['multiplexer']}", f"C{strip['channel'] + column}")
        join(supply, f"C{number}", "1")
        join("GND", f"C{number}", "2")
    for number, signal in enumerate(connector, start=1):
        net = {"PWR": f"PWR{strip['group']}", "ROW": f"ELECTRODE row {row}"}.get(signal, signal)
        join(f"OUT {signal}{row}" if signal in COLUMNS else net, f"J{row}", str(number))


def _table_nets(pi: Map, join: Callable[[str, str, str], None]) -> None:
    """Join the clock's buttons and the lamps in them, at the table's own computer."""
    join("PI GND", "P1", "GND")
    for number, player in enumerate(("black", "white"), start=1):
        button, lamp = f"{player.upper()} BUTTON", f"{player.upper()} LAMP"
        join(button, "P1", f"GPIO{pi[f'{player}_button']}")
        join(button, f"S{number}", "1")
        join("PI GND", f"S{number}", "2")
        join(lamp, "P1", f"GPIO{pi[f'{player}_lamp']}")
        join(lamp, f"R{8 + number}", "1")
        join(f"{lamp} ANODE", f"R{8 + number}", "2")
        join(f"{lamp} ANODE", f"D{number}", "A")
        join("PI GND", f"D{number}", "K")


# Pins that must not hang in the air, by the letter of the part's ref.
NEEDED_PINS = {
    "U": ("VCC", "GND", "OUT"),
    "C": ("1", "2"),
    "Q": ("G", "S", "D"),
    "R": ("1", "2"),
    "M": ("VCC", "GND", "E", "SIG", "S0", "S1", "S2", "S3", *(f"C{channel}" for channel in range(16))),
    "E": ("VCC", "GND", "SDA", "SCL", "ADDR", *(f"ELE{electrode}" for electrode in range(8))),
    "A": ("3V3", "GND"),
    "J": tuple(str(pin) for pin in range(1, 13)),
    "P": ("GND",),
    "S": ("1", "2"),
    "D": ("A", "K"),
}
# Pins that put a voltage on their net. Multiplexers take turns on theirs: at most two, each with its own enable.
DRIVES = {("U", "OUT"), ("M", "SIG"), ("Q", "D"), ("A", "3V3")}


def electrical_faults(all_nets: Nets) -> list[str]:
    """Return the faults that an electrical rule check finds in these nets, one line each."""
    faults = []
    joined: dict[tuple[str, str], str] = {}
    for net, ends in all_nets.items():
        if len(ends) < 2:
            faults.append(f"{net}: joins nothing: {ends}")
        for end in ends:
            if end in joined:
                faults.append(f"{end[0]}.{end[1]}: on {joined[end]} and on {net}")
            joined[end] = net
        drivers = [end for end in ends if (end[0][0], end[1]) in DRIVES]
        most = 2 if all(ref.startswith("M") for ref, _ in drivers) else 1
        if len(drivers) > most:
            faults.append(f"{net}: driven by {len(drivers)}: {drivers}")
    parts = sorted({ref for ref, _ in joined if not ref.startswith("PLANE")})
    for ref in parts:
        for pin in NEEDED_PINS[ref[0]]:
            if (ref, pin) not in joined:
                faults.append(f"{ref}.{pin}: not connected")
    return faults

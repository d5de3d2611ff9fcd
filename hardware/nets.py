"""Every electrical node of a table, and what an electrical rule check finds in them."""

from __future__ import annotations

from collections.abc import Callable

from pinmap import COLUMNS, Map

Nets = dict[str, list[tuple[str, str]]]
# Four lines that share a resistor array and an ESD array, in the order of the array's resistors.
_FOURS = ("hgfe", "dcba")
# Pads of an ESD array (SRV05-4) for those lines.
_ESD_PINS = ("IO3", "IO4", "IO1", "IO2")


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
        join(f"GATE{group}", "A1", f"GP{pin}")
    _protect([(f"GATE{group}", f"PWR{group}") for group in range(4)], 21, join, outside=1)
    for number, pin in enumerate(pico["adc"]):
        join(f"ADC{number}", "A1", f"GP{pin}")
    for ref, address in (("E1", "GND"), ("E2", "3V3")):
        for net, pin in (("SDA", "SDA"), ("SCL", "SCL"), ("3V3", "VCC"), ("GND", "GND"), (address, "ADDR")):
            join(net, ref, pin)
        for electrode in range(8):
            place = f"row {electrode + 1}" if ref == "E1" else f"column {COLUMNS[electrode]}"
            join(f"TOUCH {place}", ref, f"ELE{electrode}")
            join(f"ELECTRODE {place}", f"PLANE {place}", "1")
    places = [
        *(f"row {row}" for row in range(1, 9)),
        *(f"column {column}" for four in _FOURS for column in four),
    ]
    for index in range(4):
        lines = [(f"ELECTRODE {place}", f"TOUCH {place}") for place in places[4 * index : 4 * index + 4]]
        _protect(lines, 17 + index, join, outside=0)
    for number, column in enumerate(COLUMNS, start=1):
        join(f"ELECTRODE column {column}", "X9", str(number))
    for number, bus in enumerate(("sda", "scl"), start=11):
        join(bus.upper(), "A1", f"GP{pico[bus]}")
        join(bus.upper(), f"R{number}", "1")
        join("3V3", f"R{number}", "2")
    for number in range(73, 78):
        join("3V3", f"C{number}", "1")
        join("GND", f"C{number}", "2")
    for number, net in enumerate(("3V3", "GND", "ADC0", "ADC1"), start=21):
        join(net, f"TP{number}", "1")
    for strip in pins["strip"]:
        _strip_nets(strip, pins["connector"]["pins"], join)
    _table_nets(pins["pi"], join)
    return all_nets


def _protect(
    lines: list[tuple[str, str]], number: int, join: Callable[[str, str, str], None], outside: int
) -> None:
    """Join four lines, each (net, net behind its resistor), to array RN of that number, and the net that leaves the
    board, first or second of each, to the ESD array Z.
    """
    for index, ends in enumerate(lines):
        join(ends[0], f"RN{number}", str(index + 1))
        join(ends[1], f"RN{number}", str(8 - index))
        join(ends[outside], f"Z{number}", _ESD_PINS[index])
    join("GND", f"Z{number}", "GND")


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
        join(f"IN {square}", f"M{strip['multiplexer']}", f"C{strip['channel'] + column}")
        join(supply, f"C{number}", "1")
        join("GND", f"C{number}", "2")
    for number, signal in enumerate(connector, start=1):
        net = {"PWR": f"PWR{strip['group']}", "ROW": f"ELECTRODE row {row}"}.get(signal, signal)
        # The cable joins the strip's connector to the centre board's, pin by pin.
        for ref in (f"J{row}", f"X{row}"):
            join(f"OUT {signal}{row}" if signal in COLUMNS else net, ref, str(number))
    for index, four in enumerate(_FOURS):
        lines = [(f"OUT {column}{row}", f"IN {column}{row}") for column in four]
        _protect(lines, 2 * row - 1 + index, join, outside=0)


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


# Pins that must not hang in the air, by the letters of the part's ref.
NEEDED_PINS = {
    "U": ("VCC", "GND", "OUT"),
    "C": ("1", "2"),
    "Q": ("G", "S", "D"),
    "R": ("1", "2"),
    "RN": tuple(str(pin) for pin in range(1, 9)),
    "Z": ("GND", *_ESD_PINS),
    "M": ("VCC", "GND", "E", "SIG", "S0", "S1", "S2", "S3", *(f"C{channel}" for channel in range(16))),
    "E": ("VCC", "GND", "SDA", "SCL", "ADDR", *(f"ELE{electrode}" for electrode in range(8))),
    "A": ("3V3", "GND"),
    "J": tuple(str(pin) for pin in range(1, 13)),
    "X": tuple(str(pin) for pin in range(1, 13)),
    "X9": tuple(str(pin) for pin in range(1, 9)),
    "TP": ("1",),
    "P": ("GND",),
    "S": ("1", "2"),
    "D": ("A", "K"),
}
# Pins that put a voltage on their net. Multiplexers take turns on theirs: at most two, each with its own enable.
DRIVES = {("U", "OUT"), ("M", "SIG"), ("Q", "D"), ("A", "3V3")}


def letters(ref: str) -> str:
    """Return the letters with which a part's ref begins."""
    return ref.rstrip("0123456789")


def needed_pins(ref: str) -> tuple[str, ...]:
    return NEEDED_PINS.get(ref) or NEEDED_PINS[letters(ref)]


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
        drivers = [end for end in ends if (letters(end[0]), end[1]) in DRIVES]
        most = 2 if all(ref.startswith("M") for ref, _ in drivers) else 1
        if len(drivers) > most:
            faults.append(f"{net}: driven by {len(drivers)}: {drivers}")
    parts = sorted({ref for ref, _ in joined if not ref.startswith("PLANE")})
    for ref in parts:
        for pin in needed_pins(ref):
            if (ref, pin) not in joined:
                faults.append(f"{ref}.{pin}: not connected")
    return faults

"""The texts that follow from the pin map: the firmware's pins, the table's, the netlist; and the board's current."""

from __future__ import annotations

import csv
import io

from copper import BOTTOM, Board
from kicad import NO_PART
from kit import refs
from nets import letters, nets
from pinmap import Map, groups


def hwconfig(pins: Map) -> str:
    """Return the module of the firmware's pins."""
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
        "# (square, multiplexer, channel, ADC input) of each sensor, by power group.",
        "GROUPS = (",
    ]
    for group in groups(pins):
        rows = (group[at : at + 4] for at in range(0, len(group), 4))
        lines += ["    (", *(f"        {', '.join(map(str, row))}," for row in rows), "    ),"]
    lines += [")  # fmt: skip", ""]
    return "\n".join(lines)


def board_bill(pins: Map, board: Board) -> str:
    """Return the list of a board's parts for whoever mounts them, as CSV: one line for each kind of part."""
    numbers = {ref: part["number"] for part in pins["part"] for ref in refs(part["ref"])}
    # What a part of the netlist is plugged into is what is soldered.
    for part in pins["part"]:
        for ref in refs(part["on"]) if "on" in part else ():
            count = part["each"] // len(refs(part["on"]))
            numbers[ref] = f"{count} x {part['number']}" if count > 1 else part["number"]
    if board.side == BOTTOM:  # the strip: its parts have the names of the first one's
        numbers["C9"] = numbers["C65"]
    kinds: dict[tuple[str, str, str, str], list[str]] = {}
    for part in board.parts:
        if part.footprint not in NO_PART:
            number = numbers[part.ref]
            how = "machine" if part.machine else "hand"
            kinds.setdefault((part.value, part.footprint, number, how), []).append(part.ref)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    table.writerow(["designators", "value", "package", "maker's number", "quantity", "mounted by"])
    for (value, footprint, number, how), alike in kinds.items():
        alike.sort(key=lambda ref: (letters(ref), int(ref[len(letters(ref)) :])))
        table.writerow([" ".join(alike), value, footprint, number, len(alike), how])
    return out.getvalue()


def power_milliamperes(pins: Map) -> dict[str, float]:
    """Return the current the board draws from USB, typical: all sensors at once, and as they are switched."""
    each = {part["ref"]: part.get("milliamperes", 0.0) * part["each"] for part in pins["part"]}
    sensors = each.pop("U1..U64")
    rest = sum(each.values())
    # Two groups overlap: the next one wakes while one is read.
    switched = 2 * sensors / len(pins["pico"]["power"])
    return {"unswitched": rest + sensors, "switched": rest + switched}


def table_pins(pins: Map) -> str:
    """Return the lines of `table.toml` for a clock wired as the map says."""
    return (
        "# Written by hardware/generate.py from hardware/pinmap.toml: for /etc/flagfall/table.toml.\n"
        f"black_pin = {pins['pi']['black_button']}\nwhite_pin = {pins['pi']['white_button']}\n"
        f"black_lamp = {pins['pi']['black_lamp']}\nwhite_lamp = {pins['pi']['white_lamp']}\n"
    )


def netlist(pins: Map) -> str:
    """Return the netlist as text: one net a line, `name: part.pin part.pin`."""
    lines = ["# Written by hardware/generate.py from hardware/pinmap.toml: every node of the board."]
    for net, ends in sorted(nets(pins).items()):
        lines.append(f"{net}: " + " ".join(f"{ref.replace(' ', '_')}.{pin}" for ref, pin in ends))
    return "\n".join(lines) + "\n"

"""KiCad's own electrical rule check over every node of a table: `python hardware/kicad_rules.py [FOLDER]`, where there
is a `kicad-cli` of KiCad 8 or newer (Debian trixie). Exit 1 if it finds anything.

The schematic (`FOLDER/table.kicad_sch`, which KiCad opens) is written from the same netlist as everything else: each
part a column of pins, each pin with the name of its net. It is for the check, not for the eye.
"""

from __future__ import annotations

import json
import sys
import tempfile
import uuid
from pathlib import Path

from kicad import findings, new_id, run_check
from nets import Nets, nets
from pinmap import read

_STEP = 2.54
_KINDS = {"VCC": "power_in", "GND": "power_in", "OUT": "output", "3V3": "power_out"}
_INPUTS = ("E", "S0", "S1", "S2", "S3", "SCL", "ADDR")
# KiCad's mark of a net that has its power from outside: GND, by the USB cable.
_FLAG = "#FLG01"
_SHEET = str(uuid.uuid4())


def main() -> int:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="flagfall-kicad-"))
    all_nets = nets(read())
    (folder / "table.kicad_sch").write_text(text(all_nets), "utf-8")
    # No library of KiCad's own is used.
    silent = dict.fromkeys(("lib_symbol_issues", "footprint_link_issues"), "ignore")
    (folder / "table.kicad_pro").write_text(json.dumps({"erc": {"rule_severities": silent}}), "utf-8")
    result = run_check(folder, "erc", "table.kicad_sch")
    return findings(
        result,
        [entry for sheet in result["sheets"] for entry in sheet["violations"]],
        f"{len(all_nets)} nets",
    )


def text(all_nets: Nets) -> str:
    """Return the schematic file. KiCad counts y downwards on a sheet and upwards in a symbol."""
    parts: dict[str, dict[str, str]] = {_FLAG: {"1": "GND"}}
    for net, ends in all_nets.items():
        for ref, pin in ends:
            parts.setdefault(ref, {})[pin] = net
    symbols, placed = [], []
    for index, (ref, pins) in enumerate(parts.items()):
        x, y = 20 * _STEP * (1 + index % 20), 50 * _STEP * (index // 20) + 10 * _STEP
        name = _reference(ref)
        symbols.append(_symbol(name, ref, list(pins)))
        placed.append(_symbol_at(name, x, y))
        for line, net in enumerate(pins.values()):
            place = f"(at {x:.2f} {y + line * _STEP:.2f} 0)"
            placed.append(f'(global_label "{net}" (shape passive) {place} {new_id()})')
    return "\n".join(
        [
            f'(kicad_sch (version 20231120) (generator "flagfall") (uuid "{_SHEET}") (paper "A0")',
            *("(lib_symbols", *symbols, ")"),
            *placed,
            f'(sheet_instances (path "/{_SHEET}" (page "1"))))\n',
        ]
    )


def _reference(ref: str) -> str:
    """Return a name as KiCad takes one: an electrode (`PLANE row 1`, `PLANE column a`) is a test point."""
    if not ref.startswith("PLANE"):
        return ref
    _, kind, which = ref.split()
    return f"TP{which}" if kind == "row" else f"TP{'abcdefgh'.index(which) + 11}"


def _symbol(name: str, ref: str, pins: list[str]) -> str:
    drawn = [
        f"(pin {_kind(ref, pin)} line (at 0 {-line * _STEP:.2f} 0) (length 0)"
        f' (name "{pin}" (effects (font (size 1 1)))) (number "{pin}" (effects (font (size 1 1)))))'
        for line, pin in enumerate(pins)
    ]
    power = "(power)" if ref == _FLAG else ""
    head = f'(symbol "flagfall:{name}" {power} (in_bom yes) (on_board yes) {_properties(name, 0, 0)}'
    return "\n".join([head, f'(symbol "{name}_1_1"', *drawn, "))"])


def _symbol_at(name: str, x: float, y: float) -> str:
    inside = f'(project "table" (path "/{_SHEET}" (reference "{name}") (unit 1)))'
    return (
        f'(symbol (lib_id "flagfall:{name}") (at {x:.2f} {y:.2f} 0) (unit 1) (in_bom yes) (on_board yes) (dnp no)'
        f" {new_id()} {_properties(name, x, y)} (instances {inside}))"
    )


def _properties(name: str, x: float, y: float) -> str:
    place = f"(at {x:.2f} {y:.2f} 0) (effects (font (size 1 1)) (hide yes))"
    values = (("Reference", name), ("Value", name), ("Footprint", ""), ("Datasheet", ""))
    return " ".join(f'(property "{key}" "{value}" {place})' for key, value in values)


def _kind(ref: str, pin: str) -> str:
    """Return the electrical type of a pin, for KiCad's check."""
    if ref == _FLAG or (ref[0] == "Q" and pin == "D"):
        return "power_out"
    if ref[0] in "CRJSDPQ":
        return "passive"
    if pin in _INPUTS and ref[0] in "ME":
        return "input"
    if ref == "A1" and pin.startswith("GP"):
        return "bidirectional"
    return _KINDS.get(pin, "passive")


if __name__ == "__main__":
    sys.exit(main())

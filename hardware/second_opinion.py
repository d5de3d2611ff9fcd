"""The electrical rule check of another program over our netlist: `pip install skidl`, then
`python hardware/second_opinion.py`. Exit 1 if it finds anything but what is meant.

SKiDL draws in half a scientific library, so it is no part of the project's own checks (`nets.electrical_faults`).
"""

from __future__ import annotations

import os
import sys
import tempfile

from nets import nets
from pinmap import read

_DRIVEN = {"VCC": "PWRIN", "GND": "PWRIN", "OUT": "OUTPUT", "SIG": "PASSIVE", "3V3": "PWROUT"}
_INPUTS = ("E", "S0", "S1", "S2", "S3", "G", "SCL", "ADDR")


def main() -> int:
    # SKiDL leaves its logs where it is called.
    os.chdir(tempfile.mkdtemp(prefix="flagfall-erc-"))
    import skidl  # type: ignore[import-not-found,unused-ignore]

    pins = read()
    joined = nets(pins)
    kinds = skidl.Pin.types
    parts: dict[str, list[str]] = {}
    for ends in joined.values():
        for ref, pin in ends:
            parts.setdefault(ref, []).append(pin)
    made = {}
    for ref, names in parts.items():
        kind = [skidl.Pin(num=name, name=name, func=kinds[_kind(ref, name)]) for name in dict.fromkeys(names)]
        made[ref] = skidl.Part(
            name=ref, ref=ref.replace(" ", "_"), tool=skidl.SKIDL, dest="NETLIST", pins=kind
        )
    for name, ends in joined.items():
        net = skidl.Net(name)
        for ref, pin in ends:
            net += made[ref][pin]
        if name.startswith("VS"):
            net.drive = skidl.POWER
        if name in ("GND", "PI GND"):
            net.drive = skidl.POWER
    skidl.ERC()
    found = skidl.erc_logger.error.count, skidl.erc_logger.warning.count
    print(
        f"SKiDL {skidl.__version__}: {len(made)} parts, {len(joined)} nets, {found[0]} errors, {found[1]} warnings"
    )
    return 0 if found == (0, 0) else 1


def _kind(ref: str, pin: str) -> str:
    if ref[0] in "CRJSDPQ":
        return "PASSIVE"
    if ref == "A1" and pin == "GND":
        return "PWRIN"
    if pin in _INPUTS and ref[0] in "ME":
        return "INPUT"
    if ref == "A1" and pin.startswith("GP"):
        return "BIDIR"
    if ref.startswith("PLANE"):
        return "PASSIVE"
    return _DRIVEN.get(pin, "PASSIVE")


if __name__ == "__main__":
    sys.exit(main())

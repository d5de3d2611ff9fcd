"""The generator of everything that follows from `pinmap.toml`, `kit.toml`, `case.toml`, `strip.toml` and `centre.toml`;
`--check` only says whether it is current (exit 1 if not).

python hardware/generate.py [--check]
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import case
import centre
import copper
import gerber
import guide
import kicad
import kicad_schematic
import kit
import listings
import pinmap
import plates
import power_up
import schematic
import strip
from nets import electrical_faults, nets
from pinmap import HERE, Map

ROOT = HERE.parent
GENERATED = HERE / "generated"


def generated_files(pins: Map) -> dict[Path, str]:
    """Return every generated file and its content. Raise ValueError that says what is wrong with map or drawing."""
    joined, parts = nets(pins), kit.read()
    faults = electrical_faults(joined)
    drawn = strip.drawing()
    pads = strip.wanted_pads(joined, row=1)
    board = strip.board(drawn, pads)
    faults += copper.faults(board, strip.rules(drawn), pads)
    middle = centre.drawing()
    wanted = centre.wanted_pads(joined, middle)
    centre_board = centre.board(middle, wanted, centre.tracks())
    faults += copper.faults(centre_board, centre.rules(middle), wanted)
    faults += power_up.faults(power_up.model(pins, drawn))
    if faults:
        raise ValueError(faults[0])
    made = {
        "strip": (board, strip.rules(drawn), drawn),
        "centre": (centre_board, centre.rules(middle), middle),
    }
    return {
        ROOT / "firmware_py" / "hwconfig.py": listings.hwconfig(pins),
        GENERATED / "parts.csv": kit.bill(parts),
        HERE / "KIT.md": kit.page(parts),
        GENERATED / "netlist.txt": listings.netlist(pins),
        GENERATED / "table-pins.toml": listings.table_pins(pins),
        GENERATED / "strip-schematic.svg": schematic.svg(pins),
        **{GENERATED / "case" / name: text for name, text in case.files(case.parameters()).items()},
        **{
            GENERATED / name / file: text
            for name, (shapes, rules, drawing) in made.items()
            for file, text in board_files(name, shapes, rules, drawing["board"]["thickness"]).items()
        },
        GENERATED / "centre" / "centre-bom.csv": listings.board_bill(pins, centre_board),
        GENERATED / "strip" / "strip-bom.csv": listings.board_bill(pins, board),
        **guide.pages(parts, pins),
        **{GENERATED / "plates" / name: text for name, text in plates.files(drawn).items()},
    }


def board_files(name: str, board: copper.Board, rules: copper.Rules, thickness: float) -> dict[str, str]:
    """Return the files of a board by their names in its folder: the maker's, and those that KiCad opens."""
    return {
        **gerber.files(board, name),
        f"kicad/{name}.kicad_pcb": kicad.board_text(board, name, thickness),
        f"kicad/{name}.kicad_sch": kicad_schematic.of_a_board(name, board),
        f"kicad/{name}.kicad_pro": kicad.project(rules),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if something is not current"
    )
    options = parser.parse_args(arguments)
    try:
        files = generated_files(pinmap.read())
    except (ValueError, KeyError) as error:
        print(f"hardware: {error}", file=sys.stderr)
        return 2
    stale = 0
    for path, text in files.items():
        current = path.exists() and path.read_text("utf-8") == text
        if options.check and not current:
            print(f"{path.relative_to(ROOT)}: not what the pin map and the drawing say", file=sys.stderr)
            stale = 1
        elif not current:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main())

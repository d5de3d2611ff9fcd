"""KiCad's own rules over the strip, the centre board and every node of a table: `python hardware/kicad_rules.py`.

It needs a `kicad-cli` of KiCad 8 or newer (Debian trixie; bookworm's 6 has none), or a command in
`FLAGFALL_KICAD_CLI` that runs one. Without it nothing is checked, and one line says so. Exit 1 if KiCad finds anything:
copper that is not joined to its net, too near, or cannot be drilled; a board that is not what its schematic says; a
schematic with an electrical fault.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import kicad_schematic
from nets import nets
from pinmap import HERE, read

PROJECTS = {name: HERE / "generated" / name / "kicad" for name in ("strip", "centre")}


def main() -> int:
    if cli() is None:
        print("KiCad: no kicad-cli here, so NOTHING WAS CHECKED by it (Debian trixie's package kicad has it)")
        return 1 if os.environ.get("CI") == "true" else 0
    failed = 0
    with tempfile.TemporaryDirectory(prefix="flagfall-kicad-", dir=os.environ.get("TMPDIR")) as scratch:
        for name, source in PROJECTS.items():
            folder = Path(scratch) / name
            shutil.copytree(source, folder)
            result = run_check(folder, "drc", f"{name}.kicad_pcb")
            entries = [
                *result["violations"],
                *result["unconnected_items"],
                *result.get("schematic_parity", []),
            ]
            failed |= findings(result, entries, f"board {name}, its rules and what its schematic joins")
            failed |= _schematic(folder, name)
        table = Path(scratch) / "table"
        table.mkdir()
        joined = nets(read())
        (table / "table.kicad_sch").write_text(kicad_schematic.of_the_table(joined), "utf-8")
        silent = dict.fromkeys(("lib_symbol_issues", "footprint_link_issues"), "ignore")
        (table / "table.kicad_pro").write_text(json.dumps({"erc": {"rule_severities": silent}}), "utf-8")
        failed |= _schematic(table, "table")
    return failed


def cli() -> list[str] | None:
    """Return the command that runs KiCad's checks: `FLAGFALL_KICAD_CLI`, else `kicad-cli`; None where there is none."""
    words = os.environ.get("FLAGFALL_KICAD_CLI", "kicad-cli").split()
    return words if shutil.which(words[0]) else None


def run_check(folder: Path, check: str, file: str) -> dict[str, Any]:
    """Return the report of KiCad's check (`drc` of a board, `erc` of a schematic) of a file."""
    kind, report = Path(file).suffix.removeprefix(".kicad_"), f"{Path(file).stem}-{check}.json"
    more = (
        ["--schematic-parity"]
        if check == "drc" and (folder / file).with_suffix(".kicad_sch").exists()
        else []
    )
    command = [*(cli() or ["kicad-cli"]), kind, check, *more, "--severity-all", "--format", "json"]
    subprocess.run([*command, "--output", folder / report, folder / file], check=True, capture_output=True)
    result: dict[str, Any] = json.loads((folder / report).read_text("utf-8"))
    return result


def findings(result: dict[str, Any], entries: list[dict[str, Any]], subject: str) -> int:
    """Print the findings; return 1 if there are any."""
    for entry in entries:
        where = "; ".join(item["description"] for item in entry["items"])
        print(f"{entry['severity']}: {entry['type']}: {entry['description']}: {where}")
    print(f"KiCad {result['kicad_version']}: {subject}: {len(entries)} findings")
    return 1 if entries else 0


def _schematic(folder: Path, name: str) -> int:
    result = run_check(folder, "erc", f"{name}.kicad_sch")
    entries = [entry for sheet in result["sheets"] for entry in sheet["violations"]]
    return findings(result, entries, f"schematic {name}, its electrical rules")


if __name__ == "__main__":
    sys.exit(main())

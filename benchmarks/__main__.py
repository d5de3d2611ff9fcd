"""Runs the benches one by one and prints what they find; with --write also docs/benchmarks.md and its plots.

    python -m benchmarks [--short] [--write | --page] [NAME ...]

Figures taken earlier stay on the page until their bench is run again (docs/benchmarks/figures.json holds them), with
the commit at which they were measured if their code has changed since. --page measures nothing and writes that anew.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec

from benchmarks.report import machine
from benchmarks.report.code import commit as code_commit
from benchmarks.report.code import digest
from benchmarks.report.figures import LONGEST_S, LONGEST_SHORT_S, Figure, Found, Plot, Remark, text_of
from benchmarks.report.list import BENCHES, Bench
from benchmarks.report.page import Taken, page
from benchmarks.report.plot import svg

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
# A bench that hangs is ended from here, with all its processes, this much later than it ends itself.
_LET_GO_S = 30.0


def main() -> int:
    names = [bench.name for bench in BENCHES]
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all of them if none: {', '.join(names)}")
    parser.add_argument(
        "--short", action="store_true", help="everything once and small, to see that it works"
    )
    parser.add_argument("--write", action="store_true", help="docs/benchmarks.md and its plots")
    parser.add_argument("--page", action="store_true", help="only docs/benchmarks.md, nothing is measured")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in names]
    if unknown:
        parser.error(f"expected one of {', '.join(names)}, got {unknown[0]}")
    if options.short and options.write:
        parser.error("--write: expected full runs, not --short")
    if options.page:
        if options.short or options.write or options.names:
            parser.error("--page: expected nothing beside it")
        write({}, DOCS)
        return 0
    chosen = [bench for bench in BENCHES if not options.names or bench.name in options.names]
    taken: dict[str, Taken] = {}
    for bench in chosen:
        print(f"\n== {bench.title} ({bench.command}{' --short' if options.short else ''})", flush=True)
        taken[bench.name] = took = run(bench, options.short)
        if took.failed:
            print(f"could not be measured: {took.failed}")
    if options.write:
        write(taken, DOCS)
        print(f"\nwritten: {DOCS / 'benchmarks.md'}")
    figures = [
        figure
        for took in taken.values()
        for figure in took.found
        if isinstance(figure, Figure) and figure.aim
    ]
    print(f"\n{sum(bool(figure.met) for figure in figures)} of {len(figures)} aims met")
    return 1 if any(took.failed for took in taken.values()) else 0


def run(bench: Bench, short: bool) -> Taken:
    """Run one bench in a process of its own, so that none finds another's memory or modules."""
    before, begun = machine.load(), time.monotonic()
    absent = [program for program in bench.needs if shutil.which(program, path=machine.PATH) is None]
    findings: list[Found] = [Remark(f"Left out, not installed here: {', '.join(absent)}.")] if absent else []
    command = [sys.executable, "-m", f"benchmarks.{bench.name}", "--json", *(["--short"] if short else [])]
    environment = {**os.environ, "PATH": machine.PATH, "PYTHONPATH": str(ROOT)}
    failed = ""
    code, commit = digest(bench.name), code_commit()
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as child:
        assert child.stdout is not None
        # Its programs hold its output open: they are ended with it.
        longest_s = (LONGEST_SHORT_S if short else LONGEST_S) + _LET_GO_S
        too_long = threading.Timer(longest_s, os.killpg, (child.pid, signal.SIGKILL))
        too_long.daemon = True
        too_long.start()
        for line in child.stdout:
            findings.append(msgspec.json.decode(line, type=Found))
            print(text_of(findings[-1]), flush=True)
        child.wait()
        too_long.cancel()
    if child.returncode:
        failed = f"ended with status {child.returncode}"
    return Taken(
        date=machine.today(),
        load=before,
        took_s=round(time.monotonic() - begun, 1),
        found=tuple(findings),
        failed=failed,
        commit=commit,
        code=code,
    )


def write(taken: Mapping[str, Taken], docs: Path) -> None:
    """Write the page, its plots, and the figures it is made of; what was taken earlier stays."""
    folder = docs / "benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    kept, kept_machine = folder / "figures.json", folder / "machine.json"
    known = msgspec.json.decode(kept.read_bytes(), type=dict[str, Taken]) if kept.exists() else {}
    known |= taken
    known = {bench.name: known[bench.name] for bench in BENCHES if bench.name in known}
    kept.write_bytes(msgspec.json.format(msgspec.json.encode(known), indent=1) + b"\n")
    for bench_taken in known.values():
        for plot in bench_taken.found:
            if isinstance(plot, Plot):
                (folder / plot.file).write_text(svg(plot), "utf-8")
    if taken or not kept_machine.exists():
        kept_machine.write_bytes(
            msgspec.json.format(msgspec.json.encode(machine.describe()), indent=1) + b"\n"
        )
    measured_on = msgspec.json.decode(kept_machine.read_bytes(), type=dict[str, str])
    present = {name: digest(name) for name in known}
    (docs / "benchmarks.md").write_text(page(BENCHES, known, measured_on, present), "utf-8")


if __name__ == "__main__":
    sys.exit(main())

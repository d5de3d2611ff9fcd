"""A hundred tables while a stranger asks for everything: at a club's hub, and behind a venue's nginx.

    python -m benchmarks.hub.attacks [--short]

Each attack lasts 12 s, from a process on the same two cores (`tests/chaos/test_chaos_hall.py`); receipts and pages of
honest clients are timed beside it.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.report.figures import Aim, Figure, Found, Remark, at_most, run

ROOT = Path(__file__).resolve().parents[2]
STORY = "tests/chaos/test_chaos_hall.py"
_LINE = re.compile(
    r"^(?P<kind>club|venue) +(?P<name>[\w ]+?) +receipt p99 (?P<receipt>[\d.]+) s, at most (?P<most>[\d.]+) s,"
    r" page p99 (?P<page>[\d.]+) s .*?, (?P<memory>\d+) MB,",
    re.MULTILINE,
)
_SOURCE = "decisions/0009-bounds.md"
_AIMS: dict[str, dict[str, Aim]] = {
    "club": {"most": at_most(1.5, _SOURCE), "memory": at_most(150, _SOURCE)},
    "venue": {"receipt": at_most(1, _SOURCE), "page": at_most(0.5, _SOURCE), "memory": at_most(160, _SOURCE)},
}
_SAYS = {
    "receipt": ("receipt p99", "s"),
    "most": ("slowest receipt", "s"),
    "page": ("page p99", "s"),
    "memory": ("memory of hub and nginx", "MB"),
}


def measure(short: bool) -> Iterator[Found]:
    chosen = "nothing and club" if short else "not bombs and not rubbish and not invented and not revisions"
    command = [
        sys.executable,
        "-m",
        "pytest",
        STORY,
        "--long",
        "-m",
        "long",
        "-n",
        "0",
        "-s",
        "-q",
        "-k",
        chosen,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = list(_LINE.finditer(done.stdout))
    if not lines:
        raise RuntimeError(done.stdout[-2_000:])
    for line in lines:
        kind = line["kind"]
        for key, (says, unit) in _SAYS.items():
            aim = _AIMS[kind].get(key) if line["name"] != "nothing" else None
            yield Figure(f"{kind}, {line['name']}: {says}", unit, (float(line[key]),), aim)
    if done.returncode:
        yield Remark(
            "Beyond a limit: " + "; ".join(re.findall(r"^FAILED .*\[(.*)\]", done.stdout, re.MULTILINE))
        )


if __name__ == "__main__":
    run(measure, __doc__)

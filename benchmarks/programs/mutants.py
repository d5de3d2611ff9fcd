"""The share of random small changes in the law, the pairing and the rankings that their tests notice.

python -m benchmarks.programs.mutants [--short]
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.load.venue import ROOT
from benchmarks.report.figures import Figure, Found, Remark, at_least, run

AIM = at_least(95, "95 % of those that change anything")
SAMPLE = ("--sample", "100", "--seed", "39", "--slowest", "0.5")
SHORT = ("--sample", "3", "--slowest", "0.1")
# Room -> the modules that import all that is changed there, and the tool.
ROOMS = {
    "othello": ("flagfall.othello.referee", "flagfall.othello.report", "tools.mutants"),
    "pairing": ("hub.pairing.next_round", "hub.pairing.check", "hub.pairing.explain"),
    "ranking": ("hub.ranking.reports", "hub.ranking.reports", "hub.ranking.categories"),
    "record": ("hub.record.store",),
    "tables": ("hub.tables.inbound", "hub.tables.outbound"),
    "people": ("hub.people.acts", "hub.people.my_page"),
    "table_app/game": ("table_app.game.table_game",),
}
COUNTED = re.compile(r"^[\w/]+: (\d+) of (\d+) killed, .*; (\d+) equivalent left out; (\d+) mutants in all$")


def measure(short: bool) -> Iterator[Found]:
    for room in ("ranking",) if short else ROOMS:
        command = [sys.executable, "tools/mutants.py", *(SHORT if short else SAMPLE), room]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        counted = COUNTED.match(done.stdout.splitlines()[-1]) if done.returncode == 0 else None
        if counted is None:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        killed, met, equivalent, everything = map(int, counted.groups())
        note = f"{killed} of {met}, {equivalent} equivalent ones left out; {everything} in all"
        yield Figure(f"mutants killed, {room}", "%", (100 * killed / max(1, met),), AIM, note)
    yield Remark(
        "A mutant is one comparison, condition, logical operator or small number, changed: tools/mutants.py."
    )


if __name__ == "__main__":
    run(measure, __doc__)

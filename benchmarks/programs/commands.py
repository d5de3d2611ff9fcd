"""The cost of the commands that load little: processor time from the start of the process to its end.

python -m benchmarks.programs.commands [--short]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from benchmarks.load.venue import ROOT
from benchmarks.programs.start_and_size import as_installed
from benchmarks.report.figures import Figure, Found, Remark, Yardstick, at_most, run

RUNS = 15
FILE = "docs/examples/club-evening.json"
AIM = at_most(5, "0.15 s of processor time")
PASS = ("-c", "pass")
COMMANDS = {
    "flagfall-table --help": ("-m", "table_app.main", "--help"),
    "flagfall-table replay, a game": ("-m", "table_app.main", "replay", "tests/stories/both_flags.jsonl"),
    "flagfall-hub --help": ("-m", "hub.main", "--help"),
    "flagfall-hub rank, a club's evening": ("-m", "hub.main", "rank", FILE),
    "flagfall-hub finals, the same": ("-m", "hub.main", "finals", FILE),
    "flagfall-hub pair, the same": ("-m", "hub.main", "pair", FILE),
    "flagfall-hub check, the same": ("-m", "hub.main", "check", FILE),
}


def processor_s(arguments: tuple[str, ...], environment: Mapping[str, str]) -> float:
    """Return the user and system time of one process, to its end."""
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    with process.stderr as errors:
        text = errors.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(arguments)}: {text.decode(errors='replace')}")
    return used.ru_utime + used.ru_stime


def measure(short: bool) -> Iterator[Found]:
    runs, first = (1, 0) if short else (RUNS + 1, 1)
    with tempfile.TemporaryDirectory(prefix="flagfall-bench-") as compiled:
        environment = as_installed(compiled, short)
        taken: dict[str, list[float]] = {name: [] for name in COMMANDS}
        alone: list[float] = []
        # The first round compiles, and is not counted; all take turns, so that what else runs here hits all alike.
        for number in range(runs):
            found_s = processor_s(PASS, environment)
            round_s = {name: processor_s(command, environment) for name, command in COMMANDS.items()}
            if number >= first:
                alone.append(found_s)
                for name, value_s in round_s.items():
                    taken[name].append(value_s)
    for name, values in taken.items():
        yield Figure(name, "s", tuple(values), AIM, beside=Yardstick("an empty Python", tuple(alone)))
    yield Remark("Rounds of more than 40 players are weighed by numpy; nothing here loads it.")


if __name__ == "__main__":
    run(measure, __doc__)

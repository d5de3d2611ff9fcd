"""The cost of an eye for the clock beside it on the same device, and the memory it holds.

python -m benchmarks.boards.eye_beside [--short]
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.report.figures import Figure, Found, Yardstick, at_most, p99, run
from benchmarks.table.latency import measured
from flagfall.othello.board import START
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import draw_scene


@contextmanager
def watching() -> Iterator[list[float]]:
    """Run the program on pictures of 1280 x 960, eight a second; give the most memory it held (MB)."""
    held: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        painter = ScenePainter(draw_scene(3))
        (folder / "1.jpg").write_bytes(painter.jpeg(START))
        command = [
            sys.executable,
            "-m",
            "eye.start",
            "run",
            "--pictures",
            name,
            "--port",
            str(folder / "board"),
        ]
        # As its service: the clock comes first.
        program = subprocess.Popen(["nice", "-n", "10", *command], stderr=subprocess.PIPE, text=True)
        try:
            assert program.stderr is not None
            if "the board is seen" not in program.stderr.readline():
                raise TimeoutError("the eye did not see its board")
            yield held
            match = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{program.pid}/status").read_text("ascii"))
            held.append(int(match[1]) / 1024 if match is not None else 0.0)
        finally:
            program.terminate()
            program.wait(20)


def measure(short: bool) -> Iterator[Found]:
    presses, runs = (5, 1) if short else (150, 3)
    alone: list[float] = []
    beside: list[float] = []
    held: list[float] = []
    for _ in range(runs):
        alone.append(p99(measured(presses).turns))
        with watching() as most:
            beside.append(p99(measured(presses).turns))
        held += most
    yield Figure(
        "from the press to the turned clock beside an eye at work, p99",
        "ms",
        tuple(beside),
        at_most(1.2, "as without"),
        note=f"{presses} presses a run",
        beside=Yardstick("without an eye", tuple(alone)),
    )
    yield Figure("the most memory that the program holds", "MB", tuple(held), at_most(150, "hardware/EYE.md"))


if __name__ == "__main__":
    run(measure, __doc__)

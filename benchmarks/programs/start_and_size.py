"""The time from the start of a process to its first frame or page, what it takes at rest, and installed size.

python -m benchmarks.programs.start_and_size [--short]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchmarks.load.venue import ROOT, until, used_by_all
from benchmarks.load.virtual_display import DRAWN_TABLE, display
from benchmarks.report.figures import RUNS, Figure, Found, Remark, Yardstick, at_most, run
from simulator.program import free_port

REST_S = 3.0
# Program -> its folders.
PROGRAMS = {
    "flagfall-table": ("flagfall", "table_app"),
    "flagfall-hub": ("flagfall", "hub"),
    "flagfall-demo": ("flagfall", "table_app", "hub", "simulator", "firmware_py"),
}


def first_frame_s(environment: Mapping[str, str]) -> float:
    """Return the seconds of a table with a window, from the start of the process to the first frame on the screen."""
    folder = tempfile.mkdtemp(prefix="flagfall-bench-")
    options = ["run", "--simulate", "--state-dir", folder]
    begun = time.monotonic()
    table = subprocess.Popen(
        [sys.executable, "-c", DRAWN_TABLE, *options],
        cwd=ROOT,
        env={**environment, "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert table.stderr is not None
    try:
        frame = next(line for line in table.stderr if line.startswith("frame "))
        return int(frame.split()[1]) / 1e9 - begun
    finally:
        table.terminate()
        table.wait(30)
        table.stderr.close()
        shutil.rmtree(folder, ignore_errors=True)


_EMPTY_WINDOW = """
import sys, time, pygame
pygame.init()
pygame.display.set_mode((800, 480)).fill((20, 20, 20))
pygame.display.flip()
print("frame", time.monotonic(), file=sys.stderr, flush=True)
"""


def empty_window_s(environment: Mapping[str, str]) -> float:
    """Return the least that anything drawn with pygame takes."""
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", _EMPTY_WINDOW],
        env={**environment, "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        stderr=subprocess.PIPE,
        text=True,
        check=True,
    )
    return float(done.stderr.split("frame ")[1].split()[0]) - begun


def pass_s(environment: Mapping[str, str]) -> float:
    """Return the seconds of an empty Python, from its start to its end."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], env=environment, check=True)
    return time.monotonic() - begun


def first_page(environment: Mapping[str, str], rest_s: float) -> tuple[float, float]:
    """Return (seconds to the hub's first page, MB resident after `rest_s` at rest)."""
    folder, port = tempfile.mkdtemp(prefix="flagfall-bench-"), free_port()
    options = ["--state-dir", folder, "--web-port", str(port), "--broker-port", str(free_port())]
    begun = time.monotonic()
    hub = subprocess.Popen(
        [sys.executable, "-m", "hub.main", "run", *options],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        until(lambda: _page(port), "the first page")
        taken = time.monotonic() - begun
        time.sleep(rest_s)
        return taken, used_by_all(hub.pid).resident_mb
    finally:
        hub.terminate()
        hub.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _page(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def installed_mb(program: str) -> tuple[float, float, tuple[str, ...]]:
    """Return MB of the program's rooms; MB and names of the distributions that its extra asks for, with what those
    need.
    """
    needed: set[str] = set()
    _add("flagfall", program.removeprefix("flagfall-"), needed)
    needed -= {"flagfall"}
    files = sum(_size(ROOT / folder) for folder in PROGRAMS[program])
    return files / 1024**2, sum(map(_installed_size, needed)) / 1024**2, tuple(sorted(needed))


def _add(name: str, extra: str, needed: set[str]) -> None:
    """Add a distribution, and what it needs here with this extra."""
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:
        return
    needed.add(name)
    for requirement in map(Requirement, requires):
        if (requirement.marker is None or requirement.marker.evaluate({"extra": extra})) and (
            requirement.extras or canonicalize_name(requirement.name) not in needed
        ):
            for wanted in requirement.extras or {""}:
                _add(canonicalize_name(requirement.name), wanted, needed)


def _installed_size(name: str) -> int:
    files = distribution(name).files or []
    return sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())


def _size(room: Path) -> int:
    return sum(
        path.stat().st_size for path in room.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )


def as_installed(folder: str, short: bool) -> dict[str, str]:
    """Return the environment of a program whose modules Python has compiled before, as an installation does.

    They are kept in `folder`; of a short run where Python keeps them.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment if short else environment | {"PYTHONPYCACHEPREFIX": folder}


def measure(short: bool) -> Iterator[Found]:
    runs, first = (1, 0) if short else (RUNS + 1, 1)
    with tempfile.TemporaryDirectory(prefix="flagfall-bench-") as compiled, display() as screen:
        environment = as_installed(compiled, short)
        if screen is None:
            yield Remark("Left out, not installed here: Xvfb (the table's first frame).")
        else:
            # The first start compiles, and is not counted.
            drawn = {**environment, **screen}
            taken, empty = zip(
                *[(first_frame_s(drawn), empty_window_s(drawn)) for _ in range(runs)][first:], strict=True
            )
            yield Figure(
                "flagfall-table, process to first frame, a window under Xvfb",
                "s",
                taken,
                at_most(2, "an empty window, twice"),
                beside=Yardstick("an empty pygame window", empty),
            )
        pages = [first_page(environment, 0.2 if short else REST_S) for _ in range(runs)][first:]
        alone = tuple(pass_s(environment) for _ in range(runs)[first:])
    yield Figure(
        "flagfall-hub, process to first page",
        "s",
        tuple(taken for taken, _ in pages),
        at_most(15, "15 empty Pythons"),
        beside=Yardstick("an empty Python", alone),
    )
    yield Figure(
        "flagfall-hub at rest, with broker and ledger",
        "MB",
        tuple(mb for _, mb in pages),
        at_most(55, "memory does not depend on speed"),
    )
    for program in PROGRAMS:
        ours_mb, others, names = installed_mb(program)
        yield Figure(
            f"{program}, installed", "MB", (ours_mb + others,), note=f"of it our own files {ours_mb:.1f} MB"
        )
        yield Remark(f"{program} needs {', '.join(names)}.")


if __name__ == "__main__":
    run(measure, __doc__)

"""From the start of a process to its first frame or page, what it takes at rest, and installed size.

python -m benchmarks.programs.start_and_size [--short]
"""

from __future__ import annotations

import ast
import http.client
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from benchmarks.load.venue import ROOT, resident_mb, until
from benchmarks.load.virtual_display import display
from benchmarks.report.figures import RUNS, Figure, Found, Remark, Yardstick, at_most, run
from simulator.program import free_port

REST_S = 3.0
PROGRAMS = {
    "flagfall-table": ("table_app.main", "table_app.screen.child"),
    "flagfall-hub": ("hub.main", "hub.rounds.pairing_worker"),
    "flagfall-demo": (
        "simulator.main",
        "table_app.main",
        "table_app.screen.child",
        "hub.main",
        "hub.rounds.pairing_worker",
        "firmware_py.main",
    ),
}
"""By program, the modules that its processes start with."""
_DRAWING = """
import sys, time, pygame
drawn = pygame.display.update
def update(*rectangles):
    drawn(*rectangles)
    print("frame", time.monotonic(), file=sys.stderr, flush=True)
pygame.display.update = update
from table_app.screen.child import main
sys.exit(main())
"""
_TABLE = f"""
import sys
from table_app.screen import process
process.COMMAND = (sys.executable, "-c", {_DRAWING!r})
from table_app.main import main
sys.exit(main(sys.argv[1:]))
"""


def first_frame_s(environment: Mapping[str, str]) -> float:
    """A table with a window, from the start of the process to the first frame on the screen."""
    folder = tempfile.mkdtemp(prefix="flagfall-bench-")
    options = ["run", "--simulate", "--state-dir", folder]
    begun = time.monotonic()
    table = subprocess.Popen(
        [sys.executable, "-c", _TABLE, *options],
        cwd=ROOT,
        env={**environment, "PYGAME_HIDE_SUPPORT_PROMPT": "1"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert table.stderr is not None
    try:
        frame = next(line for line in table.stderr if line.startswith("frame "))
        return float(frame.split()[1]) - begun
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
    """The least that anything drawn with pygame takes."""
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
    """an empty Python, from its start to its end."""
    begun = time.monotonic()
    subprocess.run([sys.executable, "-c", "pass"], env=environment, check=True)
    return time.monotonic() - begun


def first_page(environment: Mapping[str, str], rest_s: float) -> tuple[float, float]:
    """(seconds to the hub's first page, MB resident after `rest_s` at rest)."""
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
        return taken, resident_mb(hub.pid)
    finally:
        hub.terminate()
        hub.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _page(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", "/")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


def installed_mb(program: str) -> tuple[float, float, tuple[str, ...]]:
    """MB of the rooms that the program imports, of the distributions that these import with what those need, and
    the names of the distributions."""
    own, modules = _reached(PROGRAMS[program])
    sources = packages_distributions()
    offered = {_name(line) for line in distribution("flagfall").requires or ()}
    needed: set[str] = set()
    for module in modules:
        for name in sources.get(module, ()):
            if _name(name) in offered:
                _add(_name(name), needed)
    rooms = {file.relative_to(ROOT).parts[0] for file in own}
    files = sum(_size(ROOT / room) for room in rooms)
    return files / 1024**2, sum(map(_installed_size, needed)) / 1024**2, tuple(sorted(needed))


def _reached(roots: tuple[str, ...]) -> tuple[set[Path], set[str]]:
    """Our own files that these modules import, at any depth, and the names of all others' packages."""
    files: set[Path] = set()
    others: set[str] = set()
    waiting = list(roots)
    while waiting:
        module = waiting.pop()
        base = ROOT.joinpath(*module.split("."))
        file = next((one for one in (base.with_suffix(".py"), base / "__init__.py") if one.is_file()), None)
        if file is None:
            others.add(module.partition(".")[0])
        elif file not in files:
            files.add(file)
            waiting += _imports(file)
    return files, others


def _imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            folder = ROOT.joinpath(*node.module.split("."))
            yield from (f"{node.module}.{name.name}" for name in node.names if folder.is_dir())


def _name(line: str) -> str:
    """The distribution that a line of requirements begins with."""
    found = re.match(r"[A-Za-z0-9._-]+", line)
    return found[0].lower().replace("_", "-") if found else ""


def _add(name: str, needed: set[str]) -> None:
    """A distribution and what it always needs here."""
    if name in needed:
        return
    try:
        requires = distribution(name).requires or []
    except PackageNotFoundError:
        return
    needed.add(name)
    for line in requires:
        if "extra ==" not in line:
            _add(_name(line), needed)


def _installed_size(name: str) -> int:
    files = distribution(name).files or []
    return sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).is_file())


def _size(room: Path) -> int:
    return sum(
        path.stat().st_size for path in room.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )


def as_installed(folder: str, short: bool) -> dict[str, str]:
    """The environment of a program whose modules Python has compiled before, as an installation does.

    They are kept in `folder`; of a short run where Python keeps them.
    """
    own = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return own if short else own | {"PYTHONPYCACHEPREFIX": folder}


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
        found = [first_page(environment, 0.2 if short else REST_S) for _ in range(runs)][first:]
        alone = tuple(pass_s(environment) for _ in range(runs)[first:])
    yield Figure(
        "flagfall-hub, process to first page",
        "s",
        tuple(taken for taken, _ in found),
        at_most(20, "0.5 s"),
        beside=Yardstick("an empty Python", alone),
    )
    yield Figure(
        "flagfall-hub at rest, with broker and ledger",
        "MB",
        tuple(mb for _, mb in found),
        at_most(55, "memory does not depend on speed"),
    )
    for program in PROGRAMS:
        own, others, names = installed_mb(program)
        yield Figure(f"{program}, installed", "MB", (own + others,), note=f"of it our own files {own:.1f} MB")
        yield Remark(f"{program} needs {', '.join(names)}.")


if __name__ == "__main__":
    run(measure, __doc__)

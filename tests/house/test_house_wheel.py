"""The wheel works from anywhere: it is installed into a fresh venv and used from another directory."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from helpers.waiting import PATIENCE_S
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the wheel, built from a copy, so that the checkout's own build folder and egg-info play no part."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("wheel")
    listed = run("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
    for name in listed:
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    # The venv's own setuptools, so that no registry is asked.
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, source, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the `bin` of a fresh venv with the wheel in it; the parts it needs are borrowed from this venv."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    command = (sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "--quiet")
    run(*command, "--no-deps", "--no-index", "--disable-pip-version-check", wheel, cwd=home)
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return home / "bin"


def test_the_wheel_holds_the_rooms_with_all_their_data_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    rooms = ("flagfall", "table_app", "eye", "hub", "simulator", "firmware_py")
    for name in run("git", "ls-files", *rooms, cwd=ROOT).splitlines():
        if not name.endswith((".md", ".sh")):  # for whoever works on them
            shipped = re.sub(r"\.po$", ".mo", name)
            assert shipped in names, f"{shipped}: expected in the wheel (package-data in pyproject.toml)"
    assert not [name for name in names if name.startswith(("tests", "docs", "benchmarks"))]


@pytest.mark.parametrize(
    "program",
    ["flagfall-table", *(pytest.param(p, marks=pytest.mark.long) for p in ("flagfall-hub", "flagfall-demo"))],
)
def test_the_three_programs_run_from_another_directory(installed: Path, tmp_path: Path, program: str) -> None:
    assert program in run(installed / program, "--help", cwd=tmp_path)


def test_the_rooms_come_from_the_wheel_not_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import flagfall, simulator; print(flagfall.__file__); print(simulator.__file__)"
    lines = run(installed / "python", "-c", code, cwd=tmp_path).splitlines()
    assert [Path(line).is_relative_to(installed.parent) for line in lines] == [True, True]


def test_the_law_runs_on_nothing_but_python(installed: Path, tmp_path: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    # Without `site` the borrowed parts are out of reach.
    code = f"import sys; sys.path.append({str(packages)!r}); import flagfall.othello.board as b"
    code += "; print(b.START.legal(True).bit_count())"
    assert run(installed / "python", "-S", "-c", code, cwd=tmp_path) == "4\n"


def needed(extra: str) -> Iterator[Distribution]:
    """Yield what `pip install flagfall[extra]` would install beside it, of what is installed here."""
    seen: set[tuple[str, str]] = set()
    waiting = [("flagfall", extra)]
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            part = distribution(name)
        except PackageNotFoundError:
            continue
        if name != "flagfall":
            yield part
        for requirement in map(Requirement, part.requires or []):
            if requirement.marker is None or requirement.marker.evaluate({"extra": wanted}):
                waiting += [(requirement.name, other) for other in (requirement.extras or {""})]


@pytest.fixture
def only(wheel: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """Return the `bin` of a fresh venv with the wheel and the parts of one extra."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    command = (sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "--quiet")
    run(*command, "--no-deps", "--no-index", "--disable-pip-version-check", wheel, cwd=home)
    for part in needed(request.param):
        tops = {
            file.parts[0] for file in part.files or [] if not file.parts[0].startswith(("..", "__pycache__"))
        }
        for top in tops:
            if not (packages / top).exists():
                (packages / top).symlink_to(Path(str(part.locate_file(top))))
    return home / "bin"


def absent(program: Path, *modules: str) -> None:
    for module in modules:
        done = subprocess.run([program / "python", "-c", f"import {module}"], capture_output=True, text=True)
        assert f"No module named '{module}'" in done.stderr


# An environment for each extra is the night's; tests/house/test_house_imports.py reads in the source what each room
# imports.
@pytest.mark.long
@pytest.mark.parametrize("only", ["table"], indirect=True)
def test_a_table_runs_on_its_own_parts(only: Path, tmp_path: Path) -> None:
    absent(only, "numpy", "starlette", "jinja2", "rustworkx", "argon2")
    assert "usage" in run(only / "flagfall-table", "--help", cwd=tmp_path)
    everything = "import importlib, pathlib, table_app as t\n"
    everything += "root = pathlib.Path(t.__file__).parent\n"
    everything += "for path in root.rglob('*.py'):\n"
    everything += "    parts = path.relative_to(root.parent).with_suffix('').parts\n"
    everything += "    importlib.import_module('.'.join(parts))\n"
    run(only / "python", "-c", everything, cwd=tmp_path)
    game = ROOT / "tests" / "stories" / "the_nine_move_game.jsonl"
    run(only / "flagfall-table", "replay", game, cwd=tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("only", ["hub"], indirect=True)
def test_a_hub_runs_on_its_own_parts(only: Path, tmp_path: Path) -> None:
    absent(only, "pygame", "serial", "gpiozero", "rustworkx")
    table = ROOT / "docs" / "examples" / "club-evening.json"
    run(only / "flagfall-hub", "rank", table, cwd=tmp_path)
    run(only / "flagfall-hub", "pair", table, cwd=tmp_path)
    lacking = subprocess.run([only / "flagfall-hub", "check", table], capture_output=True, text=True)
    assert lacking.returncode == 2
    assert "check: expected rustworkx: pip install 'flagfall[check]'" in lacking.stderr
    options = ["--state-dir", str(tmp_path / "state"), "--web-port", "0", "--broker-port", "0"]
    hub = subprocess.Popen([only / "flagfall-hub", "run", *options], stderr=subprocess.PIPE, text=True)
    assert hub.stderr is not None
    try:
        log = ""
        while line := hub.stderr.readline():
            log += line
            if "ready page=" in line:
                break
        assert re.search(r"ready page=http://127.0.0.1:\d+/", log), log
    finally:
        hub.terminate()
        hub.communicate(timeout=PATIENCE_S)
    assert hub.returncode == 0


@pytest.mark.long
@pytest.mark.parametrize("only", [""], indirect=True)
def test_the_core_runs_on_msgspec_alone(only: Path, tmp_path: Path) -> None:
    (packages,) = only.parent.glob("lib/python*/site-packages")
    assert {path.name for path in packages.iterdir() if path.is_symlink()} >= {"msgspec"}
    modules = ("ledger.sqlite", "link.messages", "link.signature", "link.wheel", "othello.referee")
    code = "; ".join(f"import flagfall.{module}" for module in modules)
    run(only / "python", "-c", code, cwd=tmp_path)

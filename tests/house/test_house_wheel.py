"""What ships works from anywhere: the wheel, installed into a fresh venv, used from another directory."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, so that the checkout's own build folder and egg-info play no part."""
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
    """The `bin` of a fresh venv with the wheel in it; the parts it needs are borrowed from this venv."""
    home = tmp_path_factory.mktemp("venv")
    venv.create(home, with_pip=False)
    (packages,) = home.glob("lib/python*/site-packages")
    command = (sys.executable, "-m", "pip", "--python", home / "bin/python", "install", "--quiet")
    run(*command, "--no-deps", "--no-index", "--disable-pip-version-check", wheel, cwd=home)
    (packages / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return home / "bin"


def test_the_wheel_holds_the_rooms_with_all_their_data_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    rooms = ("othello", "ledger", "link", "table_app", "hub", "simulator", "firmware_py")
    for name in run("git", "ls-files", *rooms, cwd=ROOT).splitlines():
        if not name.endswith((".md", ".sh")):  # for whoever works on them
            assert name in names, f"{name}: expected in the wheel (package-data in pyproject.toml)"
    assert not [name for name in names if name.startswith(("tests", "docs", "benchmarks"))]


@pytest.mark.parametrize("program", ["flagfall-table", "flagfall-hub", "flagfall-demo"])
def test_the_three_programs_run_from_another_directory(installed: Path, tmp_path: Path, program: str) -> None:
    assert program in run(installed / program, "--help", cwd=tmp_path)


def test_the_rooms_come_from_the_wheel_not_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import othello, simulator; print(othello.__file__); print(simulator.__file__)"
    for line in run(installed / "python", "-c", code, cwd=tmp_path).splitlines():
        assert Path(line).is_relative_to(installed.parent)


def test_the_law_runs_on_nothing_but_python(installed: Path, tmp_path: Path) -> None:
    (packages,) = installed.parent.glob("lib/python*/site-packages")
    # Without `site` the borrowed parts are out of reach.
    code = f"import sys; sys.path.append({str(packages)!r}); import othello.board as b"
    code += "; print(b.perft(b.START.black, b.START.white, 5))"
    assert run(installed / "python", "-S", "-c", code, cwd=tmp_path) == "1396\n"

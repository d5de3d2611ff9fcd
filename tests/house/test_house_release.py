"""A release as a user meets it: `make dist`, then its files alone in an empty environment."""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import pytest
from helpers.prepared import unpacked

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.long, pytest.mark.timeout(1800), pytest.mark.needs("mosquitto")]


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def dist() -> Path:
    """Return the folder with what `make dist` made; that its checks passed is part of it."""
    output = run("make", "dist", f"BIN={Path(sys.executable).parent}", cwd=ROOT)
    assert output.count("PASSED") == 2 and ": OK" in output
    return ROOT / "dist"


def test_the_wheel_plays_a_room_in_an_empty_environment(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("flagfall-*.whl")
    venv.create(tmp_path / "venv", with_pip=True)
    programs = tmp_path / "venv" / "bin"
    run(programs / "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[demo]", cwd=tmp_path)
    played = run(
        programs / "flagfall-demo",
        "--tables",
        "1",
        "--rounds",
        "1",
        "--speed",
        "1000",
        "--once",
        cwd=tmp_path,
    )
    assert "standings after round 1" in played


def test_the_source_archive_holds_what_the_wheel_is_made_from(dist: Path, tmp_path: Path) -> None:
    (archive,) = dist.glob("flagfall-*.tar.gz")
    unpacked(archive, tmp_path)
    (source,) = tmp_path.glob("flagfall-*")
    run(
        sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, source, cwd=tmp_path
    )
    (again,), (wheel,) = tmp_path.glob("*.whl"), dist.glob("flagfall-*.whl")
    assert again.name == wheel.name and abs(again.stat().st_size - wheel.stat().st_size) < 1000

"""The programs with all their parts, for any architecture and Python, put together without running any of it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from flagfall.base.errors import Failed

TREE = Path(__file__).resolve().parents[2]
LEFT_OUT = ("tests", "examples", "docs", "__pycache__")
"""Folders of the parts that nothing here reads."""
_NEEDLESS = ("bin", "include", "share", ".lock")
_OF_THIS_MACHINE = ("direct_url.json", "uv_cache.json", "uv_build.json")
"""What uv writes beside a part: where it lay here, and when."""
_SCRIPT = """\
#!{home}/bin/python -P
import sys

from {module} import {function}

if __name__ == "__main__":
    sys.exit({function}())
"""
"""The hub's child processes import this file too (anyio), and are no hubs."""


def missing(needed: Mapping[str, str]) -> list[str]:
    """Debian's packages of those programs that this machine lacks; `needed`: program -> package."""
    return sorted({package for program, package in needed.items() if shutil.which(program) is None})


def need(needed: Mapping[str, str]) -> None:
    """Failed unless all these programs are there."""
    if packages := missing(needed):
        raise Failed(f"expected other programs too: apt install {' '.join(packages)}")


def run(*command: str | Path, quiet: bool = True, environment: Mapping[str, str] | None = None) -> str:
    """Return what the command printed; raise Failed with its last words if it fails."""
    done = subprocess.run([str(part) for part in command], capture_output=quiet, text=True, env=environment)
    if done.returncode:
        output = ((done.stderr or "") + (done.stdout or "")).strip().splitlines()
        raise Failed(f"{Path(command[0]).name}: status {done.returncode}: {' | '.join(output[-8:])}")
    return done.stdout or ""


def make_wheel(
    to: Path, scratch: Path, environment: Mapping[str, str] | None = None, version: str = ""
) -> Path:
    """Make the wheel of this checkout in `to` and return it. With `version` it claims to be that one, to try an update.

    It is built from a copy in `scratch`: leftovers of earlier builds must not get in.
    """
    listed = run("git", "-C", TREE, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    source = scratch / "source"
    for name in filter(None, listed.split("\0")):
        if (TREE / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(TREE / name, source / name)
    if version:
        project = source / "pyproject.toml"
        named = re.sub(r'(?m)^version = ".*"', f'version = "{version}"', project.read_text("utf-8"), count=1)
        project.write_text(named, "utf-8")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
    run(*pip, "--no-build-isolation", "--wheel-dir", to, source, environment=environment)
    (wheel,) = to.glob("flagfall-*.whl")
    return wheel


def put_parts(
    place: Path,
    lock: Path,
    wheel: Path | None = None,
    *,
    platform: str,
    python: str,
    cache: Path | None = None,
) -> None:
    """Put into `place`/lib/pythonX.Y every part of `lock` by its hash, and the wheel. `cache` keeps
    wheels (uv's own)."""
    site = place / f"lib/python{python}/site-packages"
    site.mkdir(parents=True, exist_ok=True)
    install: list[str | Path] = [
        *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--target", site),
        *("--python-platform", platform, "--python-version", python, "--only-binary", ":all:"),
        # A hard link into uv's cache would let a change of a mode or a time change the cache too.
        *("--link-mode", "copy"),
    ]
    if cache is not None:
        install += ["--cache-dir", cache]
    run(*install, "--require-hashes", "-r", lock)
    if wheel is not None:
        run(*install, wheel)
    for name in _NEEDLESS:
        shutil.rmtree(site / name, ignore_errors=True)
        (site / name).unlink(missing_ok=True)
    for folder in [path for name in LEFT_OUT for path in site.rglob(name) if path.is_dir()]:
        shutil.rmtree(folder, ignore_errors=True)
    for info in site.glob("*.dist-info"):
        for name in _OF_THIS_MACHINE:
            (info / name).unlink(missing_ok=True)
        record = info / "RECORD"
        kept = [line for line in record.read_text("utf-8").splitlines() if not _gone(site, line)]
        record.write_text("".join(f"{line}\n" for line in sorted(kept)), "utf-8")


def _gone(site: Path, line: str) -> bool:
    name = line.rsplit(",", 2)[0].strip('"')
    return not (site / name).exists()


def put_commands(place: Path, home: str, commands: Sequence[str]) -> None:
    """Make `place` a virtual environment that will be found at `home`, and write its programs."""
    scripts = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    (place / "bin").mkdir(parents=True)
    (place / "bin/python3").symlink_to("/usr/bin/python3")
    (place / "bin/python").symlink_to("python3")
    (place / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n", "utf-8")
    for command in commands:
        module, function = scripts[command].split(":")
        file = place / "bin" / command
        file.write_text(_SCRIPT.format(home=home, module=module, function=function), "utf-8")
        file.chmod(0o755)

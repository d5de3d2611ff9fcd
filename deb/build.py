"""`make deb`: a Debian package of the table and one of the hub, for Debian and Raspberry Pi OS, bookworm and trixie.

Each has an environment of its own inside, with the parts for both of their Pythons side by side, as a virtual
environment finds those of the Python that runs it. No root, and no machine of the other architecture, is needed. The
same checkout gives the same package, and one that nothing has changed for is not made again.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deb.contents import HERE, PYTHONS, ROLES, commands, home, stage
from image import programs
from image.programs import TREE, run
from image.recipe import ARCHITECTURES
from othello.errors import Failed

NEEDED = {"dpkg-deb": "dpkg", "readelf": "binutils", "git": "git"}
"""Program -> Debian package that has it; beside lintian, which checks."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 1 lintian found something, 2 it could not be made (one line on standard error)."""
    parser = argparse.ArgumentParser(prog="deb", allow_abbrev=False)
    parser.add_argument("roles", nargs="*", metavar="table|hub", help="both, if none is named")
    parser.add_argument(
        "--arch", choices=sorted(ARCHITECTURES), action="append", help="both, if none is named"
    )
    parser.add_argument("--to", type=Path, default=TREE / "dist", help="folder for the packages (dist)")
    parser.add_argument(
        "--quick", action="store_true", help="half as large again, in a fifth of the time: to try them"
    )
    parser.add_argument("--unchecked", action="store_true", help="without lintian")
    chosen = parser.parse_args(arguments)
    wrong = [role for role in chosen.roles if role not in ROLES]
    if wrong:
        parser.error(f"{wrong[0]}: expected table or hub")
    try:
        programs.need(NEEDED if chosen.unchecked else NEEDED | {"lintian": "lintian"})
        made = build(
            chosen.roles or ROLES, chosen.arch or sorted(ARCHITECTURES), chosen.to.resolve(), chosen.quick
        )
        found = "" if chosen.unchecked else "".join(check(package) for package in made)
    except Failed as fault:
        print(f"deb: {fault}", file=sys.stderr)
        return 2
    for package in made:
        print(f"{package}: {package.stat().st_size / 1e6:.1f} MB")
    print(found, end="", file=sys.stderr)
    return 1 if found else 0


def build(roles: Sequence[str], architectures: Sequence[str], to: Path, quick: bool = False) -> list[Path]:
    """The packages, the earlier ones where nothing has changed. `quick`: less compressed."""
    packing = ("-Zgzip", "-z1") if quick else ("-Zxz", "-z3")
    to.mkdir(parents=True, exist_ok=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", TREE, "log", "-1", "--format=%ct"))
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(epoch)}
    made = []
    with tempfile.TemporaryDirectory(prefix="deb-") as scratch:
        (Path(scratch) / "wheel").mkdir()
        wheel = programs.make_wheel(Path(scratch) / "wheel", Path(scratch), environment)
        version = debian_version(wheel.name.split("-")[1])
        for architecture in architectures:
            for role in roles:
                package = to / f"flagfall-{role}_{version}_{architecture}.deb"
                made.append(package)
                inputs = to / f".{package.name}.inputs"
                digest = _digest(f"{role} {architecture} {epoch} {packing}", role, wheel)
                if package.is_file() and inputs.is_file() and inputs.read_text() == digest:
                    continue
                folder = Path(scratch) / f"{role}-{architecture}"
                put_programs(folder, role, architecture, wheel)
                stage(folder, role, version, architecture, epoch)
                run(
                    "dpkg-deb",
                    "--root-owner-group",
                    *packing,
                    "--build",
                    folder,
                    package,
                    environment=environment,
                )
                inputs.write_text(digest)
                shutil.rmtree(folder)
    return made


def debian_version(version: str) -> str:
    """PyPI's `0.2.0rc1` comes after its `0.2.0` for dpkg, Debian's `0.2.0~rc1` before it."""
    return re.sub(r"(?<=\d)\.?(a|b|rc|dev)(?=\d)", r"~\1", version)


def put_programs(folder: Path, role: str, architecture: str, wheel: Path) -> None:
    place = folder / home(role).removeprefix("/")
    for python in PYTHONS:
        lock = f"requirements-{role}.lock"
        programs.put_parts(place, lock, wheel, platform=ARCHITECTURES[architecture].wheels, python=python)
    programs.put_commands(place, home(role), commands(role))
    if role == "hub":
        shutil.copy(wheel, place)  # what `flagfall-hub update` offers to tables


def _digest(said: str, role: str, wheel: Path) -> str:
    """Of `said` and everything that the package is made from."""
    files = [wheel, TREE / f"requirements-{role}.lock", TREE / "LICENSE", TREE / "pyproject.toml"]
    folders = (HERE, TREE / "systemd", TREE / "image", TREE / "hardware")
    files += sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    kept = [path.read_bytes() for path in files if path.suffix != ".pyc"]
    return hashlib.sha256(
        b"".join(hashlib.sha256(content).digest() for content in [said.encode(), *kept])
    ).hexdigest()


def check(package: Path) -> str:
    """What lintian finds, at least as warnings; all of it is kept beside the package."""
    kept = package.with_suffix(".lintian")
    if not kept.is_file() or kept.stat().st_mtime < package.stat().st_mtime:
        said = run(
            "lintian", "--allow-root", "--fail-on", "none", "--display-info", "--show-overrides", package
        )
        kept.write_text(said, "utf-8")
    lines = kept.read_text("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(("E:", "W:")))


if __name__ == "__main__":
    sys.exit(main())

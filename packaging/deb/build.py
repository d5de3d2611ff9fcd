"""`make deb`: Debian packages of table, hub and venue, for Debian and Raspberry Pi OS, bookworm and trixie.

debhelper packs what `packaging/deb/debian` lists. Table and hub each have an environment of their own inside, with
the parts for both of their Pythons side by side, as a virtual environment finds those of the Python that runs it. No
root, and no machine of the other architecture, is needed. The same checkout gives the same package, and one that
nothing has changed for is not made again.
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
from email.utils import formatdate
from pathlib import Path

from deb import programs
from deb.programs import TREE, run
from flagfall.base.errors import Failed

HERE = Path(__file__).resolve().parent
ROLES = ("table", "hub", "venue")
COMMANDS = {"table": ("flagfall-table", "flagfall-eye"), "hub": ("flagfall-hub",)}
"""Role -> the programs in its package's environment. The venue has none: it is nginx's settings."""
PLATFORMS = {"amd64": "x86_64-manylinux_2_31", "arm64": "aarch64-manylinux_2_31"}
"""Debian's architecture -> the platform of PyPI's wheels."""
PYTHONS = ("3.11", "3.13")
"""Bookworm's and trixie's: one package outlives an upgrade of the system."""
NEEDED = {"dh_builddeb": "debhelper", "readelf": "binutils", "git": "git"}
"""Program -> Debian package that has it; beside lintian, which checks."""
_LIBRARIES = {
    "ld-linux": "libc6 (>= 2.31)",
    "libc": "libc6 (>= 2.31)",
    "libdl": "libc6 (>= 2.31)",
    "libm": "libc6 (>= 2.31)",
    "libpthread": "libc6 (>= 2.31)",
    "librt": "libc6 (>= 2.31)",
    "libutil": "libc6 (>= 2.31)",
    "libgcc_s": "libgcc-s1",
    "libstdc++": "libstdc++6",
    "libz": "zlib1g",
}
"""Library that a part takes from the system -> Debian package; the oldest C library is the wheels' platform's.
(dpkg-shlibdeps would need the other architecture's libraries on this machine.)"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 done, 1 lintian found something, 2 it could not be made (one line on standard error)."""
    parser = argparse.ArgumentParser(prog="deb", allow_abbrev=False)
    parser.add_argument("roles", nargs="*", metavar="|".join(ROLES), help="all, if none is named")
    parser.add_argument("--arch", choices=sorted(PLATFORMS), action="append", help="both, if none is named")
    parser.add_argument("--to", type=Path, default=TREE / "dist", help="folder for the packages (dist)")
    parser.add_argument(
        "--quick", action="store_true", help="half as large again, in a fifth of the time: to try them"
    )
    parser.add_argument("--unchecked", action="store_true", help="without lintian")
    chosen = parser.parse_args(arguments)
    wrong = [role for role in chosen.roles if role not in ROLES]
    if wrong:
        parser.error(f"{wrong[0]}: expected table, hub or venue")
    try:
        programs.need(NEEDED if chosen.unchecked else NEEDED | {"lintian": "lintian"})
        packages = build(
            chosen.roles or ROLES, chosen.arch or sorted(PLATFORMS), chosen.to.resolve(), chosen.quick
        )
        faults = "" if chosen.unchecked else "".join(check(package) for package in packages)
    except Failed as fault:
        print(f"deb: {fault}", file=sys.stderr)
        return 2
    for package in packages:
        print(f"{package}: {package.stat().st_size / 1e6:.1f} MB")
    print(faults, end="", file=sys.stderr)
    return 1 if faults else 0


def build(roles: Sequence[str], architectures: Sequence[str], to: Path, quick: bool = False) -> list[Path]:
    """Return the packages, in the order of architectures and roles; the earlier ones where nothing has changed.
    `quick`: less compressed."""
    packing = "-Zgzip -z1" if quick else "-Zxz -z3"
    to.mkdir(parents=True, exist_ok=True)
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", TREE, "log", "-1", "--format=%ct"))
    packages = []
    with tempfile.TemporaryDirectory(prefix="deb-") as scratch:
        source, wheels = Path(scratch) / "source", Path(scratch) / "wheel"
        wheels.mkdir()
        wheel = programs.make_wheel(wheels, Path(scratch), os.environ | {"SOURCE_DATE_EPOCH": str(epoch)})
        version = debian_version(wheel.name.split("-")[1])
        for architecture in architectures:
            for role in roles:
                named = architecture if role in COMMANDS else "all"
                package = to / f"flagfall-{role}_{version}_{named}.deb"
                if package in packages:
                    continue
                packages.append(package)
                inputs = to / f".{package.name}.inputs"
                digest = _digest(f"{role} {named} {epoch} {packing}", role, wheel)
                if package.is_file() and inputs.is_file() and inputs.read_text() == digest:
                    continue
                if role in COMMANDS:
                    put_programs(source / "programs", role, architecture, wheel)
                pack(source, role, version, architecture, epoch=epoch, packing=packing).replace(package)
                inputs.write_text(digest)
    return packages


def debian_version(version: str) -> str:
    """Return the version as dpkg orders it: PyPI's `0.2.0rc1` would come after its `0.2.0`, `0.2.0~rc1` does not."""
    return re.sub(r"(?<=\d)\.?(a|b|rc|dev)(?=\d)", r"~\1", version)


def put_programs(place: Path, role: str, architecture: str, wheel: Path) -> None:
    """Make in `place` the environment that will lie in /usr/lib/flagfall-ROLE."""
    lock = TREE / f"packaging/requirements-{role}.lock"
    for python in PYTHONS:
        programs.put_parts(place, lock, wheel, platform=PLATFORMS[architecture], python=python)
    programs.put_commands(place, f"/usr/lib/flagfall-{role}", COMMANDS[role])
    if role == "hub":
        shutil.copy(wheel, place)  # what `flagfall-hub update` offers to tables


def pack(source: Path, role: str, version: str, architecture: str, *, epoch: int, packing: str) -> Path:
    """Return the package that debhelper makes of `source`, a copy of the checkout with the environment in `programs`,
    which it takes away. `epoch` (s) is every file's time."""
    control = source / "debian"
    shutil.rmtree(control, ignore_errors=True)
    shutil.copytree(HERE / "debian", control)
    licence = (TREE / "LICENSE").read_text("utf-8")
    parts = "The parts in /usr/lib/flagfall-*/lib have licences of their own, in their *.dist-info folders."
    (control / "copyright").write_text(f"{licence}\n{parts}\n", "utf-8")
    (control / "changelog").write_text(
        f"flagfall ({version}) stable; urgency=medium\n\n  * As CHANGELOG.md tells.\n\n"
        f" -- Flagfall <flagfall@localhost>  {formatdate(epoch)}\n"
    )
    facts = {"ROLE": role, "LIBRARIES": ", ".join(libraries(source / "programs")), "PACKING": packing}
    environment = os.environ | facts | {"SOURCE_DATE_EPOCH": str(epoch), "DEB_HOST_ARCH": architecture}
    run("make", "-C", source, "-f", "debian/rules", "binary", environment=environment)
    (package,) = source.glob(f"flagfall-{role}_*.deb")
    shutil.rmtree(control)
    return package


def depends() -> set[str]:
    """Return the packages of Debian that ours need beside libraries, by name; of alternatives the first."""
    fields = re.findall(r"(?m)^Depends: (.*(?:\n .*)*)", (HERE / "debian/control").read_text("utf-8"))
    names = {part.split()[0] for field in fields for part in field.split(",")}
    return {name for name in names if not name.startswith(("$", "flagfall-"))}


def libraries(folder: Path) -> list[str]:
    """Return the Debian packages whose libraries the parts are linked with and do not bring; Failed for a library
    that none of them has."""
    files = [path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink()]
    if not files:
        return []
    brought = {path.name for path in files}
    wanted = set(re.findall(r"\(NEEDED\).*\[(.+)\]", run("readelf", "--dynamic", *files))) - brought
    stems = {name: re.split(r"[-.](?=x86|aarch|\d|so)", name)[0] for name in wanted}
    unknown = sorted(name for name, stem in stems.items() if stem not in _LIBRARIES)
    if unknown:
        raise Failed(
            f"{', '.join(unknown)}: expected a library that a part brings, or one of Debian's by name"
        )
    return sorted({_LIBRARIES[stem] for stem in stems.values()})


def _digest(name: str, role: str, wheel: Path) -> str:
    """Return a hash of everything that the package `name` is made from."""
    files = [wheel, TREE / "LICENSE", TREE / "pyproject.toml"]
    files += [TREE / f"packaging/requirements-{role}.lock"] if role in COMMANDS else []
    folders = (HERE, TREE / "systemd", TREE / "hardware")
    files += sorted(path for folder in folders for path in folder.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in files if path.suffix != ".pyc"]
    return hashlib.sha256(
        b"".join(hashlib.sha256(content).digest() for content in [name.encode(), *contents])
    ).hexdigest()


def check(package: Path) -> str:
    """Return what lintian finds, at least as warnings; all of it is kept beside the package."""
    kept = package.with_suffix(".lintian")
    if not kept.is_file() or kept.stat().st_mtime < package.stat().st_mtime:
        report = run(
            "lintian", "--allow-root", "--fail-on", "none", "--display-info", "--show-overrides", package
        )
        kept.write_text(report, "utf-8")
    lines = kept.read_text("utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if line.startswith(("E:", "W:")))


if __name__ == "__main__":
    sys.exit(main())

"""`make deb`: a Debian package of the table and one of the hub, for Debian and Raspberry Pi OS, bookworm and trixie.

Each has an environment of its own inside, with the parts for both of their Pythons side by side, as a virtual
environment finds those of the Python that runs it: so one package outlives an upgrade of the system. What is installed
beside it is what `systemd/install.sh` installs.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tomllib
from email.utils import formatdate
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
"""Bookworm's and trixie's."""
PLATFORMS = {"amd64": "x86_64-manylinux_2_28", "arm64": "aarch64-manylinux_2_28"}
LEFT_OUT = ("tests", "examples", "docs", "__pycache__")
"""Of the parts: nothing that runs here reads it."""
PLACES = {
    "etc/systemd/system": "usr/lib/systemd/system",
    "etc/systemd/system.conf.d": "usr/lib/systemd/system.conf.d",
    "etc/udev/rules.d": "usr/lib/udev/rules.d",
    "etc/modules-load.d": "usr/lib/modules-load.d",
    "etc/flagfall": "usr/share/flagfall-{role}",
}
"""Where what the installer puts for the machine's owner lies in a package."""
SAYS = {
    "table": "clock and board judge at one table of an Othello tournament",
    "hub": "record, pairings and pages of an Othello tournament",
}
DEPENDS = {"table": "", "hub": "mosquitto"}
GROUPS = {"table": "gpio dialout video render input", "hub": ""}
OVERRIDES = """\
# The environment is the package's own, each part as its wheel has it, compared by its hash: their libraries lie
beside them, are # stripped or not as their makers chose, and find each other by relative run paths.
{name}: embedded-library *
{name}: unstripped-binary-or-object *
{name}: custom-library-search-path *
{name}: shared-library-lacks-prerequisites *
{name}: hardening-no-fortify-functions *
{name}: hardening-no-relro *
{name}: library-not-linked-against-libc *
{name}: executable-in-usr-lib *
{name}: package-contains-documentation-outside-usr-share-doc *
{name}: extra-license-file *
{name}: script-not-executable *
{name}: python-module-in-wrong-location *
{name}: package-installs-python-bytecode *
# The programs have --help; there are no pages of manual, docs/appliance.md and docs/venue.md are.
{name}: no-manual-page *
# The package is given to directors, not to Debian's archive.
{name}: initial-upload-closes-no-bugs *
{name}: copyright-without-copyright-notice
"""


def run(*command: str | Path, **options: str) -> str:
    """What a command says that has to succeed."""
    done = subprocess.run(
        command, cwd=TREE, env=os.environ | options, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(
            f"{command[0]}: ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-2000:]}"
        )
    return done.stdout


def environment(place: Path, role: str, architecture: str, wheel: Path) -> None:
    """The programs and their parts, each by its hash, put together without running any of it."""
    for python in PYTHONS:
        site = place / f"lib/python{python}/site-packages"
        target = [
            *(sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--target", str(site)),
            *(
                "--python-platform",
                PLATFORMS[architecture],
                "--python-version",
                python,
                "--only-binary",
                ":all:",
            ),
        ]
        run(*target, "--require-hashes", "-r", f"requirements-{role}.lock")
        run(*target, str(wheel))
        for needless in ("bin", "include", "share", ".lock"):
            shutil.rmtree(site / needless, ignore_errors=True)
            (site / needless).unlink(missing_ok=True)
        for folder in [path for name in LEFT_OUT for path in site.rglob(name)]:
            shutil.rmtree(folder, ignore_errors=True)
    shutil.copy(wheel, place)
    (place / "bin").mkdir()
    (place / "bin/python").symlink_to("/usr/bin/python3")
    (place / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    scripts = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    module, function = scripts[f"flagfall-{role}"].split(":")
    program = place / "bin" / f"flagfall-{role}"
    program.write_text(
        f"#!/usr/lib/flagfall-{role}/bin/python -P\nimport sys\n\n"
        f"from {module} import {function}\n\nsys.exit({function}())\n"
    )
    program.chmod(0o755)


def beside(stage: Path, role: str, scratch: Path) -> tuple[list[str], list[str]]:
    """Units, rules and settings, from the installer itself, told the package's places. The installer's own files,
    and the services that it starts."""
    home = f"/usr/lib/flagfall-{role}"
    run("sh", "systemd/install.sh", role, FLAGFALL_ROOT=str(scratch), FLAGFALL_PROGRAMS=home)
    owned = []
    for source, target in PLACES.items():
        for file in sorted(path for path in (scratch / source).glob("*") if path.is_file()):
            put = stage / target.format(role=role) / file.name
            put.parent.mkdir(parents=True, exist_ok=True)
            put.write_text(file.read_text("utf-8").replace("/opt/flagfall/current", home), "utf-8")
            put.chmod(0o644)
            if source != "etc/flagfall":
                owned.append(f"/{source}/{file.name}")
    started = sorted(path.name for path in (scratch / "etc/systemd/system/multi-user.target.wants").iterdir())
    users = ["g flagfall -", 'u flagfall -:flagfall "Flagfall" /var/lib/flagfall /usr/sbin/nologin']
    users += [f"g {group} -" for group in GROUPS[role].split()]
    listed = stage / f"usr/lib/sysusers.d/flagfall-{role}.conf"
    listed.parent.mkdir(parents=True)
    listed.write_text("\n".join(users) + "\n")
    return owned, started


def documents(stage: Path, role: str, version: str) -> None:
    name = f"flagfall-{role}"
    docs = stage / "usr/share/doc" / name
    docs.mkdir(parents=True)
    licence = (TREE / "LICENSE").read_text("utf-8")
    (docs / "copyright").write_text(
        f"{licence}\nThe parts in /usr/lib/{name}/lib have licences of their own, in their *.dist-info folders.\n"
    )
    changed = f"{name} ({version}) stable; urgency=medium\n\n  * As CHANGELOG.md tells.\n\n"
    changed += f" -- Flagfall <flagfall@localhost.localdomain>  {formatdate(0)}\n"
    (docs / "changelog.gz").write_bytes(gzip.compress(changed.encode(), 9, mtime=0))
    overrides = stage / "usr/share/lintian/overrides" / name
    overrides.parent.mkdir(parents=True)
    overrides.write_text(OVERRIDES.format(name=name))
    link = stage / "usr/bin" / name
    link.parent.mkdir(parents=True)
    link.symlink_to(f"../lib/{name}/bin/{name}")


def control(
    stage: Path, role: str, version: str, architecture: str, owned: list[str], started: list[str]
) -> None:
    """DEBIAN: what the package needs, and what is done around its files."""
    folder = stage / "DEBIAN"
    folder.mkdir()
    drawn = [line for line in (TREE / "systemd/packages").read_text().splitlines() if line[:1] != "#"]
    needs = ["python3 (>= 3.11)", "systemd", *([DEPENDS[role]] if DEPENDS[role] else [])]
    needs += ["udev", *drawn] if role == "table" else []
    size = (
        sum(path.stat().st_size for path in stage.rglob("*") if path.is_file() and not path.is_symlink())
        // 1024
    )
    (folder / "control").write_text(
        f"Package: flagfall-{role}\nVersion: {version}\nArchitecture: {architecture}\n"
        "Maintainer: Flagfall <flagfall@localhost.localdomain>\n"
        f"Installed-Size: {size}\nDepends: {', '.join(needs)}\nSection: games\nPriority: optional\n"
        f"Description: {SAYS[role]}\n"
        f" Flagfall's {role}, with an environment of its own inside. An installation that was made by\n"
        " systemd/install.sh is taken over: its record and its settings stay.\n"
    )
    scripts = (TREE / "packaging/scripts").glob("*")
    for script in scripts:
        text = script.read_text("utf-8").replace("@ROLE@", role).replace("@STARTED@", " ".join(started))
        text = text.replace("@OWNED@", " ".join(f"'{path}'" for path in owned))
        (folder / script.name).write_text(text, "utf-8")
        (folder / script.name).chmod(0o755)
    sums = [
        f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(stage)}\n"
        for path in sorted(stage.rglob("*"))
        if path.is_file() and not path.is_symlink() and folder not in path.parents
    ]
    (folder / "md5sums").write_text("".join(sums))


def build(role: str, architecture: str, out: Path, wheel: Path) -> Path:
    version = re.sub(r"^flagfall-(.+?)-py3.*", r"\1", wheel.name)
    work = out / f"work-{role}-{architecture}"
    shutil.rmtree(work, ignore_errors=True)
    stage = work / "stage"
    place = stage / f"usr/lib/flagfall-{role}"
    place.mkdir(parents=True)
    environment(place, role, architecture, wheel)
    owned, started = beside(stage, role, work / "installed")
    documents(stage, role, version)
    control(stage, role, version, architecture, owned, started)
    for path in stage.rglob("*"):
        if not path.is_symlink():
            program = path.stat().st_mode & 0o100 and path.suffix != ".py" and ".so" not in path.name
            executable = path.is_dir() or program
            path.chmod(0o755 if executable else 0o644)
    package = out / f"flagfall-{role}_{version}_{architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "-z3", "--build", stage, package)
    shutil.rmtree(work)
    return package


def main() -> int:
    parser = argparse.ArgumentParser(prog="make deb", description=str(__doc__).partition("\n")[0])
    parser.add_argument("roles", nargs="*", default=["table", "hub"], metavar="table|hub")
    parser.add_argument("--architecture", choices=sorted(PLATFORMS), action="append")
    parser.add_argument("--out", type=Path, default=TREE / "build/deb")
    chosen = parser.parse_args()
    out = chosen.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    wheels = out / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    run(
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        wheels,
        TREE,
    )
    (wheel,) = wheels.glob("flagfall-*.whl")
    made = [
        build(role, one, out, wheel)
        for one in chosen.architecture or sorted(PLATFORMS)
        for role in chosen.roles
    ]
    for package in made:
        print(f"{package.name}: {package.stat().st_size / 1e6:.1f} MB")
    if shutil.which("lintian") is None:
        print("lintian is not installed: the packages are not checked (apt install lintian)", file=sys.stderr)
        return 1
    for package in made:
        print(run("lintian", "--fail-on", "error,warning", "--allow-root", package).strip())
    return 0


if __name__ == "__main__":
    sys.exit(main())

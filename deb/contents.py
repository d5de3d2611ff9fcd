"""What is in a package: programs, units, rules, settings, control files, as a folder that dpkg-deb packs."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
from collections.abc import Mapping
from email.utils import formatdate
from pathlib import Path

from image.programs import TREE, run
from image.recipe import DRAWN
from othello.errors import Failed

HERE = Path(__file__).resolve().parent
ROLES = ("table", "hub")
PYTHONS = ("3.11", "3.13")
"""Bookworm's and trixie's: one package outlives an upgrade of the system."""
PLACES = {
    "etc/systemd/system": "usr/lib/systemd/system",
    "etc/systemd/system.conf.d": "usr/lib/systemd/system.conf.d",
    "etc/udev/rules.d": "usr/lib/udev/rules.d",
    "etc/modules-load.d": "usr/lib/modules-load.d",
    "etc/flagfall": "usr/share/flagfall-{role}",
}
"""Where what the installer puts for the machine's owner lies in a package."""
_SAYS = {
    "table": (
        "clock and board judge at one table of an Othello tournament",
        "It keeps both clocks by the buttons, follows the board, and judges by the rules\n of the tournament.",
    ),
    "hub": (
        "record, pairings and pages of an Othello tournament",
        "It pairs the rounds, keeps the record that tables report to, and shows both\n"
        " to players, judges and directors.",
    ),
}
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
"""Library that a part takes from the system -> Debian package; the oldest C library is the wheels' platform's."""


def stage(folder: Path, role: str, version: str, architecture: str, epoch: int) -> None:
    """Completes `folder`, which has the programs in usr/lib/flagfall-ROLE already. `epoch` (s) is every file's time."""
    _open_to_read(folder)
    owned, started = _beside(folder, role)
    _documents(folder, role, version, epoch)
    _control(folder, role, version, architecture, owned=owned, started=started)
    for path in [folder, *folder.rglob("*")]:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)  # whatever the builder's umask is
        os.utime(path, (epoch, epoch), follow_symlinks=False)


def home(role: str) -> str:
    """Where the programs lie."""
    return f"/usr/lib/flagfall-{role}"


def commands(role: str) -> list[str]:
    """The programs that its units start by name."""
    return ["flagfall-table", "flagfall-eye"] if role == "table" else [f"flagfall-{role}"]


def groups(role: str) -> list[str]:
    """Those that the service is given beside its own, as its unit says."""
    unit = (TREE / f"systemd/flagfall-{role}.service").read_text("utf-8")
    return [group for line in re.findall(r"(?m)^SupplementaryGroups=(.*)$", unit) for group in line.split()]


def _open_to_read(folder: Path) -> None:
    for path in folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.parent.name == "bin" else 0o644)


def _write(file: Path, text: str, mode: int = 0o644) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    file.chmod(mode)


def _beside(folder: Path, role: str) -> tuple[list[str], list[str]]:
    """Units, rules and settings, from the installer itself, told the package's places. Returns the files that the
    installer has of its own, and the services that it starts."""
    installed = folder.with_name(f"{folder.name}-installed")
    environment = os.environ | {"FLAGFALL_ROOT": str(installed), "FLAGFALL_PROGRAMS": home(role)}
    run("sh", TREE / "systemd/install.sh", role, environment=environment)
    owned = []
    for source, target in PLACES.items():
        for file in sorted(path for path in (installed / source).glob("*") if path.is_file()):
            text = file.read_text("utf-8").replace("/opt/flagfall/current", home(role))
            _write(folder / target.format(role=role) / file.name, text)
            if source != "etc/flagfall":
                owned.append(f"/{source}/{file.name}")
    wanted = installed / "etc/systemd/system/multi-user.target.wants"
    started = sorted(path.name for path in wanted.iterdir())
    shutil.rmtree(installed)
    users = ["g flagfall -", 'u flagfall -:flagfall "Flagfall" /var/lib/flagfall /usr/sbin/nologin']
    users += [f"g {group} -" for group in groups(role)]
    _write(folder / f"usr/lib/sysusers.d/flagfall-{role}.conf", "\n".join(users) + "\n")
    if role == "hub":
        dropped_in = folder / "usr/lib/systemd/system/mosquitto.service.d/flagfall-hub.conf"
        _write(dropped_in, (HERE / "mosquitto.conf").read_text("utf-8"))
    return owned, started


def _documents(folder: Path, role: str, version: str, epoch: int) -> None:
    name = f"flagfall-{role}"
    licence = (TREE / "LICENSE").read_text("utf-8")
    _write(
        folder / f"usr/share/doc/{name}/copyright",
        f"{licence}\nThe parts in {home(role)}/lib have licences of their own, in their *.dist-info folders.\n",
    )
    changed = (
        f"{name} ({version}) stable; urgency=medium\n\n  * As CHANGELOG.md tells.\n\n"
        f" -- Flagfall <flagfall@localhost>  {formatdate(epoch)}\n"
    )
    packed = folder / f"usr/share/doc/{name}/changelog.gz"
    packed.write_bytes(gzip.compress(changed.encode(), 9, mtime=0))
    packed.chmod(0o644)
    overrides = (HERE / "overrides").read_text("utf-8").replace("@NAME@", name)
    _write(folder / f"usr/share/lintian/overrides/{name}", overrides)
    link = folder / "usr/bin" / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(f"../lib/{name}/bin/{name}")


def _needed(folder: Path, role: str) -> list[str]:
    # Python 3.12 has none of the parts: neither Debian has it.
    first, last = (tuple(map(int, python.split("."))) for python in PYTHONS)
    needs = [f"python3 (>= {PYTHONS[0]}~)", f"python3 (<< 3.{first[1] + 1}~) | python3 (>= {PYTHONS[1]}~)"]
    needs += [f"python3 (<< 3.{last[1] + 1}~)", *_libraries(folder), "systemd"]
    if role == "hub":
        return [*needs, "mosquitto", "openssl"]
    return [*needs, "udev", "kmod", *DRAWN]


def _libraries(folder: Path) -> list[str]:
    """Debian packages whose libraries the parts are linked with and do not bring."""
    files = [path for path in folder.rglob("*.so*") if path.is_file() and not path.is_symlink()]
    if not files:
        return []
    own = {path.name for path in files}
    said = run("readelf", "--dynamic", *files)
    wanted = set(re.findall(r"\(NEEDED\).*\[(.+)\]", said)) - own
    stems = {name: re.split(r"[-.](?=x86|aarch|\d|so)", name)[0] for name in wanted}
    unknown = sorted(name for name, stem in stems.items() if stem not in _LIBRARIES)
    if unknown:
        raise Failed(
            f"{', '.join(unknown)}: expected a library that a part brings, or one of Debian's by name"
        )
    return sorted({_LIBRARIES[stem] for stem in stems.values()})


def _control(
    folder: Path, role: str, version: str, architecture: str, *, owned: list[str], started: list[str]
) -> None:
    """DEBIAN: what the package needs, and what is done around its files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n" for path in files]
    size = sum(path.stat().st_size for path in files) // 1024
    short, long = _SAYS[role]
    recommends = "avahi-daemon" if role == "hub" else "libnss-mdns"
    suggests = "redis-server" if role == "hub" else "espeak-ng"
    control = (
        f"Package: flagfall-{role}\nVersion: {version}\nArchitecture: {architecture}\n"
        f"Maintainer: Flagfall <flagfall@localhost>\nInstalled-Size: {size}\n"
        f"Depends: {', '.join(_needed(folder, role))}\nRecommends: {recommends}\nSuggests: {suggests}\n"
        f"Section: misc\nPriority: optional\nDescription: {short}\n {long}\n .\n"
        " An environment of its own is inside. An installation made by\n"
        " systemd/install.sh is taken over: its record and its settings stay.\n"
    )
    _write(folder / "DEBIAN/control", control)
    _write(folder / "DEBIAN/md5sums", "".join(sums))
    told: Mapping[str, str] = {
        "@ROLE@": role,
        "@STARTED@": " ".join(started),
        "@OWNED@": " ".join(f"'{path}'" for path in owned),
    }
    for script in sorted((HERE / "scripts").iterdir()):
        text = script.read_text("utf-8")
        for word, value in told.items():
            text = text.replace(word, value)
        _write(folder / "DEBIAN" / script.name, text, 0o644 if script.name == "triggers" else 0o755)

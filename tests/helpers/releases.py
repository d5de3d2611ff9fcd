"""Programs of earlier releases, each as a wheel made from the history, in an environment of its own."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from pathlib import Path

from helpers.prepared import had, not_promised, prepared, unpacked
from helpers.rooms import ROOT

# Release -> its last commit.
COMMITS = {"0.3.0": "ecaff8cf812c8adf634ef82a15f88f980e95f462"}


def python_of(release: str) -> Path:
    """Return a Python that has the programs of a release, with the parts of this environment.

    Skip the test where the history does not reach back to it, also under CI=true: a shallow clone is no fault.
    """
    commit = COMMITS[release]
    if _git("cat-file", "-e", f"{commit}^{{commit}}").returncode:
        not_promised(f"needs the history of {release}: no commit {commit[:8]} here")
    home = Path(sys.prefix) / f"flagfall-{release}"
    return had(lambda: prepared(home, "bin/python", lambda place: _make(place, commit))) / "bin/python"


def _make(place: Path, commit: str) -> None:
    with tempfile.TemporaryDirectory(prefix="release-") as scratch:
        archive, source = Path(scratch) / "source.tar", Path(scratch) / "source"
        _git("archive", "--output", str(archive), commit).check_returncode()
        unpacked(archive, source)
        build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps"]
        build += ["--no-build-isolation", "--wheel-dir", scratch, str(source)]
        subprocess.run(build, check=True, capture_output=True)
        venv.create(place)
        packages = next(place.glob("lib/python*/site-packages"))
        with zipfile.ZipFile(next(Path(scratch).glob("flagfall-*.whl"))) as wheel:
            wheel.extractall(packages)
    # A line of a .pth file is a folder only: the present programs are not found there, as their own .pth is not read.
    (packages / "parts.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")


def _git(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=False)

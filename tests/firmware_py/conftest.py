"""The firmware lies beside the rooms, not in them; MicroPython's WebAssembly build is fetched once, by
npm.
"""

from __future__ import annotations

import os
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

"""The firmware lies beside the rooms, not in them; MicroPython in two builds comes from `prepared`."""

from __future__ import annotations

import sys
from pathlib import Path

import prepared
import pytest

ROOT = Path(__file__).resolve().parents[2]

if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))
sys.path.append(str(Path(__file__).parent))


@pytest.fixture(scope="session")
def micropython() -> Path:
    """Return the folder of MicroPython's npm package."""
    return prepared.had(prepared.micropython)


@pytest.fixture(scope="session")
def micropython_unix() -> list[str]:
    """Return the command of MicroPython's unix port."""
    return prepared.had(prepared.micropython_unix)

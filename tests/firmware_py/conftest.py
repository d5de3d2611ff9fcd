"""The firmware lies beside the rooms, not in them; MicroPython in two builds comes from `prepared`."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers import prepared


@pytest.fixture(scope="session")
def micropython() -> Path:
    """Return the folder of MicroPython's npm package."""
    return prepared.had(prepared.micropython)


@pytest.fixture(scope="session")
def micropython_unix() -> list[str]:
    """Return the command of MicroPython's unix port."""
    return prepared.had(prepared.micropython_unix)

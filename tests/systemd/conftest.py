"""The fixtures of this room: the packages of `make deb`."""

from __future__ import annotations

from pathlib import Path

import pytest
from deb.build import ROLES, build
from deb.programs import TREE, run


@pytest.fixture(scope="session")
def packages() -> dict[str, Path]:
    """Role -> package for this machine; those of the last time if they are current."""
    architecture = run("dpkg", "--print-architecture").strip()
    made = build(ROLES, (architecture,), TREE / "build/deb", quick=True)
    return dict(zip(ROLES, made, strict=True))

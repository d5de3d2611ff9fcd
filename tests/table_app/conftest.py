"""What the tests of this room share lies beside them: `venue` (real processes), `loop_table` (turn by turn)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.append(str(Path(__file__).parent))


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Any]:
    from venue import Venue

    one = Venue(tmp_path)
    yield one
    one.close()


@pytest.fixture
def display(tmp_path: Path) -> Iterator[Any]:
    from venue import XServer

    one = XServer(tmp_path / "xvfb.log")
    one.start()
    yield one
    one.kill()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Any]:
    from loop_table import Table

    one = Table(tmp_path / "s")
    yield one
    one.close()

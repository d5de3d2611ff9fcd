"""The fixtures of this room. Their parts lie beside them: `venue` (real processes), `loop_table` (turn by turn)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def venue(tmp_path: Path) -> Iterator[Any]:
    from helpers.table_venue import Venue

    venue = Venue(tmp_path)
    yield venue
    venue.close()


@pytest.fixture
def display(tmp_path: Path) -> Iterator[Any]:
    from helpers.table_venue import XServer

    server = XServer(tmp_path / "xvfb.log")
    server.start()
    yield server
    server.kill()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Any]:
    from helpers.loop_table import Table

    table = Table(tmp_path / "s")
    yield table
    table.close()

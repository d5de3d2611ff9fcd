"""The public pages of a small tournament."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from helpers.hub_served import Shown
from samples.exhibition import Scene

SMALL = Scene(players=9, rounds_planned=4, rounds_played=2, broadcast=False)


@pytest.fixture
async def shown(tmp_path: Path) -> AsyncIterator[Shown]:
    async with Shown(tmp_path, SMALL) as opened:
        yield opened

"""What the tests of this room share lies beside them, in `venue`."""

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

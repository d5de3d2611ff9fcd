"""Values of `pytest.mark.parametrize` that `make test` leaves out and `make soak` runs."""

from __future__ import annotations

from typing import Any

import pytest


def by_night(*values: Any) -> list[Any]:
    """Return values of one name, each marked `long`."""
    return [pytest.param(value, marks=pytest.mark.long) for value in values]


def rows_by_night(*rows: tuple[Any, ...]) -> list[Any]:
    """Return rows of several names, each marked `long`."""
    return [pytest.param(*row, marks=pytest.mark.long) for row in rows]

"""A property tried on a few fixed values in `make test`, and on many new ones in `make soak`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MANY = 4000


def many(few: int) -> pytest.MarkDecorator:
    """Return a mark that gives a test its `examples`: few, and many where time does not matter."""
    long = pytest.param(MANY, marks=[pytest.mark.long, pytest.mark.timeout(3600)])
    return pytest.mark.parametrize("examples", [few, long])


some = many(50)


def tried(
    examples: int, strategy: st.SearchStrategy[Any], check: Callable[[Any], None], new: bool = False
) -> None:
    """Call `check` with this number of values. Few are always the same ones, unless they are to be `new`."""

    @settings(
        max_examples=examples,
        database=None,
        derandomize=examples < MANY and not new,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(value: Any) -> None:
        check(value)

    each()

"""A property tried on few values, always the same ones, in `make test`, and on many new ones in `make soak`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

FEW = 50
some = pytest.mark.parametrize(
    "examples", [FEW, pytest.param(4000, marks=[pytest.mark.long, pytest.mark.timeout(1200)])]
)
"""Gives a test its `examples`."""


def tried(examples: int, strategy: st.SearchStrategy[Any], one: Callable[[Any], None]) -> None:
    """`one` for so many values."""

    @settings(
        max_examples=examples,
        database=None,
        derandomize=examples == FEW,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def each(value: Any) -> None:
        one(value)

    each()

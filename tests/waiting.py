"""Waiting for a condition of programs that run beside the test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

# Nothing takes so long; a machine that is busy with something else may.
PATIENCE_S = 150.0


def until(
    condition: Callable[..., Any],
    what: str | Callable[[], Any] = "what was waited for never came",
    patience_s: float = PATIENCE_S,
    meanwhile: tuple[type[Exception], ...] = (OSError, ValueError),
    every_s: float = 0.02,
) -> Any:
    """What the condition gives once it is true; it may fail `meanwhile`. `what` says what was missed."""
    deadline_s = time.monotonic() + patience_s
    while True:
        try:
            found = condition()
        except meanwhile:
            found = None
        if found:
            return found
        assert time.monotonic() < deadline_s, what() if callable(what) else what
        time.sleep(every_s)  # fixed: how often is looked; all others wait here

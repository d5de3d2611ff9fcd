"""Waiting for a condition of programs that run beside the test."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

# Nothing takes so long, except on a machine that is busy with something else.
PATIENCE_S = 150.0


def until(
    condition: Callable[..., Any],
    missed: str | Callable[[], Any] = "what was waited for never came",
    patience_s: float = PATIENCE_S,
    meanwhile: tuple[type[Exception], ...] = (OSError, ValueError),
    every_s: float = 0.02,
) -> Any:
    """Return the value of `condition` once it is true. It may raise the errors in `meanwhile`.

    `missed` is the message of the failure, or makes it.
    """
    deadline_s = time.monotonic() + patience_s
    while True:
        try:
            value = condition()
        except meanwhile:
            value = None
        if value:
            return value
        assert time.monotonic() < deadline_s, missed() if callable(missed) else missed
        time.sleep(every_s)  # fixed: how often is looked; all others wait here

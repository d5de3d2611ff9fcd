"""Mock pins of gpiozero whose instants are whole nanoseconds, as those of the kernel's pins are."""

from __future__ import annotations

from time import monotonic_ns
from typing import Any

from gpiozero.pins import mock


class MockPin(mock.MockPin):  # type: ignore[misc]
    """A mock pin that hands on the instant of each change in nanoseconds of the monotonic clock."""

    def _call_when_changed(self) -> None:
        # Past the class in between, which would hand on seconds.
        super(mock.MockPin, self)._call_when_changed(monotonic_ns(), self._state)


class MockFactory(mock.MockFactory):  # type: ignore[misc]
    """A factory of mock pins with ticks in nanoseconds."""

    def __init__(self, pin_class: Any = MockPin) -> None:
        super().__init__(pin_class=pin_class)

    @staticmethod
    def ticks() -> int:
        return monotonic_ns()

    @staticmethod
    def ticks_diff(later: int, earlier: int) -> float:
        return (later - earlier) / 1e9

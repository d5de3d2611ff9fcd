"""The table's count: nanoseconds of the kernel's monotonic clock, continued after a restart from the end of the record.

Three time domains meet at a table. The kernel's monotonic clock stamps buttons and times games; the board's own ticks
are mapped to it (`board.time_mapping`); the wall clock only labels log lines.
"""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic_ns

from msgspec import Struct


class Timebase(Struct, frozen=True):
    """The table's count of time."""

    zero_ns: int  # the instant of the monotonic clock at which the count is zero
    monotonic: Callable[[], int] = monotonic_ns  # reads that clock

    @classmethod
    def going_on_from(cls, last_ns: int, monotonic: Callable[[], int] = monotonic_ns) -> Timebase:
        """Return the count of a program that starts now and whose record ends at `last_ns` (0: no record)."""
        return cls(monotonic() - last_ns, monotonic)

    def now_ns(self) -> int:
        return self.monotonic() - self.zero_ns

    def of_monotonic_ns(self, monotonic_instant_ns: int) -> int:
        """Return an instant of the kernel's monotonic clock as one of the table's count."""
        return monotonic_instant_ns - self.zero_ns

"""Whether somebody bends the clock that games are timed by.

CLOCK_MONOTONIC never steps, but NTP may slew it; CLOCK_MONOTONIC_RAW it cannot touch. Their difference over a
while is the slew. A correction of the crystal by some ten parts per million is what NTP is for; chrony's
worst is 83,333.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from table_app.clock_rate import WORST_S_PER_HOUR
from table_app.trouble import Trouble

WINDOW_NS = 10_000_000_000
WORST_PPM = WORST_S_PER_HOUR / 3600 * 1e6


def both_clocks() -> tuple[int, int] | None:
    """MONOTONIC and MONOTONIC_RAW in nanoseconds, None where there is no raw clock."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    if raw is None:
        return None
    before_ns = time.monotonic_ns()
    raw_ns = time.clock_gettime_ns(raw)
    return (before_ns + time.monotonic_ns()) // 2, raw_ns


class SlewWatch:
    """`trouble` says how much the clock is slewed, None if not more than is allowed."""

    def __init__(self, clocks: Callable[[], tuple[int, int] | None] = both_clocks) -> None:
        self._clocks = clocks
        self._begun = clocks()
        self.trouble: Trouble | None = None

    def look(self) -> bool:
        """To be called now and then; True if what `trouble` says has changed."""
        now = self._clocks()
        if now is None or self._begun is None or now[1] - self._begun[1] < WINDOW_NS:
            return False
        elapsed_ns, raw_ns = now[0] - self._begun[0], now[1] - self._begun[1]
        self._begun = now
        ppm = (elapsed_ns - raw_ns) / raw_ns * 1e6
        before, self.trouble = self.trouble, None
        if abs(ppm) > WORST_PPM:
            self.trouble = Trouble.of("clock_slewed", ppm=round(ppm))
        return self.trouble != before

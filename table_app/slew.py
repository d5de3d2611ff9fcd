"""Whether somebody bends the clock that games are timed by.

CLOCK_MONOTONIC never steps, but NTP may slew it; CLOCK_MONOTONIC_RAW it cannot touch. Their difference over a
while is the slew. A correction of the crystal by some ten parts per million is what NTP is for; chrony's
worst is 83,333.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from table_app.clock_rate import WORST_S_PER_HOUR
from table_app.trouble import Trouble

WINDOW_NS = 10_000_000_000
WORST_PPM = WORST_S_PER_HOUR / 3600 * 1e6
READINGS = 20
CLOSE_NS = 20_000
"""Two clocks read within this time are read at one instant; a busy machine may let the program wait between them."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Both clocks at one instant; `within_ns` is how far that may be from the truth."""

    monotonic_ns: int
    raw_ns: int
    within_ns: int = 0


def both_clocks() -> Reading | None:
    """The closest of several readings; None where there is no raw clock."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    if raw is None:
        return None
    best: Reading | None = None
    for _ in range(READINGS):
        before_ns = time.monotonic_ns()
        raw_ns = time.clock_gettime_ns(raw)
        after_ns = time.monotonic_ns()
        if best is None or after_ns - before_ns < best.within_ns:
            best = Reading((before_ns + after_ns) // 2, raw_ns, after_ns - before_ns)
        if best.within_ns <= CLOSE_NS:
            break
    return best


class SlewWatch:
    """`trouble` says how much the clock is slewed, None if not more than is allowed."""

    def __init__(self, clocks: Callable[[], Reading | None] = both_clocks) -> None:
        self._clocks = clocks
        self._begun = clocks()
        self.trouble: Trouble | None = None

    def look(self) -> bool:
        """To be called now and then; True if what `trouble` says has changed."""
        now, begun = self._clocks(), self._begun
        if now is None or begun is None or now.raw_ns - begun.raw_ns < WINDOW_NS:
            return False
        elapsed_ns, raw_ns = now.monotonic_ns - begun.monotonic_ns, now.raw_ns - begun.raw_ns
        if (now.within_ns + begun.within_ns) / raw_ns * 1e6 > WORST_PPM / 2:
            # The program had to wait between the two clocks: a longer while tells.
            if now.within_ns < begun.within_ns:
                self._begun = now
            return False
        self._begun = now
        ppm = (elapsed_ns - raw_ns) / raw_ns * 1e6
        before, self.trouble = self.trouble, None
        if abs(ppm) > WORST_PPM:
            self.trouble = Trouble.of("clock_slewed", ppm=round(ppm))
        return self.trouble != before

"""The rate of this device's clock by the figures of chrony, where that keeps the time of day.

chrony tells by how much the system's clock would be wrong if nothing corrected it. That is the rate of
CLOCK_MONOTONIC_RAW; CLOCK_MONOTONIC has chrony's corrections in it, and so has the kernel's figure (adjtimex) while an
offset is slewed.
"""

from __future__ import annotations

import math
import subprocess
import threading

from msgspec import Struct

COMMAND = ("chronyc", "-n", "-c", "tracking")
_PATIENCE_S = 5.0
_LONGEST = 1_000  # bytes of an answer, which has some 120
_FIELDS = 14
_REFERENCE, _FREQUENCY, _SKEW, _LEAP = 0, 7, 9, 13
_NO_SOURCE = ("00000000", "7F7F0101")  # none yet, or this machine's own clock
_WORST_PPM = 100_000.0  # chrony corrects no clock that is further off
_SETTLED_PPM = 10.0


class ChronyRate(Struct, frozen=True):
    """Positive: the device's clock is fast. `within_s_per_hour` is chrony's bound for the error."""

    s_per_hour: float
    within_s_per_hour: float

    def __str__(self) -> str:
        return f"{self.s_per_hour:+.3f} s/h by chrony, within {self.within_s_per_hour:.3f}"


def chrony_rate() -> ChronyRate | None:
    """Return chrony's present figure; None where it does not run, follows no source, or has not settled."""
    try:
        asked = subprocess.Popen(
            COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    late = threading.Timer(_PATIENCE_S, asked.kill)
    late.start()
    with asked:
        assert asked.stdout is not None
        answer = asked.stdout.read(_LONGEST)
        asked.kill()  # also one that says more
    late.cancel()
    return rate_in(answer)


def rate_in(answer: bytes) -> ChronyRate | None:
    """Return the rate in an answer of `chronyc -c tracking`; None if it has none that is settled."""
    fields = answer.decode("ascii", "replace").strip().split(",")
    if len(fields) != _FIELDS or fields[_REFERENCE] in _NO_SOURCE or fields[_LEAP] == "Not synchronised":
        return None
    try:
        fast_ppm, within_ppm = float(fields[_FREQUENCY]), float(fields[_SKEW])
    except ValueError:
        return None
    if not (math.isfinite(fast_ppm) and abs(fast_ppm) <= _WORST_PPM and 0 <= within_ppm <= _SETTLED_PPM):
        return None
    return ChronyRate(fast_ppm * 3600 / 1e6, within_ppm * 3600 / 1e6)

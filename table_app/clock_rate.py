"""How far this device's clock is from the hour, measured once against a synchronised wall clock.

The clock measured is MONOTONIC_RAW, the crystal alone: MONOTONIC and REALTIME are slewed together, so
comparing them measures nothing.
"""

from __future__ import annotations

import ctypes
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

WORST_S_PER_HOUR = 0.5
FILE_NAME = "clock_rate.json"
_TIMEX_BYTES = 512
"""More than the kernel's structure takes; zeroed it asks and sets nothing."""
_NOT_SYNCHRONISED = 5


class RateError(ValueError):
    """The stored rate cannot be read, or none can be measured here; one line."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Positive: the device's clock is fast. `measured_on` is a date, `hours` how long it took."""

    s_per_hour: float
    measured_on: str
    hours: float

    def __str__(self) -> str:
        return f"{self.s_per_hour:+.3f} s/h, measured on {self.measured_on} over {self.hours:g} h"


Reference = Callable[[int], tuple[int, int]]
"""Takes the raw clock's number; that clock and the true time at one instant, in nanoseconds."""


def measure(hours: float, reference: Reference | None = None) -> Rate:
    """Waits so long, then compares with `reference`: this device's wall clock, if NTP keeps it, unless another is
    given. RateError where that or the raw clock is missing."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    if raw is None:
        raise RateError("this system has no CLOCK_MONOTONIC_RAW to measure")
    pair = reference or wall_clock
    begun_raw_ns, begun_wall_ns = pair(raw)
    time.sleep(hours * 3600)
    ended_raw_ns, ended_wall_ns = pair(raw)
    return rate_of(
        ended_raw_ns - begun_raw_ns, ended_wall_ns - begun_wall_ns, datetime.now(UTC).date().isoformat()
    )


def rate_of(device_ns: int, true_ns: int, measured_on: str) -> Rate:
    """The rate of a clock that counted `device_ns` in `true_ns`."""
    if true_ns <= 0:
        raise RateError("the wall clock went backwards while it was measured")
    return Rate((device_ns - true_ns) / true_ns * 3600, measured_on, round(true_ns / 3.6e12, 4))


def synchronised() -> bool:
    """Whether NTP keeps the wall clock, as the kernel has it (adjtimex)."""
    try:
        status = ctypes.create_string_buffer(_TIMEX_BYTES)
        return bool(ctypes.CDLL(None).adjtimex(status) != _NOT_SYNCHRONISED)
    except (OSError, AttributeError, TypeError):
        return False


def wall_clock(raw: int) -> tuple[int, int]:
    """Both clocks at one instant: the closest of several readings."""
    if not synchronised():
        raise RateError("the wall clock is not kept by NTP here: synchronise it, or give --clock-host HOST")
    best: tuple[int, int, int] | None = None
    for _ in range(50):
        before_ns = time.clock_gettime_ns(raw)
        wall_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after_ns = time.clock_gettime_ns(raw)
        if best is None or after_ns - before_ns < best[0]:
            best = (after_ns - before_ns, (before_ns + after_ns) // 2, wall_ns)
    if best is None:
        raise RateError("no reading of the clocks")
    return best[1], best[2]


def rate_bytes(rate: Rate) -> bytes:
    fields = {"s_per_hour": rate.s_per_hour, "measured_on": rate.measured_on, "hours": rate.hours}
    return json.dumps(fields).encode() + b"\n"


def read_rate(state_dir: Path) -> Rate | None:
    """The stored rate, None if there is none."""
    path = state_dir / FILE_NAME
    try:
        fields = json.loads(path.read_bytes())
        return Rate(float(fields["s_per_hour"]), str(fields["measured_on"]), float(fields["hours"]))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        raise RateError(f"{path}: cannot be read; measure again with doctor --clock HOURS") from None

"""The rate of the clock by which games are timed: by how much NTP slews it, and what chrony says of the crystal.

CLOCK_MONOTONIC never steps, but NTP may slew it; CLOCK_MONOTONIC_RAW is never touched. The change of their difference
is the slew. NTP corrects a crystal by some ten parts per million; chrony's limit is 83,333.

chrony tells by how much the system's clock would be wrong if nothing corrected it. That is the rate of
CLOCK_MONOTONIC_RAW; CLOCK_MONOTONIC has chrony's corrections in it, and so has the kernel's figure (adjtimex) while an
offset is slewed.
"""

from __future__ import annotations

import ctypes
import math
import subprocess
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from flagfall.base.errors import Failed
from flagfall.base.message import Message
from flagfall.base.trouble import trouble

WINDOW_NS = 10_000_000_000
WORST_S_PER_HOUR = 0.5
WORST_PPM = WORST_S_PER_HOUR / 3600 * 1e6
READINGS = 20
# Two clocks read within this time count as read at one instant; on a busy machine the program may be
# interrupted between them.
CLOSE_NS = 20_000


class ClockReading(Struct, frozen=True):
    """Both clocks at one instant, which is uncertain by `within_ns`."""

    monotonic_ns: int
    raw_ns: int
    within_ns: int = 0


def both_clocks() -> ClockReading | None:
    """Return the closest pair of several readings; None where there is no raw clock."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    if raw is None:
        return None
    return ClockReading(*_at_one_instant(time.monotonic_ns, lambda: time.clock_gettime_ns(raw)))


def _at_one_instant(clock: Callable[[], int], other: Callable[[], int]) -> tuple[int, int, int]:
    """Return two clocks, and the nanoseconds within which they were read: the closest of several readings."""
    best: tuple[int, int, int] | None = None
    for _ in range(READINGS):
        before_ns, other_ns, after_ns = clock(), other(), clock()
        if best is None or after_ns - before_ns < best[2]:
            best = (before_ns + after_ns) // 2, other_ns, after_ns - before_ns
        if best[2] <= CLOSE_NS:
            break
    assert best is not None
    return best


class SlewWatch:
    """Compares the two clocks over `WINDOW_NS` and longer, again and again."""

    def __init__(self, clocks: Callable[[], ClockReading | None] = both_clocks) -> None:
        self._clocks = clocks
        self._begun = clocks()
        self._slewed: Message | None = None

    def look(self) -> Message | None:
        """Return the last slew if it is more than allowed, else None. Call it now and then."""
        latest, begun = self._clocks(), self._begun
        if latest is None or begun is None or latest.raw_ns - begun.raw_ns < WINDOW_NS:
            return self._slewed
        elapsed_ns, raw_ns = latest.monotonic_ns - begun.monotonic_ns, latest.raw_ns - begun.raw_ns
        if (latest.within_ns + begun.within_ns) / raw_ns * 1e6 > WORST_PPM / 2:
            # The program was interrupted between the two readings: a longer interval will tell.
            if latest.within_ns < begun.within_ns:
                self._begun = latest
            return self._slewed
        self._begun = latest
        ppm = (elapsed_ns - raw_ns) / raw_ns * 1e6
        allowed = abs(ppm) <= WORST_PPM
        self._slewed = None if allowed else trouble("clock_slewed", ppm=f"{round(ppm):+d}")
        return self._slewed


FILE_NAME = "clock_rate.json"
# More than the kernel's structure needs; zeroed, the call only asks.
_TIMEX_BYTES = 512
_NOT_SYNCHRONISED = 5


class Rate(Struct, frozen=True):
    """Positive: the device's clock is fast. `measured_on` is a date, `hours` the length of the measurement."""

    s_per_hour: float
    measured_on: str
    hours: float

    def __str__(self) -> str:
        return f"{self.s_per_hour:+.3f} s/h, measured on {self.measured_on} over {self.hours:g} h"


def measure(hours: float) -> Rate:
    """Compare the raw clock with the wall clock that NTP keeps, over so many hours. Failed without one of the
    two."""
    begun_raw_ns, begun_wall_ns = _raw_and_wall()
    time.sleep(hours * 3600)
    ended_raw_ns, ended_wall_ns = _raw_and_wall()
    return rate_of(
        ended_raw_ns - begun_raw_ns, ended_wall_ns - begun_wall_ns, datetime.now(UTC).date().isoformat()
    )


def rate_of(device_ns: int, true_ns: int, measured_on: str) -> Rate:
    """Return the rate of a clock that counted `device_ns` in `true_ns`."""
    if true_ns <= 0:
        raise Failed("the wall clock went backwards while it was measured")
    return Rate((device_ns - true_ns) / true_ns * 3600, measured_on, round(true_ns / 3.6e12, 4))


def synchronised() -> bool:
    """Return True if NTP keeps the wall clock, by the kernel's state (adjtimex)."""
    try:
        status = ctypes.create_string_buffer(_TIMEX_BYTES)
        return bool(ctypes.CDLL(None).adjtimex(status) != _NOT_SYNCHRONISED)
    except (OSError, AttributeError, TypeError):
        return False


def _raw_and_wall() -> tuple[int, int]:
    """Return both clocks at one instant: the closest pair of several readings."""
    raw = getattr(time, "CLOCK_MONOTONIC_RAW", None)
    if raw is None:
        raise Failed("this system has no CLOCK_MONOTONIC_RAW to measure")
    if not synchronised():
        raise Failed("the wall clock is not kept by NTP here: synchronise it first")
    return _at_one_instant(lambda: time.clock_gettime_ns(raw), time.time_ns)[:2]


def read_rate(state_dir: Path) -> Rate | None:
    """Return the stored rate, None if there is none."""
    path = state_dir / FILE_NAME
    try:
        return msgspec.json.decode(path.read_bytes(), type=Rate)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        raise Failed(f"{path}: cannot be read; measure again with doctor --clock HOURS") from None


CHRONY_COMMAND = ("chronyc", "-n", "-c", "tracking")
_CHRONY_PATIENCE_S = 5.0
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
            CHRONY_COMMAND, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
    except OSError:
        return None
    late = threading.Timer(_CHRONY_PATIENCE_S, asked.kill)
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

"""A wall clock that somebody sets while the program runs: ahead by the seconds in the file `CLOCK_STEP_FILE`. Only for
programs under test."""

from __future__ import annotations

import datetime
import os
import time
from pathlib import Path

_file = Path(os.environ["CLOCK_STEP_FILE"])
_time, _time_ns = time.time, time.time_ns


def _step_s() -> int:
    return int(_file.read_text())


class _SteppedDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _SteppedDatetime:
        return cls.fromtimestamp(_time() + _step_s(), tz)


time.time = lambda: _time() + _step_s()
time.time_ns = lambda: _time_ns() + _step_s() * 1_000_000_000
datetime.datetime = _SteppedDatetime  # type: ignore[misc]

"""A wall clock that cannot be trusted: it jumps between 1970 and 2105 at every look. Only for programs under test."""

from __future__ import annotations

import datetime
import random
import time

_MOST_S = 4_260_000_000
_jumps = random.Random(1970)


class _WrongDatetime(datetime.datetime):
    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> _WrongDatetime:
        return cls.fromtimestamp(_jumps.randrange(_MOST_S), tz)


time.time = lambda: float(_jumps.randrange(_MOST_S))
time.time_ns = lambda: _jumps.randrange(_MOST_S) * 1_000_000_000
datetime.datetime = _WrongDatetime  # type: ignore[misc]

"""The hub's log on standard error: `level room message key=value`, limited so that it cannot fill a disk.

Lines of one kind (the same words before the first `=`) share a budget; the excess is counted, and the next line of that
kind tells the count.
"""

from __future__ import annotations

import datetime
import logging
import sys
import time
import traceback
from collections import deque
from collections.abc import Callable

from hub.limits import Bucket

_AT_ONCE, _PER_S = 60, 0.5
_INFO_AT_ONCE, _INFO_PER_S = 600, 10.0
_MOST_KINDS = 256
_LONGEST = 1_000
# The last lines, with their time of day, for the file for support.
_MOST_KEPT = 2_000


class Log:
    """The hub's log. `write` takes whole lines, and the last of them are `kept`."""

    def __init__(self, now_ns: Callable[[], int], write: Callable[[str], None]) -> None:
        self._now_ns = now_ns
        self._write = write
        self.kept: deque[str] = deque(maxlen=_MOST_KEPT)
        self._kinds: dict[str, tuple[Bucket | None, int]] = {}

    def __call__(self, level: str, message: str) -> None:
        kind = f"{level} {message.partition('=')[0][:40]}"
        now_ns = self._now_ns()
        if kind not in self._kinds and len(self._kinds) >= _MOST_KINDS:
            del self._kinds[next(iter(self._kinds))]
        at_once, per_s = (_INFO_AT_ONCE, _INFO_PER_S) if level == "info" else (_AT_ONCE, _PER_S)
        bucket, left_out = self._kinds.pop(kind, (None, 0))
        bucket = bucket or Bucket(at_once, per_s, now_ns)
        if not bucket.take(1, now_ns):
            self._kinds[kind] = bucket, left_out + 1
            return
        self._kinds[kind] = bucket, 0
        more = f" left_out={left_out}" if left_out else ""
        shown = "".join(sign if sign.isprintable() else "?" for sign in message[:_LONGEST])
        line = f"{level} hub {shown}{more}"
        self.kept.append(f"{datetime.datetime.now(datetime.UTC).isoformat(timespec='seconds')} {line}")
        self._write(line)


def _to_standard_error(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


log = Log(time.monotonic_ns, _to_standard_error)


class OneLine(logging.Handler):
    """A formatter of libraries' log records as lines of this log: of an exception its text and place, without the
    traceback."""

    def emit(self, record: logging.LogRecord) -> None:
        where = ""
        if record.exc_info and record.exc_info[1] is not None:
            fault = record.exc_info[1]
            last = traceback.extract_tb(fault.__traceback__)[-1:]
            where = f" fault={f'{type(fault).__name__}: {fault}'[:300]!r}"
            where += "".join(f" at={frame.filename.rpartition('/')[2]}:{frame.lineno}" for frame in last)
        level = "error" if record.levelno >= logging.ERROR else "warning"
        log(level, f"{record.name}: what={record.getMessage().strip()[:300]!r}{where}")


def take_over_logging() -> None:
    """Send warnings and errors of all libraries to this log."""
    logging.basicConfig(level=logging.WARNING, handlers=[OneLine()], force=True)

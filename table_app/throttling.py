"""Whether a Raspberry Pi runs slower than it should, for want of power or too warm.

Below about 600 MHz a Pi 4 loses time in all its clocks. The firmware keeps bits for what
is and for what has been since the start; other computers have no such file, and nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FILE = Path("/sys/devices/platform/soc/soc:firmware/get_throttled")
EVERY_NS = 30_000_000_000
_NOW = ((0, "under-voltage"), (1, "frequency capped"), (2, "throttled"), (3, "too warm"))
_SINCE = 16
"""Bits of what has been lie so much higher."""


def bits_of(file: Path = FILE) -> int | None:
    """The firmware's bits, None where there are none."""
    try:
        return int(file.read_text("ascii").strip(), 16)
    except (OSError, ValueError):
        return None


def described(bits: int) -> str:
    """What they say, "" for nothing."""
    now = [word for bit, word in _NOW if bits >> bit & 1]
    since = [word for bit, word in _NOW if bits >> (bit + _SINCE) & 1 and word not in now]
    parts = [", ".join(now)] if now else []
    parts += [f"{', '.join(since)} since the start"] if since else []
    return "; ".join(parts)


class ThrottleWatch:
    """`trouble` says what slows the processor now, "" if nothing does."""

    def __init__(self, bits: Callable[[], int | None] = bits_of) -> None:
        self._bits = bits
        self._looked_ns: int | None = None
        self.trouble = ""

    def look(self, now_ns: int) -> bool:
        """To be called now and then; True if what `trouble` says has changed."""
        if self._looked_ns is not None and now_ns - self._looked_ns < EVERY_NS:
            return False
        self._looked_ns = now_ns
        bits = self._bits()
        before, self.trouble = self.trouble, described((bits or 0) & 0xF)
        return self.trouble != before

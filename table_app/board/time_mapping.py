"""The board's time on the table's count: unwrapped, and mapped by the least delay seen.

A frame always arrives after it was made. The frame with the shortest delay shows best how far the two counts are apart,
so the offset is the least (arrival - board time); slower frames cannot raise it. The two quartz clocks drift, so the
offset may rise slowly: faster than any drift, far slower than delays vary.

If all frames so far were slow the offset is too great, and events seem later than they were. A question bounds the
offset from the other side: its answer was made after it was asked. While the two bounds are far apart, the offset is at
most `KNOWN_WELL_NS` above the lower one.
"""

from __future__ import annotations

WRAP_US = 1 << 32
# Above the worst sum of two quartzes seen (405 ppm on one Pi 5, 30 ppm on a Pico): 25 us a snapshot of 50 ms.
FORGET_PPM = 500

# A smaller uncertainty is ignored; a greater one is subtracted from the mapped instant.
KNOWN_WELL_NS = 30_000_000

# A frame bears the instant of its scan; a question may arrive during that scan.
SCAN_NS = 12_000_000

# A touch bears the instant of the contact, but may be sent after a snapshot that was made later.
DISORDER_US = 100_000


class BoardTime:
    """Made anew after each loss of the board, whose count starts at zero with its power. A silence of more than 35
    minutes would be misread; the driver gives the board up after a second."""

    def __init__(self) -> None:
        self._last_us = 0
        self._offset_ns: int | None = None
        self._least_ns: int | None = None
        self._observed_at_ns = 0
        self._latest: tuple[int, int] | None = None

    def observe(self, board_us: int, arrived_ns: int) -> None:
        """Record that a frame made at `board_us` (u32) arrived at `arrived_ns` of the table's count."""
        if self._offset_ns is None:
            self._last_us = board_us
        unwrapped_us = self._unwrap(board_us)
        self._last_us = max(self._last_us, unwrapped_us)
        offset_ns = arrived_ns - 1000 * unwrapped_us
        if self._offset_ns is not None:
            risen_ns = (arrived_ns - self._observed_at_ns) * FORGET_PPM // 1_000_000
            offset_ns = min(offset_ns, self._offset_ns + max(0, risen_ns))
            if self._least_ns is not None:
                self._least_ns -= max(0, risen_ns)
        self._offset_ns = offset_ns
        self._observed_at_ns = arrived_ns
        if self._least_ns is not None and self._least_ns > offset_ns:
            self._least_ns = None  # what was taken for an answer was not one

    def observe_answer(self, board_us: int, asked_ns: int) -> None:
        """Record that a frame of `board_us` (u32), already observed, answers a question asked at `asked_ns`
        of the table's count."""
        if self._offset_ns is None:
            return
        least_ns = asked_ns - SCAN_NS - 1000 * self._unwrap(board_us)
        if least_ns <= self._offset_ns:
            self._least_ns = least_ns if self._least_ns is None else max(self._least_ns, least_ns)

    @property
    def uncertain_ns(self) -> int | None:
        """Return the most by which `at_ns` may be later than the truth; None before the first answer."""
        if self._offset_ns is None or self._least_ns is None:
            return None
        return self._offset_ns - self._least_ns

    def precedes(self, board_us: int) -> bool:
        """Return True if this time lies so far before the last frame's that the board must have restarted."""
        return self._offset_ns is not None and self._unwrap(board_us) < self._last_us - DISORDER_US

    def at_ns(self, board_us: int) -> int:
        """Return the table's count at this board time (u32), within 35 minutes of the last frame; too late by at most
        `KNOWN_WELL_NS` once a question was answered. Monotonic: a later board time is never mapped to an earlier
        instant. ValueError before the first observation."""
        if self._offset_ns is None:
            raise ValueError("no frame observed yet")
        unwrapped_us = self._unwrap(board_us)
        offset_ns = self._offset_ns
        if self._least_ns is not None:
            offset_ns = min(offset_ns, self._least_ns + KNOWN_WELL_NS)
        at_ns = 1000 * unwrapped_us + offset_ns
        if self._latest is None or unwrapped_us >= self._latest[0]:
            if self._latest is not None:
                at_ns = max(at_ns, self._latest[1])
            self._latest = (unwrapped_us, at_ns)
        return at_ns

    def _unwrap(self, board_us: int) -> int:
        ahead_us = (board_us - self._last_us) % WRAP_US
        return self._last_us + (ahead_us if ahead_us < WRAP_US // 2 else ahead_us - WRAP_US)

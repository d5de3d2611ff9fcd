"""The rule for when a change counts: each square for itself, reported in the order in which the changes happened.

A disc that slides over a square, or is in the air while it is turned, changes nothing yet. A square has changed once it
has shown the same for a while; the change bears the instant of the last scan that did not show it, so never a later one
than the hand's. Each square settles for itself: a player who answers fast does not hide the move before theirs.
"""

from firmware_py.classify import EMPTY, UNKNOWN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# A change settles after two more scans than the first that showed it, or one where scans take longer; so a placed disc
# is reported within 60 ms by any board that keeps 50 scans a second. A disc in a hand that passes over is never that
# near for so long.
SETTLE_US = 15000
# An empty or unreadable square settles after this long: a disc in the hand, while it is turned over, is not gone.
GONE_SETTLE_US = 400000

_NOTHING_PENDING = 255


class Settler:
    """The settled squares, in board time: microseconds, never wrapping here.

    `settled` is what the board has reported, `changed_us` the instant of the last settled change, `settled_to_us` the
    one up to which all is reported.
    """

    def __init__(self, now_us: int) -> None:
        self.settled = bytearray([UNKNOWN] * 64)
        self.changed_us = self.settled_to_us = now_us
        self._candidates = bytearray([_NOTHING_PENDING] * 64)
        self._readings = bytearray([UNKNOWN] * 64)
        self._since_us = [now_us] * 64
        self._quiet_us = [now_us] * 64
        self._pending = 0
        self._before_us = now_us

    def update(
        self, values: bytearray, changed: "Iterable[int]", scan_us: int, show: "Callable[[], None]"
    ) -> None:
        """Take in one scan that began at `scan_us`; call `show()` for each change that has settled, in order.

        No square but those of `changed` has another value than in the scan before. While `show` runs, `settled`,
        `changed_us` and `settled_to_us` are those of that change.
        """
        for square in changed:
            value = values[square]
            if value == self._readings[square]:
                continue
            self._readings[square] = value
            self._quiet_us[square] = scan_us
            self._change(square, value)
        if self._pending:
            self._report_ripe(scan_us, show)
        self.settled_to_us = scan_us
        if self._pending:
            self.settled_to_us = min(scan_us, self._earliest() - 1)
        self._before_us = scan_us

    def _change(self, square: int, value: int) -> None:
        candidate = self._candidates[square]
        if value == UNKNOWN and candidate not in (_NOTHING_PENDING, UNKNOWN):
            return  # a flicker on the way: the change is still that of its beginning, if it comes to stay
        if candidate == value:
            return
        if value == self.settled[square]:
            self._drop(square)
            return
        if candidate == _NOTHING_PENDING:
            self._pending += 1
        self._candidates[square] = value
        self._since_us[square] = self._before_us

    def _drop(self, square: int) -> None:
        if self._candidates[square] != _NOTHING_PENDING:
            self._candidates[square] = _NOTHING_PENDING
            self._pending -= 1

    def _earliest(self) -> int:
        earliest_us = self._before_us
        for square in range(64):
            if self._candidates[square] != _NOTHING_PENDING:
                since_us = self._since_us[square]
                if since_us < earliest_us:
                    earliest_us = since_us
        return earliest_us

    def _ripe(self, square: int, now_us: int) -> bool:
        """Return whether this pending square has shown the same for long enough."""
        quiet_us = now_us - self._quiet_us[square]
        if quiet_us < SETTLE_US:
            return False
        reading = self._readings[square]
        if reading != UNKNOWN and (reading != EMPTY or self.settled[square] == UNKNOWN):
            return True
        if quiet_us < GONE_SETTLE_US:
            return False
        self._candidates[square] = reading
        return True

    def _report_ripe(self, now_us: int, show: "Callable[[], None]") -> None:
        """Report changes in their order: a ripe one waits for an earlier one that is still open."""
        ripe = []
        open_us: int | None = None
        for square in range(64):
            if self._candidates[square] == _NOTHING_PENDING:
                continue
            since_us = self._since_us[square]
            if self._ripe(square, now_us):
                ripe.append((since_us, square))
            elif open_us is None or since_us < open_us:
                open_us = since_us
        ripe.sort()
        at = 0
        while at < len(ripe) and (open_us is None or ripe[at][0] <= open_us):
            since_us = ripe[at][0]
            while at < len(ripe) and ripe[at][0] == since_us:
                square = ripe[at][1]
                self.settled[square] = self._candidates[square]
                self._drop(square)
                at += 1
            self.changed_us = self.settled_to_us = since_us
            show()

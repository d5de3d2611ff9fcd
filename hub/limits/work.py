"""Shares of the hub's processor time for the messages of devices: one per device, and a common one.

A count of messages means little: a result of 22 kB may unpack to 16 MB. So each message is charged with the time it
took. A device that stays below a tenth of a second is never refused. The time beyond that comes out of the common
share, so that a hundred compromised tables cost no more than a few.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hub.limits.bucket import Bucket, Buckets

DEVICE_S, DEVICE_S_PER_S = 2.0, 0.05  # of one device, at once and per second; an honest result takes 3 ms
FREE_S = 0.1  # of a device's share, available whatever others do
COMMON_S, COMMON_S_PER_S = 1.0, 0.25  # of all devices together, beyond what is free


@dataclass(eq=False)
class WorkShares:
    """Seconds of processor time left to each device."""

    now_ns: Callable[[], int]

    def __post_init__(self) -> None:
        self._shares = Buckets(DEVICE_S, DEVICE_S_PER_S, self.now_ns)
        self._common = Bucket(COMMON_S, COMMON_S_PER_S, self.now_ns())

    def is_left(self, device: str) -> bool:
        """Return whether a message of this device may be handled."""
        now_ns = self.now_ns()
        left_s = self._shares.of(device).left(now_ns)
        return left_s > DEVICE_S - FREE_S or (left_s > 0 and self._common.left(now_ns) > 0)

    def charge(self, device: str, spent_s: float) -> None:
        """Take the cost of a message; time that is not there becomes a debt."""
        now_ns, share = self.now_ns(), self._shares.of(device)
        free_s = max(0.0, share.left(now_ns) - (DEVICE_S - FREE_S))
        share.spend(spent_s, now_ns)
        if spent_s > free_s:
            self._common.spend(spent_s - free_s, now_ns)

"""What the messages of a device may cost: its share of the hub's processor time, and one that all devices share.

A count of messages says little: a result of 22 kB may unpack to 16 MB. So each message is charged with the time it
took. A device that stays below a tenth of a second is never refused; what goes beyond comes out of the common share,
so that a hundred tables that were taken over cost no more than a few. It stands beside the other limits, which are as
pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hub.limits.bucket import Bucket, Buckets

OWN_S, OWN_S_PER_S = 2.0, 0.05  # of one device, at once and per second; an honest result takes 3 ms
FREE_S = 0.1  # of its own share, which a device has whatever others do
COMMON_S, COMMON_S_PER_S = 1.0, 0.25  # of all devices together, beyond what is free


@dataclass(eq=False)
class WorkShares:
    """Seconds of processor time left to each device."""

    now_ns: Callable[[], int]

    def __post_init__(self) -> None:
        self._own = Buckets(OWN_S, OWN_S_PER_S, self.now_ns)
        self._common = Bucket(COMMON_S, COMMON_S_PER_S, self.now_ns())

    def is_left(self, device: str) -> bool:
        """Tell whether a message of this device may be worked on."""
        now_ns = self.now_ns()
        left_s = self._own.of(device).left(now_ns)
        return left_s > OWN_S - FREE_S or (left_s > 0 and self._common.left(now_ns) > 0)

    def charge(self, device: str, spent_s: float) -> None:
        """Take what one message has cost; what is not there becomes a debt."""
        now_ns, own = self.now_ns(), self._own.of(device)
        free_s = max(0.0, own.left(now_ns) - (OWN_S - FREE_S))
        own.spend(spent_s, now_ns)
        if spent_s > free_s:
            self._common.spend(spent_s - free_s, now_ns)

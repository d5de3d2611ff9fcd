"""Limits of strangers and devices: budgets that refill with time, shares of processor time, and the counts of refusals.

A count of messages means little: a result of 22 kB may unpack to 16 MB. So each message is charged with the time it
took. A device that stays below a tenth of a second is never refused. The time beyond that comes out of a share that all
devices have in common, so that a hundred compromised tables cost no more than a few. The operator's pages show the
counts of refusals (`hub.console.views.alerts`). They are not recorded, and their number is bounded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import msgspec

_MOST_BUCKETS = 4_096


class Bucket:
    """A budget of at most `most` that gains `per_s` each second. Instants are monotonic nanoseconds."""

    __slots__ = ("_at_ns", "_left", "most", "per_s")

    def __init__(self, most: float, per_s: float, now_ns: int) -> None:
        self.most = most
        self.per_s = per_s
        self._left = most
        self._at_ns = now_ns

    def left(self, now_ns: int) -> float:
        gained = max(0, now_ns - self._at_ns) * self.per_s / 1e9
        self._left, self._at_ns = min(self.most, self._left + gained), now_ns
        return self._left

    def take(self, amount: float, now_ns: int) -> bool:
        """Take the amount if it is there; return whether it was."""
        if self.left(now_ns) < amount:
            return False
        self._left -= amount
        return True

    def spend(self, amount: float, now_ns: int) -> None:
        """Take the amount even if it is not there; the rest is a debt."""
        self._left = self.left(now_ns) - amount

    def wait_s(self, amount: float, now_ns: int) -> float:
        """Return the seconds until the amount is there."""
        return max(0.0, min(amount, self.most) - self.left(now_ns)) / self.per_s

    def full(self, now_ns: int) -> bool:
        return self.left(now_ns) >= self.most


class Buckets:
    """A bucket for each address or device, all of the same size. Full buckets are forgotten first, then the oldest."""

    def __init__(self, most: float, per_s: float, now_ns: Callable[[], int]) -> None:
        self._size = (most, per_s)
        self._now_ns = now_ns
        self._by_address: dict[str, Bucket] = {}

    def of(self, address: str) -> Bucket:
        bucket = self._by_address.get(address)
        if bucket is None:
            now_ns = self._now_ns()
            if len(self._by_address) >= _MOST_BUCKETS:
                full = [known for known, bucket in self._by_address.items() if bucket.full(now_ns)]
                for known in full or list(self._by_address)[: _MOST_BUCKETS // 4]:
                    del self._by_address[known]
            bucket = self._by_address[address] = Bucket(*self._size, now_ns)
        return bucket

    def forget(self, address: str) -> None:
        """Give this address a full bucket again."""
        self._by_address.pop(address, None)

    def forget_those(self, wanted: Callable[[str], bool]) -> None:
        """Give each address that is `wanted` a full bucket again."""
        for address in list(filter(wanted, self._by_address)):
            del self._by_address[address]


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


SHOWN_NS = 600 * 1_000_000_000  # a count is shown to the operator for so long after its last event
_MOST_COUNTS = 256


class Abuse(StrEnum):
    """Kinds of exceeded limits. The first six come from an address on the network, the others from a device."""

    CONNECTIONS = "connections"
    SLOW = "slow"
    REQUESTS = "requests"
    BODIES = "bodies"
    GUESSES = "guesses"
    LINKS = "links"
    MESSAGES = "messages"
    RETAINED = "retained"
    FAULTS = "faults"
    WORK = "work"


OF_DEVICES = frozenset((Abuse.MESSAGES, Abuse.RETAINED, Abuse.FAULTS, Abuse.WORK))


class Counted(msgspec.Struct, frozen=True):
    """A count of one kind from one origin."""

    abuse: Abuse
    who: str  # an address or a device
    times: int
    first_ns: int  # monotonic
    last_ns: int


class Abuses:
    """All counts. `changed` is called when a new origin or kind appears, not at each count."""

    def __init__(self, now_ns: Callable[[], int], changed: Callable[[], None] = lambda: None) -> None:
        self._now_ns = now_ns
        self._changed = changed
        self._counted: dict[tuple[Abuse, str], Counted] = {}

    def note(self, abuse: Abuse, who: str, times: int = 1) -> None:
        now_ns = self._now_ns()
        before = self._counted.pop((abuse, who), None)
        if before is None or now_ns - before.last_ns > SHOWN_NS:
            before = Counted(abuse, who, 0, now_ns, now_ns)
            self._changed()
        # The most recent count is last, so that the oldest is dropped first.
        self._counted[abuse, who] = Counted(abuse, who, before.times + times, before.first_ns, now_ns)
        if len(self._counted) > _MOST_COUNTS:
            del self._counted[next(iter(self._counted))]

    def forget(self, who: str) -> None:
        """Drop the counts of `who`: the operator has dealt with them."""
        for key in [key for key in self._counted if key[1] == who]:
            del self._counted[key]
        self._changed()

    @property
    def present(self) -> tuple[Counted, ...]:
        """The counts of the last ten minutes, highest first."""
        now_ns = self._now_ns()
        recent = [count for count in self._counted.values() if now_ns - count.last_ns <= SHOWN_NS]
        return tuple(sorted(recent, key=lambda count: -count.times))

"""A budget that refills with time: an amount at once, and an amount per second."""

from __future__ import annotations

from collections.abc import Callable

_MOST_KEPT = 4_096


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
            if len(self._by_address) >= _MOST_KEPT:
                full = [known for known, bucket in self._by_address.items() if bucket.full(now_ns)]
                for known in full or list(self._by_address)[: _MOST_KEPT // 4]:
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

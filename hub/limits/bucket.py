"""A budget that refills with time: an amount at once, and an amount per second."""

from __future__ import annotations

from collections.abc import Callable

_MOST_KEPT = 4_096


class Bucket:
    """Holds at most `most` and gains `per_s` each second. Instants are monotonic nanoseconds."""

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
        """Whether there was that much; takes nothing otherwise."""
        if self.left(now_ns) < amount:
            return False
        self._left -= amount
        return True

    def spend(self, amount: float, now_ns: int) -> None:
        """Takes that much even if it is not there; the rest is a debt."""
        self._left = self.left(now_ns) - amount

    def wait_s(self, amount: float, now_ns: int) -> float:
        """Seconds until there is that much."""
        return max(0.0, min(amount, self.most) - self.left(now_ns)) / self.per_s

    def full(self, now_ns: int) -> bool:
        return self.left(now_ns) >= self.most


class Buckets:
    """A bucket for each address or device, all of the same size. Full ones are forgotten first, then the oldest."""

    def __init__(self, most: float, per_s: float, now_ns: Callable[[], int]) -> None:
        self._size = (most, per_s)
        self._now_ns = now_ns
        self._by_address: dict[str, Bucket] = {}

    def of(self, address: str) -> Bucket:
        found = self._by_address.get(address)
        if found is None:
            now_ns = self._now_ns()
            if len(self._by_address) >= _MOST_KEPT:
                calm = [one for one, bucket in self._by_address.items() if bucket.full(now_ns)]
                for one in calm or list(self._by_address)[: _MOST_KEPT // 4]:
                    del self._by_address[one]
            found = self._by_address[address] = Bucket(*self._size, now_ns)
        return found

    def forget(self, address: str) -> None:
        """Gives this address a full bucket again."""
        self._by_address.pop(address, None)

    def forget_those(self, wanted: Callable[[str], bool]) -> None:
        """Likewise each address that is `wanted`."""
        for address in list(filter(wanted, self._by_address)):
            del self._by_address[address]

"""Lots that fall the same on every machine: SHA-256 of the tournament's recorded seed, not a library's generator."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Lots:
    """A sequence of draws named by `seed` and `occasion` (such as "round 3"); the same names give the same draws."""

    def __init__(self, seed: int, *occasion: object) -> None:
        self._name = "|".join(str(part) for part in ("flagfall-lots/1", seed, *occasion)).encode()
        self._drawn = 0

    def below(self, bound: int) -> int:
        """Return an integer in 0 <= x < bound, all equally likely."""
        limit = (1 << 64) // bound * bound
        while True:
            block = sha256(b"%b|%d" % (self._name, self._drawn)).digest()
            self._drawn += 1
            drawn = int.from_bytes(block[:8], "big")
            if drawn < limit:
                return drawn % bound

    def shuffled(self, things: Iterable[T]) -> list[T]:
        order = list(things)
        for last in range(len(order) - 1, 0, -1):
            k = self.below(last + 1)
            order[last], order[k] = order[k], order[last]
        return order

    def choice(self, things: Sequence[T]) -> T:
        return things[self.below(len(things))]

    def coin(self) -> bool:
        return self.below(2) == 1

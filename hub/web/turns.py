"""The processor time that strangers get, and whose turn it is: of each address so much a second, of all so much.

A request that costs nothing but its reading is charged with that; one whose answer must be made with what that took.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Generator
from typing import Any

from hub.limits.bucket import Bucket

TURNS_AT_ONCE = 2
"""Each may be a page that takes a third of a second to make, and everybody waits for both."""
MOST_WAITING = 96
"""Requests of one address that wait for their turn; what comes beyond is told to come again."""
OF_ADDRESS_S, OF_ADDRESS_S_PER_S = 1.0, 0.1
"""A hall may be behind one address: 200 phones that load a page and all that belongs to it at once need half of it."""
OF_ALL_S, OF_ALL_S_PER_S = 2.0, 0.4
"""What is left is for tables and whoever has signed in."""
READING_S = 0.0003
"""A request costs so much, whatever is answered."""
LONGEST_S = 10.0
"""Who would have to wait longer is told to come again."""
_MOST_ADDRESSES = 4_096


class Budget:
    """`now_ns` is a monotonic clock. Both buckets may be in debt: what a request costs is known when it was spent."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._all = Bucket(OF_ALL_S, OF_ALL_S_PER_S, now_ns())
        self._addresses: dict[str, Bucket] = {}

    def spend(self, address: str, spent_s: float) -> None:
        now_ns = self._now_ns()
        self._of(address, now_ns).spend(spent_s, now_ns)
        self._all.spend(spent_s, now_ns)

    def wait_s(self, address: str) -> float:
        """How long until nothing is owed."""
        now_ns = self._now_ns()
        return max(self._of(address, now_ns).wait_s(0, now_ns), self._all.wait_s(0, now_ns))

    def is_short(self, address: str) -> bool:
        """Whether this address, or all strangers together, have used up half of what they may save."""
        now_ns = self._now_ns()
        return (
            self._of(address, now_ns).left(now_ns) < OF_ADDRESS_S / 2 or self._all.left(now_ns) < OF_ALL_S / 2
        )

    def _of(self, address: str, now_ns: int) -> Bucket:
        found = self._addresses.get(address)
        if found is None:
            if len(self._addresses) >= _MOST_ADDRESSES:
                calm = [one for one, bucket in self._addresses.items() if bucket.full(now_ns)]
                for one in calm or list(self._addresses)[: _MOST_ADDRESSES // 4]:
                    del self._addresses[one]
            found = self._addresses[address] = Bucket(OF_ADDRESS_S, OF_ADDRESS_S_PER_S, now_ns)
        return found


class Turns:
    """Requests of strangers, a few at a time; those that wait are taken from each address in turn."""

    def __init__(self, at_once: int = TURNS_AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self._free = at_once
        self._most_waiting = most_waiting
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    async def take(self, address: str) -> bool:
        """True with a turn, to be given `back`; False where too many of this address wait already."""
        if self._free and not self._waiting:
            self._free -= 1
            return True
        line = self._waiting.setdefault(address, deque())
        if len(line) >= self._most_waiting:
            return False
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self.back()
            raise
        return True

    def back(self) -> None:
        """The next one's turn."""
        while self._waiting:
            address = next(iter(self._waiting))
            line = self._waiting.pop(address)
            next_one = line.popleft()
            if line:
                self._waiting[address] = line
            if not next_one.done():
                next_one.set_result(None)
                return
        self._free += 1


class Turn:
    """A turn that was taken; given back once."""

    def __init__(self, turns: Turns) -> None:
        self._turns: Turns | None = turns

    def give_back(self) -> None:
        turns, self._turns = self._turns, None
        if turns is not None:
            turns.back()


class Metered:
    """Something awaited, with the processor time that it took in this thread: `spent` is told of each of its steps."""

    def __init__(
        self,
        inner: Awaitable[None],
        spent: Callable[[float], None],
        processor_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._inner = inner
        self._spent = spent
        self._processor_s = processor_s

    def __await__(self) -> Generator[Any, None, None]:
        steps = self._inner.__await__()
        step: Callable[[], Any] = lambda: next(steps)  # noqa: E731
        while True:
            began_s = self._processor_s()
            try:
                waits_for = step()
            except StopIteration:
                return
            finally:
                self._spent(self._processor_s() - began_s)
            try:
                yield waits_for
            except BaseException as thrown:  # cancelled, mostly: it is told
                step = _throwing(steps, thrown)
            else:
                step = lambda: next(steps)  # noqa: E731


def _throwing(steps: Any, thrown: BaseException) -> Callable[[], Any]:
    return lambda: steps.throw(thrown)

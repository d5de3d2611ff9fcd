"""The processor time for strangers and its order: so much a second for each address, and for all together.

A cached answer costs only its reading. An answer that must be made is charged with an estimate before, and with the
rest afterwards; until an address has paid, nothing more is begun for it. `hub.web.bounds` asks for a turn once a
stranger's request is complete and no cached answer serves, and ends it with the first part of the answer.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hub.limits.bucket import Bucket, Buckets

TURNS_AT_ONCE = 1
"""A holder of a turn keeps the processor for a slice (`hub.public.rendering.SLICE_S`), and everybody waits for it."""
BEGUN_OF_ONE = 2
"""Answers of one address that are being made, including those that wait for a child or the ledger."""
MOST_WAITING = 96
"""Waiting requests of one address; further ones are told to come again."""
OF_ADDRESS_S, OF_ADDRESS_S_PER_S = 1.0, 0.1
"""Two hundred phones behind one address that load a page and its files at once need half of it."""
OF_ALL_S, OF_ALL_S_PER_S = 2.0, 0.4
"""The rest is for tables and known clients."""
READING_S = 0.0003
"""The cost of any request, beside the reading of its head."""
MAKING_S = 0.01
"""The estimate: a page of a hundred tables takes 3 to 30 ms."""
LONGEST_S = 10.0
"""A request that has waited so long is told to come again."""
_SOONEST_S, _LATEST_S = 0.005, 0.1


class Budget:
    """`now_ns` is a monotonic clock. Both buckets may be in debt, because a request's cost is known only afterwards."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        self._now_ns = now_ns
        self._all = Bucket(OF_ALL_S, OF_ALL_S_PER_S, now_ns())
        self._addresses = Buckets(OF_ADDRESS_S, OF_ADDRESS_S_PER_S, now_ns)

    def spend(self, address: str, spent_s: float) -> None:
        """A negative amount is given back."""
        now_ns = self._now_ns()
        self._addresses.of(address).spend(spent_s, now_ns)
        self._all.spend(spent_s, now_ns)

    def wait_s(self, address: str) -> float:
        """How long until the debt is paid."""
        now_ns = self._now_ns()
        return max(self._addresses.of(address).wait_s(0, now_ns), self._all.wait_s(0, now_ns))

    def is_short(self, address: str) -> bool:
        """Whether this address, or all strangers together, have used up half of their savings."""
        now_ns = self._now_ns()
        return (
            self._addresses.of(address).left(now_ns) < OF_ADDRESS_S / 2
            or self._all.left(now_ns) < OF_ALL_S / 2
        )


class Turns:
    """Gives turns to strangers' requests, `at_once`, a slice at a time: to each address in turn, first for what was
    begun, then for new requests if it is not in debt."""

    def __init__(self, budget: Budget, at_once: int = TURNS_AT_ONCE) -> None:
        self.budget = budget
        self._free = at_once
        self._waiting: dict[str, _Line] = {}
        self._begun: Counter[str] = Counter()
        self._look: asyncio.TimerHandle | None = None

    async def begin(self, address: str) -> RequestTurn | None:
        """A turn, to be ended by the caller; None if too many of this address wait already."""
        line = self._waiting.setdefault(address, _Line())
        if len(line.new) >= MOST_WAITING:
            return None
        try:
            await self._wait_for_grant(line.new)
        except _TooLate:
            self.note_ended(address)
            raise asyncio.CancelledError from None
        return RequestTurn(self, address)

    async def resume(self, address: str) -> None:
        """After a slice, or a wait."""
        line = self._waiting.setdefault(address, _Line())
        try:
            await self._wait_for_grant(line.begun)
        except _TooLate:
            raise asyncio.CancelledError from None

    def rest(self) -> None:
        """A slice is over, or the holder waits for something other than the processor."""
        self._free += 1
        self._grant_next()

    def note_ended(self, address: str) -> None:
        self._begun[address] -= 1
        if not self._begun[address]:
            del self._begun[address]
        self._grant_next()

    async def _wait_for_grant(self, line: deque[asyncio.Future[None]]) -> None:
        """_TooLate if it was granted to a task that was cancelled at that moment."""
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        line.append(mine)
        self._grant_next()
        try:
            await mine
        except asyncio.CancelledError:
            if mine.cancelled():
                raise
            self.rest()
            raise _TooLate from None

    def _grant_next(self) -> None:
        while self._free > 0 and (place := self._next_place()) is not None:
            place.set_result(None)
            self._free -= 1

    def _next_place(self) -> asyncio.Future[None] | None:
        """None if nobody waits, or everybody is in debt: then it is tried again when that is paid."""
        soonest_s = _LATEST_S
        for address, line in list(self._waiting.items()):
            line.forget_gone()
            if not (line.new or line.begun):
                del self._waiting[address]
                continue
            place = line.begun.popleft() if line.begun else None
            if place is None and self._begun[address] < BEGUN_OF_ONE:
                wait_s = self.budget.wait_s(address)
                soonest_s = min(soonest_s, wait_s or _LATEST_S)
                if not wait_s:
                    self._begun[address] += 1
                    place = line.new.popleft()
            if place is not None:
                self._waiting[address] = self._waiting.pop(address)  # behind the others
                return place
        if self._waiting and self._look is None:
            self._look = asyncio.get_running_loop().call_later(max(_SOONEST_S, soonest_s), self._grant_later)
        return None

    def _grant_later(self) -> None:
        self._look = None
        self._grant_next()


class _TooLate(Exception):
    pass


@dataclass(frozen=True, slots=True)
class _Line:
    """The requests of one address: those to continue, and those to begin."""

    begun: deque[asyncio.Future[None]] = field(default_factory=deque)
    new: deque[asyncio.Future[None]] = field(default_factory=deque)

    def forget_gone(self) -> None:
        for line in (self.begun, self.new):
            while line and line[0].done():
                line.popleft()


class RequestTurn:
    """A turn that was given. The estimate is paid; `charge` counts what goes beyond it."""

    def __init__(self, turns: Turns, address: str) -> None:
        self._turns: Turns | None = turns
        self._budget = turns.budget
        self._address = address
        self._works = True
        self._paid_s = MAKING_S
        self._budget.spend(address, MAKING_S)

    def charge(self, step_s: float) -> None:
        if self._turns is None:  # streams have limits of their own
            return
        beyond_s = step_s - self._paid_s
        self._paid_s = max(0.0, -beyond_s)
        if beyond_s > 0:
            self._budget.spend(self._address, beyond_s)

    def rest(self) -> None:
        if self._turns is not None and self._works:
            self._works = False
            self._turns.rest()

    async def resume(self) -> None:
        if self._turns is not None and not self._works:
            await self._turns.resume(self._address)
            self._works = True

    def end(self) -> None:
        """Ends it, once; unused payment is given back."""
        turns = self._turns
        if turns is not None:
            self.rest()
            self._turns = None
            self._budget.spend(self._address, -self._paid_s)
            turns.note_ended(self._address)


class Metered:
    """An awaitable that reports its processor time in this thread: `spent` gets that of each step. `turn` rests after
    each step and while it waits, and continues afterwards."""

    def __init__(
        self,
        inner: Awaitable[None],
        spent: Callable[[float], None],
        turn: RequestTurn | None = None,
        processor_s: Callable[[], float] = time.thread_time,
    ) -> None:
        self._inner = inner
        self._spent = spent
        self._turn = turn
        self._processor_s = processor_s

    def __await__(self) -> Generator[Any, None, None]:
        steps = self._inner.__await__()
        step: Callable[[], Any] = partial(next, steps)
        while True:
            began_s = self._processor_s()
            try:
                waits_for = step()
            except StopIteration:
                return
            finally:
                self._spent(self._processor_s() - began_s)
            try:
                if self._turn is None:
                    yield waits_for
                else:
                    self._turn.rest()
                    yield waits_for
                    yield from self._turn.resume().__await__()
            except BaseException as thrown:  # usually cancelled; the exception is passed in
                step = partial(steps.throw, thrown)
            else:
                step = partial(next, steps)

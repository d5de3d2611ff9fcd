"""Work that may take long, in a child process: the hub's loop never waits for it, and what it loads stays out there.

One mechanism for judging again, pairing, and files of others: `anyio.to_process`. A call costs some 0.3 ms once there
is a child; one that takes too long is killed with its child. A child that has nothing to do for ten seconds ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from hub.text import Fault

_T = TypeVar("_T")
IDLE_S = 10
LARGEST_BYTES = 512 << 20
"""Memory of a child: pairing 2,000 players takes 200 MB."""


class AsideFailed(Fault):
    """The child gave no answer; one line."""


class Aside:
    """Children for one kind of work, `at_once` of them at most."""

    def __init__(self, at_once: int = 1) -> None:
        self._at_once = at_once
        self._limiter: CapacityLimiter | None = None

    async def run(self, longest_s: float, work: Callable[..., _T], *arguments: Any) -> _T:
        """`work(*arguments)`, a function of a module, in a child; AsideFailed where it takes longer or the child fails.

        The time begins with the work, not while others are before it. What `work` raises is raised here: it must be
        something that can be pickled.
        """
        if self._limiter is None:
            self._limiter = CapacityLimiter(self._at_once)
        async with self._limiter:
            try:
                return await self._try_twice(longest_s, work, arguments)
            except TimeoutError:
                raise AsideFailed(
                    "expected an answer within {longest_s} s, got none", longest_s=f"{longest_s:g}"
                ) from None
            except (BrokenWorkerProcess, OSError) as fault:
                raise AsideFailed(
                    "the child process failed: {why}", why=str(fault) or type(fault).__name__
                ) from None
            except MemoryError:
                raise AsideFailed("expected to need {most} MB at most", most=LARGEST_BYTES >> 20) from None

    async def _try_twice(self, longest_s: float, work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
        """A child that ended by itself in this very moment is no reason to fail."""
        with anyio.fail_after(longest_s):
            with contextlib.suppress(BrokenWorkerProcess):
                return await _in_child(work, arguments)
            return await _in_child(work, arguments)


async def _in_child(work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
    return await to_process.run_sync(_bounded, work, arguments, cancellable=True, limiter=CapacityLimiter(1))


def _bounded(work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
    """In the child."""
    signal.alarm(0)
    _stand_back()
    try:
        return work(*arguments)
    finally:
        signal.alarm(IDLE_S)


@cache
def _stand_back() -> None:
    """Once in each child. Receipts come first, also on one core: it takes what nobody else wants, and little memory."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(PermissionError):  # in a service that is shut in it remains one among equals
        if hasattr(os, "SCHED_IDLE"):
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (LARGEST_BYTES, LARGEST_BYTES))

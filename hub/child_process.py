"""Long work in child processes, so that the hub's loop never waits for it and never loads its libraries.

Judging again, pairing and reading foreign files all use `anyio.to_process` through this module. A call costs some 0.3
ms once a child runs; work that takes too long is killed with its child. An idle child ends after ten seconds.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import anyio
from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

from flagfall.base.errors import FlagfallError

_T = TypeVar("_T")
IDLE_S = 10
# A child that is found ended within this time has ended before its work began.
_ENDED_S = 0.5
# A tenth of a busy core. With `SCHED_IDLE` nothing would be left: pairing 23 players took more than 30 s on a
# busy laptop.
NICE = 10
# Where memory runs out, the system ends children first, and neither the hub nor its broker.
OUT_OF_MEMORY_FIRST = 500
_OOM_SCORE = Path("/proc/self/oom_score_adj")
# Memory limit of a child: pairing 2,000 players takes 200 MB.
LARGEST_BYTES = 512 << 20


class AsideFailed(FlagfallError):
    """The child gave no answer; one line."""


class Aside:
    """Child processes for one kind of work, at most `at_once` of them."""

    def __init__(self, at_once: int = 1) -> None:
        self._at_once = at_once
        self._limiter: CapacityLimiter | None = None

    async def run(self, longest_s: float, work: Callable[..., _T], *arguments: Any) -> _T:
        """Run `work(*arguments)`, a function of a module, in a child; AsideFailed if it takes too long or the child
        fails.

        The time begins with the work, not while it waits for other work. Exceptions of `work` are raised here, and must
        be picklable.
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
        """Run the work, once more if the idle child ended at this very moment. Work that has broken its child later is
        not tried again: it would break the next one too."""
        with anyio.fail_after(longest_s):
            began_s = anyio.current_time()
            try:
                return await _in_child(work, arguments)
            except BrokenWorkerProcess:
                if anyio.current_time() - began_s > _ENDED_S:
                    raise
            return await _in_child(work, arguments)


class _TooLong(BaseException):
    """The work's processor time is over. Work that catches every `Exception` does not catch this."""


def within_processor_s(longest_s: float, work: Callable[..., _T], *arguments: Any) -> _T | None:
    """Run work in the child and return its answer, or None if it needs more of the processor's time than this.

    Unlike the time of a clock, this does not depend on what else the machine does while a child with the lowest
    priority waits for its turn. The work's answer must not be None.
    """
    signal.signal(signal.SIGPROF, _end_work)
    signal.setitimer(signal.ITIMER_PROF, longest_s)
    try:
        try:
            return work(*arguments)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _TooLong:  # also if the time is over as the work ends: the hub must not meet it
        return None


def _end_work(number: int, frame: object) -> None:
    raise _TooLong


async def _in_child(work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
    return await to_process.run_sync(_bounded, work, arguments, cancellable=True, limiter=CapacityLimiter(1))


def _bounded(work: Callable[..., _T], arguments: tuple[Any, ...]) -> _T:
    """Run the work in the child, with the child's priority and limits.

    All kinds of work share the children: none may find what another one has set. A function in place of the end by
    `SIGPROF` would wait until a decoder in C returns.
    """
    signal.alarm(0)
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    _stand_back()
    try:
        return work(*arguments)
    finally:
        signal.alarm(IDLE_S)


@cache
def _stand_back() -> None:
    """Lower the child's priority and limit its memory, so that receipts come first, also on one core. Called once in
    each child; what it has imported is no garbage, so that nobody looks through it while a round is paired."""
    gc.freeze()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(PermissionError):  # a service that forbids it: then at normal priority
        os.nice(NICE)
    with contextlib.suppress(OSError, ValueError):
        _OOM_SCORE.write_text(str(max(OUT_OF_MEMORY_FIRST, int(_OOM_SCORE.read_text()))))
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (LARGEST_BYTES, LARGEST_BYTES))

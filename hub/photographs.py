"""Photographs of final boards: who may send one now, their queue, and the limited child process that reads each.

A picture is held in memory from its upload to its answer, and kept nowhere. The eye is an extra of the hub; its parts
may be Debian's own, beside the programs' environment. Without them `available` is false: no page offers a photograph.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.util import find_spec
from typing import TypeAlias

from hub.child_process import Aside, AsideFailed
from hub.limits import Buckets
from hub.text import Refused

# Points of the picture as shares of its width and height.
Corners: TypeAlias = tuple[tuple[float, float], ...]

LARGEST_BYTES = 3 << 20  # of one picture
# Pictures of one player at once, and the pause for each one more; a tablet and an operator have so many times more.
FREE_PICTURES, PAUSE_S = 10, 20.0
OF_MANY = 6
MOST_WAITING = 60  # pictures in memory: 180 MB
CHILD_BYTES = 400 << 20
# Processor time of one picture on a machine of speed 1. The slowest of the measured pictures took 3 s.
CHILD_CPU_S = 10.0
_MOST_SLOWER = 12.0
# A longest time beside the processor's: the child has a low priority, and a hub may be busy.
_WALL_TIMES = 12.0
# Steps of the measurement, and the time that they took on the machine of docs/benchmarks.md.
_STEPS, _STEPS_S = 100_000, 0.0085
_PARTS = ("cv2", "numpy", "PIL")
_DEBIANS = "/usr/lib/python3/dist-packages"


@dataclass(frozen=True, slots=True)
class Seen:
    """A photograph that was read, as `eye.photograph` has it. Its own type would bring OpenCV into the hub with the
    child's answer."""

    squares: str
    corners: Corners
    shown: bytes


class TryAgain(Refused):
    """A refusal for now: the same picture may be sent again in a while."""


def too_many_bytes() -> Refused:
    return Refused("A picture may have at most {most} MB.", field="picture", most=LARGEST_BYTES >> 20)


def how_slow() -> float:
    """Return how many times slower than the measured machine this one is, by the processor's time for some steps."""
    began_s = time.thread_time()
    number = 1
    for _ in range(_STEPS):
        number = number * 1_103_515_245 + 12_345 & 0x7FFFFFFF
    return min(max((time.thread_time() - began_s) / _STEPS_S, 1.0), _MOST_SLOWER)


class Photographs:
    """The pictures that wait to be read. Each sender, a player or a tablet, has one at a time: so their order is
    fair."""

    def __init__(self, now_ns: Callable[[], int]) -> None:
        missing = _missing()
        self.available = not missing or _fit_of_debian(missing)
        self._now_ns = now_ns
        self._budgets = Buckets(FREE_PICTURES, 1 / PAUSE_S, now_ns)
        self._budgets_of_many = Buckets(OF_MANY * FREE_PICTURES, OF_MANY / PAUSE_S, now_ns)
        self._aside = Aside(min(2, os.cpu_count() or 1))
        # How many times slower this machine is, once a picture asks: measuring it at the hub's start delayed the first
        # page by 10 to 40 ms.
        self._slower: float | None = None
        # Senders whose picture is on its way or waits, those first that came first.
        self._waiting: list[str] = []

    @contextlib.contextmanager
    def turn(self, sender: str, *, of_many: bool = False) -> Iterator[None]:
        """Take a place for one picture of this sender, before any of it is taken. Raise TryAgain if there is none.

        A sender `of_many` is a tablet or an operator, who photographs the boards of others.
        """
        budgets = self._budgets_of_many if of_many else self._budgets
        if sender in self._waiting:
            raise TryAgain("Another picture of yours is being read: wait for it.", field="picture")
        if len(self._waiting) >= MOST_WAITING:
            raise TryAgain("Too many pictures wait to be read: try again in a minute.", field="picture")
        if not budgets.of(sender).take(1, self._now_ns()):
            raise TryAgain("Too many tries. Wait {seconds} seconds.", seconds=round(PAUSE_S))
        self._waiting.append(sender)
        try:
            yield
        finally:
            self._waiting.remove(sender)

    def place(self, sender: str) -> int:
        """Return how many pictures are read before this sender's, and that one; 0 if none of theirs waits."""
        return self._waiting.index(sender) + 1 if sender in self._waiting else 0

    async def read(self, data: bytes, corners: Corners | None = None) -> Seen:
        """Return what a picture shows. Raise Refused, in one line, if it cannot be read."""
        if len(data) > LARGEST_BYTES:
            raise too_many_bytes()
        if not data:
            raise Refused("No picture came. Choose one.", field="picture")
        if self._slower is None:
            self._slower = await asyncio.to_thread(how_slow)
        cpu_s = CHILD_CPU_S * self._slower
        try:
            return await self._aside.run(_WALL_TIMES * cpu_s, read_limited, data, corners, cpu_s)
        except AsideFailed:
            raise Refused("This picture takes too much to read. Take another one.", field="picture") from None


def _missing() -> list[str]:
    return [part for part in _PARTS if find_spec(part) is None]


def _fit_of_debian(missing: Iterable[str]) -> bool:
    """Return True if Debian has these parts, made for the numpy of this environment: that is loaded already where a
    child has paired before."""
    if not all(PathFinder.find_spec(part, [_DEBIANS]) for part in missing):
        return False
    from importlib.metadata import distributions  # a hub that has no use for it starts without it

    majors = [
        {found.version.partition(".")[0] for found in distributions(name="numpy", path=path)}
        for path in (sys.path, [_DEBIANS])
    ]
    return majors[0] == majors[1] != set()


def read_limited(data: bytes, corners: Corners | None, cpu_s: float) -> Seen:
    """Read a picture within limits of memory and of processor time: the second ends the child."""
    # One thread: numpy's library takes memory for each.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if _missing() and _DEBIANS not in sys.path:
        sys.path.append(_DEBIANS)  # last: what the environment has itself comes first
    from eye.photograph import PictureRefused, read_photograph

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (CHILD_BYTES, hard))
    signal.setitimer(signal.ITIMER_PROF, cpu_s)
    try:
        photograph = read_photograph(data, corners)
        return Seen(photograph.squares, photograph.corners, photograph.shown)
    except PictureRefused as fault:
        raise Refused(fault.message) from None
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))

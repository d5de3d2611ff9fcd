"""The results whose game file is too large for the loop that gives receipts.

A table signs the digest of its file, and not the file. So the digest is checked before the result counts; of a file
that unpacks to megabytes a child process does it, one file at a time, from each device in turn. The device is charged
with the time that it took. A result that finds no room, or whose check fails for the machine's reasons, is sent again.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from flagfall.base.errors import Invalid
from flagfall.link.packed_file import PackedFile, check_digest
from flagfall.link.topics import Arrival
from hub.child_process import Aside, AsideFailed
from hub.limits import FREE_S, WorkShares

# Waiting files of one device and of all. A file is a result of at most 256 kB.
MOST_OF_ONE, MOST_OF_ALL = 2, 64
# A check takes a tenth of a second at most; a child that starts on a busy machine some seconds.
CHECK_S = 20.0


def digest_fault(file: str, sha256: str) -> tuple[str, float]:
    """Return why a packed file is not what its digest says, "" if it is; and the processor time that this took."""
    began_s, why = time.process_time(), ""
    try:
        check_digest(PackedFile(file, sha256))
    except Invalid as bad:
        why = str(bad)
    return why, time.process_time() - began_s


@dataclass(frozen=True, slots=True)
class LargeFile:
    """A result as it arrived, with its packed file."""

    device: str
    arrived: Arrival
    packed: PackedFile


@dataclass(eq=False)
class LargeFiles:
    """The queue of large files. It is used in the hub's loop only."""

    aside: Aside
    shares: WorkShares
    # Takes a file that was not checked or is not what its digest says, and why.
    refuse: Callable[[LargeFile, str], None]
    _queues: dict[str, deque[LargeFile]] = field(default_factory=dict)
    # The digests of the messages that wait or are checked: a table sends again until its receipt.
    _known: set[bytes] = field(default_factory=set)
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def waiting(self) -> bool:
        return bool(self._queues)

    def add(self, file: LargeFile) -> None:
        """Queue a file, unless the same message waits or there is no room."""
        queue = self._queues.get(file.device, deque())
        name = _name(file)
        if name in self._known or len(queue) >= MOST_OF_ONE or len(self._known) >= MOST_OF_ALL:
            return
        queue.append(file)
        self._queues[file.device] = queue
        self._known.add(name)
        self._more.set()

    async def checked(self) -> Arrival | None:
        """Wait for a file, check it, and return its message; None if it was refused."""
        await self._more.wait()
        device = next(iter(self._queues))
        queue = self._queues.pop(device)
        file = queue.popleft()
        if queue:
            self._queues[device] = queue  # behind the others
        if not self._queues:
            self._more.clear()
        try:
            return file.arrived if await self._is_right(file) else None
        finally:
            self._known.discard(_name(file))

    async def _is_right(self, file: LargeFile) -> bool:
        if not self.shares.is_left(file.device):
            self.refuse(file, "its device has spent its share of the hub's time")
            return False
        cost_s = FREE_S
        try:
            why, cost_s = await self.aside.run(CHECK_S, digest_fault, file.packed.file, file.packed.sha256)
        except AsideFailed as fault:
            why = f"not checked: {fault}"
        self.shares.charge(file.device, cost_s)
        if why:
            self.refuse(file, why)
        return not why


def _name(file: LargeFile) -> bytes:
    return hashlib.sha256(file.arrived.topic.encode() + b"\n" + file.arrived.payload).digest()

"""The queue of arrived messages: fair to all tables, and bounded for each device.

A device that sends too much loses only its own messages; it sends results again until their receipt. A device that goes
on is kept out of the broker for a minute, and the operator sees it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from flagfall.link.topics import Arrival, parse
from hub.limits.abuses import Abuse, Abuses
from hub.limits.bucket import Buckets

# Maximum of waiting messages of one device. A table that reconnects sends one result, its status and its clock.
MOST_WAITING, MOST_WAITING_BYTES = 1_000, 8 << 20
# The bytes that a device may send at once, and per second: the broker keeps a copy for whoever reads slowly. A table in
# play sends some 4 kB a second.
SENT_BYTES, SENT_BYTES_PER_S = 16 << 20, 64_000
_MOST_OF_ALL_BYTES = 48 << 20
_MOST_QUEUES = 4_096
_TOGETHER, _TOGETHER_BYTES = 128, 256 << 10  # of a batch: messages that arrive meanwhile wait for all of it
_TOGETHER_OF_ONE, _TOGETHER_OF_ONE_BYTES = 16, 64 << 10
_LITTLE_BYTES = 16 << 10  # waiting of a device that plays: a result is 3 kB, the longest 20 kB
# The lost or useless messages that a device may send before it is kept out. A large one counts as several.
FAULTS_AT_ONCE, FAULTS_PER_S = 500, 5.0
_A_FAULT_BYTES = 16 << 10
KEPT_OUT_S = 60.0


@dataclass(slots=True)
class _Queue:
    messages: deque[Arrival] = field(default_factory=deque)
    bytes_: int = 0


@dataclass(eq=False)
class Intake:
    """The queue. It is used in the hub's loop only."""

    abuses: Abuses
    now_ns: Callable[[], int]
    # Takes a device that must leave the broker for `KEPT_OUT_S`.
    keep_out: Callable[[str], None]
    # Takes each message that is dropped.
    lost: Callable[[Arrival], None] = lambda _: None

    def __post_init__(self) -> None:
        self._link: deque[bool] = deque()
        self._queues: dict[str, _Queue] = {}
        self._bytes = 0
        self._faults = Buckets(FAULTS_AT_ONCE, FAULTS_PER_S, self.now_ns)
        self._sent = Buckets(SENT_BYTES, SENT_BYTES_PER_S, self.now_ns)
        self._more = asyncio.Event()

    def put(self, arrived: Arrival | bool) -> None:
        """Queue a message, or a change of the connection."""
        if isinstance(arrived, bool):
            self._link.append(arrived)
            self._more.set()
            return
        topic = parse(arrived.topic)
        device = topic.device if topic is not None else ""
        queue = self._queues.get(device)
        if queue is None:
            if len(self._queues) >= _MOST_QUEUES:
                return
            queue = self._queues[device] = _Queue()
        size = len(arrived.payload) + len(arrived.topic)
        if (
            len(queue.messages) >= MOST_WAITING
            or queue.bytes_ + size > MOST_WAITING_BYTES
            or (self._bytes + size > _MOST_OF_ALL_BYTES and queue.bytes_ > _TOGETHER_OF_ONE_BYTES)
            or not self._sent.of(device).take(size, self.now_ns())
        ):
            self.lost(arrived)
            self.fault(device, Abuse.MESSAGES, 1 + size // _A_FAULT_BYTES)
            return
        queue.messages.append(arrived)
        queue.bytes_ += size
        self._bytes += size
        self._more.set()

    def fault(self, device: str, abuse: Abuse, weight: int = 1) -> None:
        """Note that a message of this device was lost or useless. Keep the device out if there are too many."""
        self.abuses.note(abuse, device)
        if not self._faults.of(device).take(weight, self.now_ns()):
            self._faults.forget(device)
            self.forget(device)
            self.keep_out(device)

    def forget(self, device: str) -> None:
        """Drop the waiting messages of this device."""
        queue = self._queues.pop(device, None)
        if queue is not None:
            self._bytes -= queue.bytes_
            for message in queue.messages:
                self.lost(message)

    async def batch(self) -> tuple[list[bool], list[Arrival]]:
        """Return the next batch once there is something: from each device in turn, some of its messages."""
        await self._more.wait()
        link = list(self._link)
        self._link.clear()
        batch: list[Arrival] = []
        batch_bytes = 0
        # A device that has little to say comes before one with a backlog.
        for device in sorted(self._queues, key=lambda name: self._queues[name].bytes_ > _LITTLE_BYTES):
            if len(batch) >= _TOGETHER or batch_bytes >= _TOGETHER_BYTES:
                break
            queue = self._queues.pop(device)
            bytes_ = 0
            for _ in range(_TOGETHER_OF_ONE):
                if not queue.messages or bytes_ > _TOGETHER_OF_ONE_BYTES:
                    break
                message = queue.messages.popleft()
                bytes_ += len(message.payload) + len(message.topic)
                batch.append(message)
            queue.bytes_ -= bytes_
            self._bytes -= bytes_
            batch_bytes += bytes_
            if queue.messages:
                self._queues[device] = queue  # behind the others
        if not self._queues and not self._link:
            self._more.clear()
        return link, batch

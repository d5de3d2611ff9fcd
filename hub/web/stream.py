"""Server-sent events: whenever something changes, what differs, worked out once for all who listen."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

Of = TypeVar("Of")

BREATH_S = 0.05
"""At most so often are listeners told of changes: what comes together goes out together."""
_SHARE = 5
"""Telling them takes a fifth of the time at most: a thousand listeners are told less often than ten."""
_STEPS = 3
"""Of the loop, in which what a listener was told is on its way."""
_MOST_WAITING = 200
_KEEP_ALIVE_S = 15.0
_STILL_HERE = b": still here\n\n"


class Source(Protocol[Of]):
    """Looks at a tournament; what it finds is compared with what the listeners have."""

    def now(self, tournament: str) -> Of | None:
        """As it is now; None if there is no such tournament."""

    def whole(self, shown: Of) -> str:
        """The events for who has nothing yet."""

    def differing(self, shown: Of, now: Of) -> tuple[Of, str]:
        """The events for those who have `shown`, "" for none, and what they have then."""


@dataclass(eq=False, slots=True)
class _Listener:
    waiting: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


@dataclass(slots=True)
class _Channel(Generic[Of]):
    """One tournament's listeners and what they have. `whole` is what newcomers get until then: bytes once for all, as
    each answer holds on to what it sent last."""

    shown: Of
    listeners: set[_Listener] = field(default_factory=set)
    whole: bytes = b""
    whole_until_s: float = float("-inf")


class Stream(Generic[Of]):
    """Every listener gets the whole first, then what differs, and misses nothing: one that cannot follow is let go, and
    its browser comes back for the whole."""

    def __init__(self, source: Source[Of], processor_s: Callable[[], float] = time.thread_time) -> None:
        self._source = source
        self._processor_s = processor_s
        self._channels: dict[str, _Channel[Of]] = {}
        self._change = asyncio.Event()
        self._ended = False

    def changed(self) -> None:
        """Something may look different now; called in the loop."""
        self._change.set()

    async def run(self) -> None:
        """Sends what differs, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(
                    _KEEP_ALIVE_S
                ):  # wait_for of Python 3.11 may miss that it is cancelled
                    await self._change.wait()
            except TimeoutError:
                for channel in self._channels.values():
                    _send(channel, _STILL_HERE)
                continue
            began_s = self._processor_s()
            self.tell()
            for _ in range(_STEPS):
                await asyncio.sleep(0)
            await asyncio.sleep(self._breath_s(began_s))

    def tell(self) -> None:
        """What differs by now is on its way to who listens."""
        self._change.clear()
        for tournament, channel in self._channels.items():
            self._compare(tournament, channel)

    def end(self) -> None:
        """Lets every listener go; new ones get nothing."""
        self._ended = True
        for channel in self._channels.values():
            _send(channel, None)

    async def listen(self, tournament: str) -> AsyncIterator[bytes]:
        """The events for one listener."""
        channel = self._channels.get(tournament)
        if channel is None:  # else what differs by now comes to the newcomer too
            now = self._source.now(tournament)
            if now is None:
                return
            channel = self._channels[tournament] = _Channel(now)
        if self._ended:
            return
        listener = _Listener()
        channel.listeners.add(listener)
        try:
            yield self._whole(channel)
            while (text := await listener.waiting.get()) is not None:
                yield text
        finally:
            channel.listeners.discard(listener)
            if not channel.listeners:
                self._channels.pop(tournament, None)

    def _whole(self, channel: _Channel[Of]) -> bytes:
        """When a hub starts again all browsers come back at once: those of one breath get the same."""
        now_s = asyncio.get_running_loop().time()
        if now_s > channel.whole_until_s:
            began_s = self._processor_s()
            channel.whole = self._source.whole(channel.shown).encode()
            channel.whole_until_s = now_s + self._breath_s(began_s)
        return channel.whole

    def _breath_s(self, began_s: float) -> float:
        return max(BREATH_S, (_SHARE - 1) * (self._processor_s() - began_s))

    def _compare(self, tournament: str, channel: _Channel[Of]) -> None:
        now = self._source.now(tournament)
        if now is None:
            return
        channel.shown, text = self._source.differing(channel.shown, now)
        if text:
            channel.whole_until_s = float("-inf")
            _send(channel, text.encode())


def _send(channel: _Channel[Of], text: bytes | None) -> None:
    for listener in channel.listeners:
        try:
            listener.waiting.put_nowait(text)
        except asyncio.QueueFull:
            while not listener.waiting.empty():
                listener.waiting.get_nowait()
            listener.waiting.put_nowait(None)


def event(name: str, data: str) -> str:
    """One event; `data` has no line breaks, as JSON has none outside of its escapes."""
    return f"event: {name}\ndata: {data}\n\n"

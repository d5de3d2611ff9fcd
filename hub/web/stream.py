"""Server-sent events: after a change the differences, computed once for all listeners; or, for the console, that
something has changed."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar

from starlette.responses import Response, StreamingResponse

Of = TypeVar("Of")

BREATH_S = 0.05
"""The shortest interval of events: changes in between are sent together."""
_SHARE = 5
"""Sending takes a fifth of the time at most: a thousand listeners get events less often than ten."""
_STEPS = 3
"""Turns of the loop in which an event is on its way to a listener."""
_MOST_WAITING = 200
_KEEP_ALIVE_S = 15.0
_STILL_HERE = b": still here\n\n"


class StateSource(Protocol[Of]):
    """Reads a tournament's state; it is compared with what the listeners have."""

    def present(self, tournament: str) -> Of | None:
        """The present state; None if there is no such tournament."""

    def whole_events(self, shown: Of) -> str:
        """The events for a new listener."""

    def changed_events(self, shown: Of, now: Of) -> tuple[Of, str]:
        """The events for listeners that have `shown`, "" for none, and what they have then."""


@dataclass(eq=False, slots=True)
class _Listener:
    waiting: asyncio.Queue[bytes | None] = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


@dataclass(slots=True)
class _Channel(Generic[Of]):
    """One tournament's listeners and what they have. `whole` is for new listeners: bytes shared by all, because each
    answer keeps a reference to what it sent last."""

    shown: Of
    listeners: set[_Listener] = field(default_factory=set)
    whole: bytes = b""
    whole_until_s: float = float("-inf")


class Stream(Generic[Of]):
    """Every listener gets the whole first, then the differences, without gaps: one that cannot follow is disconnected,
    and its browser comes back for the whole."""

    def __init__(self, source: StateSource[Of], breath_s: float = BREATH_S) -> None:
        self._source = source
        self._breath_s = breath_s
        self._channels: dict[str, _Channel[Of]] = {}
        self._change = asyncio.Event()
        self._ended = False

    def changed(self) -> None:
        """Called in the loop when something may have changed."""
        if self._channels:  # a listener to come gets the present state
            self._change.set()

    async def run(self) -> None:
        """Sends differences until cancelled."""
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
            began_s = time.thread_time()
            self.send_changes()
            for _ in range(_STEPS):
                await asyncio.sleep(0)
            await asyncio.sleep(self._pause_s(began_s))

    def send_changes(self) -> None:
        """Sends the present differences to the listeners."""
        self._change.clear()
        for tournament, channel in self._channels.items():
            self._compare(tournament, channel)

    def end(self) -> None:
        """Ends every stream; new ones get nothing."""
        self._ended = True
        for channel in self._channels.values():
            _send(channel, None)

    async def listen(self, tournament: str) -> AsyncIterator[bytes]:
        """The events for one listener."""
        channel = self._channels.get(tournament)
        if channel is None:  # otherwise the newcomer would get these differences too
            now = self._source.present(tournament)
            if now is None:
                return
            channel = self._channels[tournament] = _Channel(now)
        if self._ended:
            return
        listener = _Listener()
        channel.listeners.add(listener)
        try:
            yield self._whole_bytes(channel)
            while (text := await listener.waiting.get()) is not None:
                yield text
        finally:
            channel.listeners.discard(listener)
            if not channel.listeners:
                self._channels.pop(tournament, None)

    def _whole_bytes(self, channel: _Channel[Of]) -> bytes:
        """When a hub restarts all browsers come back at once: those of one interval get the same bytes."""
        now_s = asyncio.get_running_loop().time()
        if now_s > channel.whole_until_s:
            began_s = time.thread_time()
            channel.whole = self._source.whole_events(channel.shown).encode()
            channel.whole_until_s = now_s + self._pause_s(began_s)
        return channel.whole

    def _pause_s(self, began_s: float) -> float:
        return max(self._breath_s, (_SHARE - 1) * (time.thread_time() - began_s))

    def _compare(self, tournament: str, channel: _Channel[Of]) -> None:
        now = self._source.present(tournament)
        if now is None:
            return
        channel.shown, text = self._source.changed_events(channel.shown, now)
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


def events(told: AsyncIterator[bytes], headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """An answer of server-sent events, which no proxy may hold back."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **headers}
    return StreamingResponse(told, media_type="text/event-stream", headers=headers)


_CONSOLES_BREATH_S = 0.25


class _Changes:
    """That something has changed, whatever it is."""

    def present(self, _: str) -> str:
        return "data: changed\n\n"

    def whole_events(self, shown: str) -> str:
        return shown

    def changed_events(self, shown: str, now: str) -> tuple[str, str]:
        return shown, now


def consoles_stream() -> Stream[str]:
    """Tells open consoles that something has changed; each then fetches its part of the page again."""
    return Stream(_Changes(), _CONSOLES_BREATH_S)

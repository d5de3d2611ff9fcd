"""Server-sent events: after a change the differences, computed once for all listeners; or, for the console, that
something has changed.

One connection may carry several streams, because a browser has six connections for all tabs of one hub. Every event
has the hub's monotonic count (`at_ms`), and so has the beat that is sent where nothing changes: a page dates clocks by
it, and notices a link that has gone silent.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from starlette.responses import Response, StreamingResponse

Of = TypeVar("Of")

BREATH_S = 0.05
"""The shortest interval of events: changes in between are sent together."""
_SHARE = 5
"""Sending takes a fifth of the time at most: a thousand listeners get events less often than ten."""
_STEPS = 3
"""Turns of the loop in which an event is on its way to a listener."""
_MOST_WAITING = 200
BEAT_S = 1.5
"""The longest silence of a connection. A page that hears nothing for five seconds says that it is cut off."""
_NS_PER_MS = 1_000_000


class StateSource(Protocol[Of]):
    """Reads a tournament's state; it is compared with what the listeners have."""

    def present(self, tournament: str) -> Of | None:
        """The present state; None if there is no such tournament."""

    def whole_events(self, shown: Of) -> str:
        """The events for a new listener."""

    def changed_events(self, shown: Of, now: Of) -> tuple[Of, str]:
        """The events for listeners that have `shown`, "" for none, and what they have then."""


_Sent = tuple[bytes, bytes]
"""The mark of a stream among several of one connection (empty if it is alone), and its events."""


@dataclass(eq=False, slots=True)
class _Listener:
    waiting: asyncio.Queue[_Sent | None] = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


@dataclass(slots=True)
class _Channel(Generic[Of]):
    """One tournament's listeners, with their marks, and what they have. `whole` is for new listeners: bytes shared by
    all, because each answer keeps a reference to what it sent last."""

    shown: Of
    listeners: dict[_Listener, bytes] = field(default_factory=dict)
    whole: bytes = b""
    whole_until_s: float = float("-inf")


class Stream(Generic[Of]):
    """Every listener gets the whole first, then the differences, without gaps: one that cannot follow is disconnected,
    and its browser comes back for the whole. `now_ns` is the hub's monotonic clock, for the beats."""

    def __init__(
        self,
        source: StateSource[Of],
        breath_s: float = BREATH_S,
        now_ns: Callable[[], int] = time.monotonic_ns,
        beat_s: float = BEAT_S,
    ) -> None:
        self._source = source
        self._breath_s = breath_s
        self._now_ns = now_ns
        self.beat_s = beat_s
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
            await self._change.wait()
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

    def listen(self, tournament: str) -> AsyncIterator[bytes]:
        """Return the events for one listener."""
        return listen_together([(self, tournament)])

    def attach(self, tournament: str, listener: _Listener, mark: bytes) -> bytes | None:
        """Add a listener and return the whole for it; None if there is no such tournament, or the stream has ended."""
        channel = self._channels.get(tournament)
        if channel is None:  # otherwise the newcomer would get these differences too
            now = self._source.present(tournament)
            if now is None:
                return None
            channel = self._channels[tournament] = _Channel(now)
        if self._ended:
            return None
        channel.listeners[listener] = mark
        return self._whole_bytes(channel)

    def detach(self, tournament: str, listener: _Listener) -> None:
        """Remove a listener."""
        channel = self._channels.get(tournament)
        if channel is None:
            return
        channel.listeners.pop(listener, None)
        if not channel.listeners:
            del self._channels[tournament]

    def beat(self) -> bytes:
        """Return the event that only says that the hub is there, with its count."""
        return event("beat", json.dumps({"at_ms": self._now_ns() // _NS_PER_MS})).encode()

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
    for listener, mark in channel.listeners.items():
        try:
            listener.waiting.put_nowait(None if text is None else (mark, text))
        except asyncio.QueueFull:
            while not listener.waiting.empty():
                listener.waiting.get_nowait()
            listener.waiting.put_nowait(None)


async def listen_together(streams: Sequence[tuple[Stream[Any], str]]) -> AsyncIterator[bytes]:
    """Yield the events of several streams for one listener, each with a tournament. `event: of` says to which of them,
    counted from 0, the events that follow belong."""
    listener = _Listener()
    try:
        attached = False
        for number, (stream, tournament) in enumerate(streams):
            mark = event("of", str(number)).encode() if len(streams) > 1 else b""
            whole = stream.attach(tournament, listener, mark)
            if whole is None:
                continue
            attached = True
            if mark:
                yield mark
            yield whole
        if not attached:
            return
        stream, _ = streams[0]
        while True:
            try:
                async with asyncio.timeout(
                    stream.beat_s
                ):  # wait_for of Python 3.11 may miss that it is cancelled
                    sent = await listener.waiting.get()
            except TimeoutError:
                yield stream.beat()
                continue
            if sent is None:
                return
            mark, text = sent
            if mark:
                yield mark
            yield text
    finally:
        for stream, tournament in streams:
            stream.detach(tournament, listener)


def event(name: str, data: str) -> str:
    """One event; `data` has no line breaks, as JSON has none outside of its escapes."""
    return f"event: {name}\ndata: {data}\n\n"


def events(told: AsyncIterator[bytes], headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """An answer of server-sent events, which no proxy may hold back."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **headers}
    return StreamingResponse(told, media_type="text/event-stream", headers=headers)


_CONSOLES_BREATH_S = 0.25


@dataclass(frozen=True, slots=True)
class _Changes:
    """That something has changed, whatever it is, and when."""

    now_ns: Callable[[], int]

    def present(self, _: str) -> str:
        return ""

    def whole_events(self, shown: str) -> str:
        at_ms = self.now_ns() // _NS_PER_MS
        return f"data: {json.dumps({'at_ms': at_ms})}\n\n"

    def changed_events(self, shown: str, now: str) -> tuple[str, str]:
        return shown, self.whole_events(now)


def consoles_stream(now_ns: Callable[[], int]) -> Stream[str]:
    """Tells open consoles that something has changed; each then fetches its part of the page again."""
    return Stream(_Changes(now_ns), _CONSOLES_BREATH_S, now_ns)

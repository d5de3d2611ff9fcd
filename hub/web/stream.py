"""Streams of server-sent events: after a change its differences, computed once for all listeners, or a bare signal
for the console.

One connection may carry several streams, because a browser has six connections for all tabs of one hub. Every event
has the hub's monotonic count (`at_ms`), and so has the beat that is sent when nothing changes: a page dates clocks by
it, and notices a silent link.
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

State = TypeVar("State")

BREATH_S = 0.05  # shortest interval of events: changes in between are sent together
_SHARE = 5  # sending takes a fifth of the time at most: a thousand listeners get events less often than ten
_STEPS = 3  # turns of the loop that an event takes to reach a listener
_MOST_WAITING = 200
BEAT_S = 1.5  # longest silence of a connection; a page that hears nothing for five seconds shows that it is cut off
_NS_PER_MS = 1_000_000


class StateSource(Protocol[State]):
    """A reader of a tournament's state, and of its differences from the state that listeners have."""

    def present(self, tournament: str, /) -> State | None:
        """Return the present state, or None if there is no such tournament."""

    def whole_events(self, shown: State) -> str:
        """Return the events for a new listener."""

    def changed_events(self, shown: State, present: State) -> tuple[State, str]:
        """Return the state that listeners have after these events, and the events ("" for none) for those that have
        `shown`."""


# The mark of a stream among several of one connection (empty if it is alone), and its events.
_Sent = tuple[bytes, bytes]


@dataclass(eq=False, slots=True)
class _Listener:
    waiting: asyncio.Queue[_Sent | None] = field(default_factory=lambda: asyncio.Queue(_MOST_WAITING))


@dataclass(slots=True)
class _Channel(Generic[State]):
    """The listeners of a tournament, and the state that they have."""

    shown: State
    listeners: dict[_Listener, bytes] = field(default_factory=dict)  # with their marks
    whole: bytes = (
        b""  # for new listeners; shared, because each answer keeps a reference to the bytes it sent last
    )
    whole_until_s: float = float("-inf")


class Stream(Generic[State]):
    """The events of tournaments for their listeners.

    Every listener gets the whole state first, then the differences, without gaps. A listener that cannot follow is
    disconnected, and its browser comes back for the whole. `now_ns` is the hub's monotonic clock, for the beats.
    """

    def __init__(
        self,
        source: StateSource[State],
        breath_s: float = BREATH_S,
        now_ns: Callable[[], int] = time.monotonic_ns,
        beat_s: float = BEAT_S,
    ) -> None:
        self._source = source
        self._breath_s = breath_s
        self._now_ns = now_ns
        self.beat_s = beat_s
        self._channels: dict[str, _Channel[State]] = {}
        self._change = asyncio.Event()
        self._ended = False

    def changed(self) -> None:
        """Note that something may have changed. Call it in the loop."""
        if self._channels:  # a listener to come gets the present state
            self._change.set()

    async def run(self) -> None:
        """Send differences until cancelled."""
        while True:
            await self._change.wait()
            began_s = time.thread_time()
            self.send_changes()
            for _ in range(_STEPS):
                await asyncio.sleep(0)
            await asyncio.sleep(self._pause_s(began_s))

    def send_changes(self) -> None:
        """Send the present differences to the listeners."""
        self._change.clear()
        for tournament, channel in self._channels.items():
            present = self._source.present(tournament)
            if present is None:
                continue
            channel.shown, text = self._source.changed_events(channel.shown, present)
            if text:
                channel.whole_until_s = float("-inf")
                _send(channel, text.encode())

    def end(self) -> None:
        """End every stream. New listeners get nothing."""
        self._ended = True
        for channel in self._channels.values():
            _send(channel, None)

    def listen(self, tournament: str) -> AsyncIterator[bytes]:
        """Return the events for one listener."""
        return listen_together([(self, tournament)])

    def attach(self, tournament: str, listener: _Listener, mark: bytes) -> bytes | None:
        """Add a listener and return the whole for it; None if there is no such tournament or the stream has ended."""
        channel = self._channels.get(tournament)
        if channel is None:  # otherwise the newcomer would get these differences too
            present = self._source.present(tournament)
            if present is None:
                return None
            channel = self._channels[tournament] = _Channel(present)
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
        """Return the event that carries only the hub's count, as a sign of life."""
        return event("beat", json.dumps({"at_ms": self._now_ns() // _NS_PER_MS})).encode()

    def _whole_bytes(self, channel: _Channel[State]) -> bytes:
        """Return the whole. Browsers that come back together when a hub restarts get the same bytes."""
        now_s = asyncio.get_running_loop().time()
        if now_s > channel.whole_until_s:
            began_s = time.thread_time()
            channel.whole = self._source.whole_events(channel.shown).encode()
            channel.whole_until_s = now_s + self._pause_s(began_s)
        return channel.whole

    def _pause_s(self, began_s: float) -> float:
        return max(self._breath_s, (_SHARE - 1) * (time.thread_time() - began_s))


def _send(channel: _Channel[State], text: bytes | None) -> None:
    for listener, mark in channel.listeners.items():
        try:
            listener.waiting.put_nowait(None if text is None else (mark, text))
        except asyncio.QueueFull:
            while not listener.waiting.empty():
                listener.waiting.get_nowait()
            listener.waiting.put_nowait(None)


async def listen_together(streams: Sequence[tuple[Stream[Any], str]]) -> AsyncIterator[bytes]:
    """Yield the events of several streams, each with a tournament, for one listener. `event: of` announces the stream,
    counted from 0, to which the events after it belong."""
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
                # wait_for of Python 3.11 may miss that it is cancelled.
                async with asyncio.timeout(stream.beat_s):
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
    """Return an event. `data` must have no line breaks; JSON has none outside its escapes."""
    return f"event: {name}\ndata: {data}\n\n"


def events(stream: AsyncIterator[bytes], headers: Mapping[str, str] = MappingProxyType({})) -> Response:
    """Return an answer of server-sent events, which no proxy may hold back."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", **headers}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


_CONSOLES_BREATH_S = 0.25


@dataclass(frozen=True, slots=True)
class _Changes:
    """The bare signal that something has changed, with its time."""

    now_ns: Callable[[], int]

    def present(self, _: str) -> str:
        return ""

    def whole_events(self, shown: str) -> str:
        at_ms = self.now_ns() // _NS_PER_MS
        return f"data: {json.dumps({'at_ms': at_ms})}\n\n"

    def changed_events(self, shown: str, present: str) -> tuple[str, str]:
        return shown, self.whole_events(present)


def consoles_stream(now_ns: Callable[[], int]) -> Stream[str]:
    """Return the stream that makes open consoles fetch their parts of the page again after a change."""
    return Stream(_Changes(now_ns), _CONSOLES_BREATH_S, now_ns)

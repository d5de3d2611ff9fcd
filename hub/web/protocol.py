"""uvicorn's HTTP/1.1, with what it says of a connection told to the gate, and requests read no faster than allowed."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from hub.abuses import Abuse, Abuses
from hub.bucket import Bucket
from hub.web.gate import Gate, Held, address_of

LARGEST_HEAD_BYTES = 16_384
READ_PER_S, READ_AT_ONCE = 120.0, 600.0
"""Requests of one address; a hall behind one address loads a page with all that belongs to it, 100 phones at once."""
_MOST_ADDRESSES = 4_096
_WRITE_BUFFER_BYTES = 8_192


class Pace:
    """How fast the requests of each address are read: what comes faster waits where it is, in the network."""

    def __init__(self, abuses: Abuses) -> None:
        self._abuses = abuses
        self._buckets: dict[str, Bucket] = {}

    def wait_s(self, address: str, requests: int) -> float:
        """So many have been read from there; how long nothing more is read from that connection."""
        now_ns = time.monotonic_ns()
        bucket = self._buckets.get(address)
        if bucket is None:
            if len(self._buckets) >= _MOST_ADDRESSES:
                self._buckets = {one: kept for one, kept in self._buckets.items() if not kept.full(now_ns)}
                if len(self._buckets) >= _MOST_ADDRESSES:
                    self._buckets.clear()
            bucket = self._buckets[address] = Bucket(READ_AT_ONCE, READ_PER_S, now_ns)
        if bucket.take(requests, now_ns):
            return 0.0
        self._abuses.note(Abuse.REQUESTS, address)
        return max(0.1, bucket.wait_s(requests, now_ns))


def protocol_of(gate: Gate, pace: Pace) -> type[H11Protocol]:
    """The protocol for a server whose connections come through this gate."""

    class Protocol(H11Protocol):
        _held: Held | None = None
        _again: asyncio.TimerHandle | None = None
        has_begun = False
        """Whether anything has come since the last answer."""

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            transport.set_write_buffer_limits(high=_WRITE_BUFFER_BYTES)
            super().connection_made(transport)
            self._held = gate.of(transport.get_extra_info("socket").fileno())
            if self._held is None:  # made room for another before this one came so far
                transport.abort()
                return
            self._held.protocol = self
            self.app_state = {**self.app_state, "held": self._held}

        def data_received(self, data: bytes) -> None:
            self.has_begun = True
            super().data_received(data)
            self._tell()
            if self._held is not None and not self._held.known:
                wait_s = pace.wait_s(self._held.address, max(1, data.count(b" HTTP/1.")))
                if wait_s:
                    self.transport.pause_reading()
                    self._again = self.loop.call_later(wait_s, self._read_on)

        def on_response_complete(self) -> None:
            self.has_begun = False
            super().on_response_complete()
            self._tell()

        def _read_on(self) -> None:
            if not self.flow.read_paused and not self.transport.is_closing():
                self.transport.resume_reading()

        def _tell(self) -> None:
            held = self._held
            if held is None:
                return
            serving = self.cycle is not None and not self.cycle.response_complete
            if serving != held.serving:
                held.serving, held.since_s = serving, self.loop.time()

        def pause_writing(self) -> None:
            super().pause_writing()
            if self._held is not None:
                gate.unread(self._held, self.transport.get_write_buffer_size())

        def resume_writing(self) -> None:
            super().resume_writing()
            if self._held is not None:
                gate.taken(self._held)
                if not self._held.serving:
                    self._held.since_s = self.loop.time()

        def connection_lost(self, exc: Exception | None) -> None:
            if self._again is not None:
                self._again.cancel()
            if self._held is not None:
                gate.taken(self._held)
            super().connection_lost(exc)

    return Protocol


def client_address(scope: Any) -> str:
    """The address of a request that limits go by."""
    return address_of(scope.get("client"))

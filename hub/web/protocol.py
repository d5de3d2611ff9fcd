"""uvicorn's HTTP/1.1, which reports each connection's state to the gate."""

from __future__ import annotations

import asyncio
import time

from uvicorn.protocols.http.h11_impl import H11Protocol

from hub.web.gate import Gate, HeldConnection

LARGEST_HEAD_BYTES = 8_192
_PIECE_BYTES = 4_096
"""h11 checks a head's size only while it is incomplete: one that arrives whole could have thousands of lines."""
_WRITE_BUFFER_BYTES = 8_192


class GatedProtocol(H11Protocol):
    """A connection that came through `gate`."""

    gate: Gate
    _held: HeldConnection | None = None
    has_begun = False
    """Whether anything has come since the last answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(high=_WRITE_BUFFER_BYTES)
        # asyncio reads 256 kB of each connection at once.
        if hasattr(transport, "max_size"):
            transport.max_size = LARGEST_HEAD_BYTES
        super().connection_made(transport)
        self._held = self.gate.of(transport.get_extra_info("socket").fileno())
        if self._held is None:  # already closed to make room for another connection
            transport.abort()
            return
        self._held.protocol = self
        self.app_state = {**self.app_state, "held": self._held}

    def data_received(self, data: bytes) -> None:
        self.has_begun = True
        began_s = time.thread_time()
        for at in range(0, len(data), _PIECE_BYTES):
            if not self.transport.is_closing():
                super().data_received(data[at : at + _PIECE_BYTES])
        if self._held is not None:
            self.gate.read(self._held, time.thread_time() - began_s)
        self._tell()

    def on_response_complete(self) -> None:
        self.has_begun = False
        super().on_response_complete()
        self._tell()

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
            self.gate.unread(self._held, self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._held is not None:
            self.gate.taken(self._held)
            if not self._held.serving:
                self._held.since_s = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._held is not None:
            self.gate.taken(self._held)
        super().connection_lost(exc)


def protocol_of(gate: Gate) -> type[GatedProtocol]:
    """The protocol for a server whose connections come through this gate."""
    return type("Protocol", (GatedProtocol,), {"gate": gate})

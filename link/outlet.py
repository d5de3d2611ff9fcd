"""The writing side of an MQTT connection: all packets of one turn of the loop leave in one piece."""

from __future__ import annotations

import asyncio

from link.packets import Packet, encode


class Outlet:
    """Sends to `transport`, in order; what comes after its end is forgotten."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    @property
    def waiting_bytes(self) -> int:
        """What the other side has not taken yet."""
        return self._transport.get_write_buffer_size()

    def send(self, packet: Packet) -> None:
        """ValueError for a text that no packet can hold."""
        data = encode(packet)
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        """End the connection when all has been sent."""
        self._flush()
        self._transport.close()

    def abort(self) -> None:
        """End it at once."""
        self._parts.clear()
        self._transport.abort()

    def _flush(self) -> None:
        if self._parts:
            data, self._parts = b"".join(self._parts), []
            if not self._transport.is_closing():
                self._transport.write(data)

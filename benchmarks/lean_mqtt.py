"""As little of an MQTT client as a load needs: many in one loop, so that the generator costs little beside the hub.

It knows no loss and no resending; whoever uses it sends again what is not answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from link.outlet import Outlet
from link.packets import (
    ACCEPTED,
    Connect,
    Connected,
    Packet,
    Publish,
    Published,
    Reader,
    Subscribe,
    Subscribed,
)

Heard = Callable[[str, bytes], None]
_KEEPALIVE_S = 0  # nobody asks whether a load is still there
_LARGEST_BYTES = 1 << 20


class LeanClient(asyncio.Protocol):
    """One connection. `up` is set when its subscription stands; `lost` when the connection is gone."""

    def __init__(self, user: str, token: str, filters: tuple[str, ...], heard: Heard) -> None:
        self.up = asyncio.Event()
        self.lost = asyncio.Event()
        self._hello = Connect(user, user, token, _KEEPALIVE_S)
        self._filters = filters
        self._heard = heard
        self._reader = Reader(_LARGEST_BYTES)
        self._number = 0
        self._outlet: Outlet | None = None

    @classmethod
    async def connected(
        cls, port: int, user: str, token: str, filters: tuple[str, ...], heard: Heard, host: str = "127.0.0.1"
    ) -> LeanClient:
        """Connects and subscribes with QoS 1."""
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(lambda: cls(user, token, filters, heard), host, port)
        await client.up.wait()
        return client

    def publish(self, topic: str, payload: bytes, qos: int = 1, retain: bool = False) -> None:
        if qos:
            self._number = self._number % 65_535 + 1
        self._send(Publish(topic, payload, qos, retain, self._number if qos else 0))

    def close(self) -> None:
        """Goes without a goodbye."""
        if self._outlet is not None:
            self._outlet.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._outlet = Outlet(transport, asyncio.get_running_loop())
        self._send(self._hello)

    def connection_lost(self, fault: Exception | None) -> None:
        self.lost.set()

    def data_received(self, data: bytes) -> None:
        for packet in self._reader.feed(data):
            self._take(packet)

    def _take(self, packet: Packet) -> None:
        match packet:
            case Publish():
                if packet.qos:
                    self._send(Published(packet.number))
                self._heard(packet.topic, packet.payload)
            case Connected(code) if code == ACCEPTED:
                self._send(Subscribe(1, tuple((one, 1) for one in self._filters)))
            case Subscribed():
                self.up.set()

    def _send(self, packet: Packet) -> None:
        if self._outlet is not None:
            self._outlet.send(packet)

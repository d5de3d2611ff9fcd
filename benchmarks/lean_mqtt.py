"""As little of MQTT 3.1.1 as a load needs: many clients in one loop, so that the generator costs little beside the hub.

It knows no loss and no resending; whoever uses it sends again what is not answered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

Heard = Callable[[str, bytes], None]
_CONNACK, _PUBLISH, _PUBACK, _SUBACK, _PINGREQ = 0x20, 0x30, 0x40, 0x90, 0xC0
_KEEPALIVE_S = 60


class LeanClient(asyncio.Protocol):
    """One connection. `up` is set when its subscription stands; `lost` when the connection is gone."""

    def __init__(self, user: str, token: str, filters: tuple[str, ...], heard: Heard) -> None:
        self.up = asyncio.Event()
        self.lost = asyncio.Event()
        self._user = user
        self._token = token
        self._filters = filters
        self._heard = heard
        self._rest = b""
        self._number = 0
        self._transport: asyncio.Transport | None = None

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
        body = _text(topic)
        if qos:
            self._number = self._number % 65_535 + 1
            body += self._number.to_bytes(2, "big")
        self._send(_PUBLISH | qos << 1 | int(retain), body + payload)

    def close(self) -> None:
        """Goes without a goodbye."""
        if self._transport is not None:
            self._transport.abort()

    def ping(self) -> None:
        self._send(_PINGREQ, b"")

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        flags = 0xC2  # user, password, clean session
        head = _text("MQTT") + bytes([4, flags]) + _KEEPALIVE_S.to_bytes(2, "big")
        self._send(0x10, head + _text(self._user) + _text(self._user) + _text(self._token))

    def connection_lost(self, fault: Exception | None) -> None:
        self.lost.set()

    def data_received(self, data: bytes) -> None:
        data = self._rest + data
        at = 0
        while True:
            packet = _packet(data, at)
            if packet is None:
                break
            kind, start, at = packet
            self._take(kind, data[start:at])
        self._rest = data[at:]

    def _take(self, kind: int, body: bytes) -> None:
        match kind & 0xF0:
            case 0x30:
                length = int.from_bytes(body[:2], "big")
                topic, rest = body[2 : 2 + length].decode(), body[2 + length :]
                if kind & 0x06:
                    self._send(_PUBACK, rest[:2])
                    rest = rest[2:]
                self._heard(topic, rest)
            case 0x20 if body[1] == 0:
                filters = b"".join(_text(one) + b"\x01" for one in self._filters)
                self._send(0x82, b"\x00\x01" + filters)
            case 0x90:
                self.up.set()

    def _send(self, kind: int, body: bytes) -> None:
        if self._transport is not None:
            self._transport.write(bytes([kind]) + _length(len(body)) + body)


def _packet(data: bytes, at: int) -> tuple[int, int, int] | None:
    """(first byte, start of the body, its end) of the packet at `at`; None if it is not all there."""
    length = shift = 0
    for index in range(at + 1, min(at + 5, len(data))):
        length |= (data[index] & 0x7F) << shift
        shift += 7
        if not data[index] & 0x80:
            end = index + 1 + length
            return (data[at], index + 1, end) if end <= len(data) else None
    return None


def _length(size: int) -> bytes:
    out = bytearray()
    while True:
        size, low = divmod(size, 128)
        out.append(low | (0x80 if size else 0))
        if not size:
            return bytes(out)


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data

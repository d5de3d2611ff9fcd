"""An MQTT client with no more than a load needs: many in one loop, so that the generator costs little beside the hub.

It knows no loss and no resending: its user sends again what is not answered. Sections are those of the OASIS standard
"MQTT Version 3.1.1".
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

Heard = Callable[[str, bytes], None]
_CONNECT, _SUBSCRIBE = b"\x10", b"\x82"
_CONNACK, _PUBLISH, _SUBACK = 2, 3, 9
# Level 4, clean, with user and password, and no keep-alive (3.1.2): nobody asks whether a load is still there.
_HELLO = b"\x00\x04MQTT\x04\xc2\x00\x00"


class LeanClient(asyncio.Protocol):
    """One connection. `up` is set when its subscription stands; `lost` when the connection is gone."""

    def __init__(self, user: str, token: str, filters: tuple[str, ...], heard: Heard) -> None:
        self.up = asyncio.Event()
        self.lost = asyncio.Event()
        self._hello = _packet(_CONNECT, _HELLO + b"".join(map(_text, (user, user, token))))
        self._filters = filters
        self._heard = heard
        self._number = 0
        self._unread = b""
        self._unsent: list[bytes] = []
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def connected(
        cls, port: int, user: str, token: str, filters: tuple[str, ...], heard: Heard
    ) -> LeanClient:
        """Connect on this machine and subscribe with QoS 1."""
        loop = asyncio.get_running_loop()
        _, client = await loop.create_connection(lambda: cls(user, token, filters, heard), "127.0.0.1", port)
        await client.up.wait()
        return client

    def publish(self, topic: str, payload: bytes, qos: int = 1, retain: bool = False) -> None:
        number = b""
        if qos:
            self._number = self._number % 65_535 + 1
            number = self._number.to_bytes(2, "big")
        self._send(_packet(bytes([0x30 | qos << 1 | retain]), _text(topic) + number + payload))

    def close(self) -> None:
        """Close the connection without a goodbye."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._send(self._hello)

    def connection_lost(self, fault: Exception | None) -> None:
        self.lost.set()

    def data_received(self, data: bytes) -> None:
        data = self._unread + data
        at = 0
        while (span := _length(data, at + 1)) is not None:
            length, start = span
            if len(data) < start + length:
                break
            self._take(data[at], data[start : start + length])
            at = start + length
        self._unread = data[at:]

    def _take(self, first: int, body: bytes) -> None:
        match first >> 4:
            case n if n == _PUBLISH:
                end = 2 + int.from_bytes(body[:2], "big")
                payload = end
                if first & 6:
                    payload += 2
                    self._send(b"\x40\x02" + body[end:payload])
                self._heard(body[2:end].decode(), body[payload:])
            case n if n == _CONNACK and body[1] == 0:
                wanted = b"".join(_text(topic) + b"\x01" for topic in self._filters)
                self._send(_packet(_SUBSCRIBE, b"\x00\x01" + wanted))
            case n if n == _SUBACK:
                self.up.set()

    def _send(self, data: bytes) -> None:
        """Send; all of one turn of the loop leaves in one piece."""
        if not self._unsent:
            asyncio.get_running_loop().call_soon(self._flush)
        self._unsent.append(data)

    def _flush(self) -> None:
        data, self._unsent = b"".join(self._unsent), []
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)


def _text(text: str) -> bytes:
    data = text.encode()
    return len(data).to_bytes(2, "big") + data


def _packet(first: bytes, body: bytes) -> bytes:
    """Return a packet with the remaining length in front (2.2.3)."""
    digits, length = bytearray(), len(body)
    while True:
        length, digit = divmod(length, 128)
        digits.append(digit | (0x80 if length else 0))
        if not length:
            return first + bytes(digits) + body


def _length(data: bytes, at: int) -> tuple[int, int] | None:
    """Return the remaining length that begins at `at`, and where the body begins, or None while not all of it is
    there.
    """
    length = 0
    for nth, digit in enumerate(data[at : at + 4]):
        length |= (digit & 127) << 7 * nth
        if digit < 128:
            return length, at + nth + 1
    return None

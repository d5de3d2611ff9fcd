"""The packets of MQTT 3.1.1 as values, and their bytes; no input or output. Broker and benches stand on it.

As much as the contract needs: QoS 0 and 1, clean sessions. QoS 2 is no packet here. Sections are those of the OASIS
standard "MQTT Version 3.1.1".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

import msgspec

LEVEL: Final = 4
"""The protocol level of 3.1.1 (3.1.2.2)."""
ACCEPTED, WRONG_LEVEL, NOT_AUTHORISED = 0, 1, 5
"""Return codes of CONNACK (3.2.2.3)."""
REFUSED: Final = 0x80
"""The code of a subscription that is not granted (3.9.3)."""
_LONGEST_TEXT: Final = 0xFFFF


class BadPacket(ValueError):
    """Bytes that are no packet of ours: the connection is to be ended. One line."""


class Publish(msgspec.Struct, frozen=True):
    """A message; `number` is its packet identifier, 0 with QoS 0. Also a will."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    number: int = 0


class Connect(msgspec.Struct, frozen=True):
    """`keepalive_s` 0: may be silent for ever. Of another `level` than 3.1.1 nothing else is known."""

    client_id: str = ""
    user: str | None = None
    password: str | None = None
    keepalive_s: int = 0
    clean: bool = True
    will: Publish | None = None
    level: int = LEVEL


class Connected(msgspec.Struct, frozen=True):
    """CONNACK."""

    code: int


class Published(msgspec.Struct, frozen=True):
    """PUBACK."""

    number: int


class Subscribe(msgspec.Struct, frozen=True):
    """Topic filters, each with the highest QoS wanted."""

    number: int
    filters: tuple[tuple[str, int], ...]


class Subscribed(msgspec.Struct, frozen=True):
    """SUBACK: for each filter the QoS granted, or REFUSED."""

    number: int
    codes: tuple[int, ...]


class Unsubscribe(msgspec.Struct, frozen=True):
    number: int
    filters: tuple[str, ...]


class Unsubscribed(msgspec.Struct, frozen=True):
    number: int


class Ping(msgspec.Struct, frozen=True):
    pass


class Pong(msgspec.Struct, frozen=True):
    pass


class Disconnect(msgspec.Struct, frozen=True):
    pass


Packet: TypeAlias = (
    Connect
    | Connected
    | Publish
    | Published
    | Subscribe
    | Subscribed
    | Unsubscribe
    | Unsubscribed
    | Ping
    | Pong
    | Disconnect
)


def encode(packet: Packet) -> bytes:
    """ValueError for a text of more than 65,535 bytes."""
    match packet:
        case Publish(topic, payload, qos, retain, number):
            head = _text(topic) + (number.to_bytes(2, "big") if qos else b"")
            return _packet(0x30 | qos << 1 | retain, head + payload)
        case Published(number):
            return b"\x40\x02" + number.to_bytes(2, "big")
        case Connect():
            return _packet(0x10, _connect(packet))
        case Connected(code):
            return bytes((0x20, 2, 0, code))
        case Subscribe(number, filters):
            wanted = b"".join(_text(one) + bytes((qos,)) for one, qos in filters)
            return _packet(0x82, number.to_bytes(2, "big") + wanted)
        case Subscribed(number, codes):
            return _packet(0x90, number.to_bytes(2, "big") + bytes(codes))
        case Unsubscribe(number, filters):
            return _packet(0xA2, number.to_bytes(2, "big") + b"".join(map(_text, filters)))
        case Unsubscribed(number):
            return b"\xb0\x02" + number.to_bytes(2, "big")
        case Ping():
            return b"\xc0\x00"
        case Pong():
            return b"\xd0\x00"
        case Disconnect():
            return b"\xe0\x00"


class Reader:
    """Takes bytes as they come and gives the packets in them."""

    def __init__(self, largest_bytes: int) -> None:
        self._largest_bytes = largest_bytes
        self._parts: list[bytes] = []
        self._have = 0
        self._needed = 2

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Each packet that is complete now. BadPacket (after those before it) for what is none, or too large."""
        self._parts.append(data)
        self._have += len(data)
        if self._have < self._needed:
            return
        data = b"".join(self._parts)
        at = 0
        while True:
            start, end = _frame(data, at)
            if end - at > self._largest_bytes:
                raise BadPacket(f"expected {self._largest_bytes} bytes at most, got a packet of {end - at}")
            if end > len(data):
                break
            yield _decode(data[at], data[start:end])
            at = end
        self._parts = [data[at:]]
        self._have = len(data) - at
        self._needed = end - at


def _frame(data: bytes, at: int) -> tuple[int, int]:
    """Where the body of the packet at `at` begins and ends; if its length is not there yet, an end beyond `data`."""
    length = shift = 0
    for index in range(at + 1, at + 5):
        if index >= len(data):
            return index, index + 1
        length |= (data[index] & 0x7F) << shift
        if data[index] < 0x80:
            return index + 1, index + 1 + length
        shift += 7
    raise BadPacket("expected a length of four bytes at most")


def _decode(first: int, body: bytes) -> Packet:
    if first & 0xF0 == 0x30:
        return _publish(first, body)
    fields = _Fields(body)
    packet: Packet
    match first:
        case 0x40:
            packet = Published(fields.whole())
        case 0x10:
            packet = _connection(fields)
        case 0x20:
            fields.take(1)
            packet = Connected(fields.byte())
        case 0x82:
            packet = Subscribe(fields.number(), _wanted(fields))
        case 0x90:
            packet = Subscribed(fields.number(), tuple(fields.rest()))
        case 0xA2:
            packet = Unsubscribe(fields.number(), _unwanted(fields))
        case 0xB0:
            packet = Unsubscribed(fields.whole())
        case 0xC0:
            packet = Ping()
        case 0xD0:
            packet = Pong()
        case 0xE0:
            packet = Disconnect()
        case _:
            raise BadPacket(f"expected a packet of MQTT 3.1.1, got one that begins with {first:#04x}")
    fields.end()
    return packet


def _publish(first: int, body: bytes) -> Publish:
    qos = first >> 1 & 3
    start = 2 + int.from_bytes(body[:2], "big")
    number = 0
    try:
        topic = body[2:start].decode()
    except UnicodeDecodeError:
        raise BadPacket("topic: expected UTF-8") from None
    if qos:
        number = int.from_bytes(body[start : start + 2], "big")
        start += 2
    if qos > 1 or len(body) < start or bool(qos) != bool(number):
        raise BadPacket("expected a message of QoS 0, or of QoS 1 with its number")
    if not topic or "+" in topic or "#" in topic or "\0" in topic:
        raise BadPacket("topic: expected one without wildcards")
    return Publish(topic, body[start:], qos, bool(first & 1), number)


def _connection(fields: _Fields) -> Connect:
    name, level = fields.text(), fields.byte()
    if name != "MQTT" or level != LEVEL:
        fields.rest()
        return Connect(level=level if level != LEVEL else 0)
    flags, keepalive_s, client_id = fields.byte(), fields.number(), fields.text()
    will = None
    if flags & 0x04:
        will = Publish(fields.text(), fields.data(), flags >> 3 & 3, bool(flags & 0x20))
    user = fields.text() if flags & 0x80 else None
    password = fields.text() if flags & 0x40 else None
    if flags & 0x01 or (will is not None and will.qos > 1):
        raise BadPacket("expected a connection with a will of QoS 0 or 1, or none")
    return Connect(client_id, user, password, keepalive_s, bool(flags & 0x02), will)


def _connect(packet: Connect) -> bytes:
    will, user, password = packet.will, packet.user, packet.password
    flags = (user is not None) << 7 | (password is not None) << 6 | packet.clean << 1
    parts = [_text(packet.client_id)]
    if will is not None:
        flags |= will.retain << 5 | will.qos << 3 | 0x04
        parts += _text(will.topic), _sized(will.payload)
    parts += [_text(one) for one in (user, password) if one is not None]
    head = _text("MQTT") + bytes((packet.level, flags)) + packet.keepalive_s.to_bytes(2, "big")
    return head + b"".join(parts)


def _wanted(fields: _Fields) -> tuple[tuple[str, int], ...]:
    found: list[tuple[str, int]] = []
    while fields.left or not found:
        topic_filter, qos = fields.text(), fields.byte()
        if qos > 2:
            raise BadPacket(f"expected a QoS of 0 to 2, got {qos}")
        found.append((topic_filter, qos))
    return tuple(found)


def _unwanted(fields: _Fields) -> tuple[str, ...]:
    found: list[str] = []
    while fields.left or not found:
        found.append(fields.text())
    return tuple(found)


class _Fields:
    """The body of a packet, field by field; BadPacket where it ends too early."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._body) - self._at

    def take(self, size: int) -> bytes:
        if self.left < size:
            raise BadPacket(f"expected {size} bytes more, got {self.left}")
        self._at += size
        return self._body[self._at - size : self._at]

    def rest(self) -> bytes:
        return self.take(self.left)

    def byte(self) -> int:
        return self.take(1)[0]

    def number(self) -> int:
        return int.from_bytes(self.take(2), "big")

    def whole(self) -> int:
        """A number, and nothing after it."""
        number = self.number()
        self.end()
        return number

    def data(self) -> bytes:
        return self.take(self.number())

    def text(self) -> str:
        try:
            return self.data().decode()
        except UnicodeDecodeError:
            raise BadPacket("expected UTF-8") from None

    def end(self) -> None:
        if self.left:
            raise BadPacket(f"expected the end of the packet, got {self.left} bytes more")


def _packet(first: int, body: bytes) -> bytes:
    size = len(body)
    if size < 0x80:
        return bytes((first, size)) + body
    head = bytearray((first,))
    while True:
        size, low = divmod(size, 0x80)
        head.append(low | (0x80 if size else 0))
        if not size:
            return bytes(head) + body


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _sized(data: bytes) -> bytes:
    if len(data) > _LONGEST_TEXT:
        raise ValueError(f"expected {_LONGEST_TEXT} bytes at most, got {len(data)}")
    return len(data).to_bytes(2, "big") + data

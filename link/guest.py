"""One connection to the embedded broker, as the broker sees it."""

from __future__ import annotations

import asyncio
from typing import Protocol

from link.messages import LARGEST_PAYLOAD_BYTES
from link.outlet import Outlet
from link.packets import (
    ACCEPTED,
    REFUSED,
    BadPacket,
    Connect,
    Connected,
    Disconnect,
    Packet,
    Ping,
    Pong,
    Publish,
    Published,
    Reader,
    Subscribe,
    Subscribed,
    Unsubscribe,
    Unsubscribed,
)
from link.topics import fits

LARGEST_PACKET_BYTES = LARGEST_PAYLOAD_BYTES + 1024
_FIRST_PACKET_S = 10.0
_MOST_WAITING_BYTES = 32 << 20
_MOST_NUMBER = 0xFFFF
_MOST_FILTERS = 100


class House(Protocol):
    """What a guest asks of the broker (`link.broker`)."""

    def called(self, guest: Guest) -> None: ...

    def admit(self, guest: Guest, asked: Connect) -> int: ...

    def gone(self, guest: Guest) -> None: ...

    def grant(self, guest: Guest, topic_filter: str, qos: int) -> int: ...

    def kept(self, user: str, topic_filter: str) -> list[Publish]: ...

    def take(self, user: str, message: Publish) -> None: ...


class Guest(asyncio.Protocol):
    """`user` is "" until it is admitted; `will` is None when it has none, or has said goodbye."""

    def __init__(self, house: House) -> None:
        self.user = ""
        self.client_id = ""
        self.will: Publish | None = None
        self._house = house
        self._loop = asyncio.get_running_loop()
        self._reader = Reader(LARGEST_PACKET_BYTES)
        self._outlet: Outlet | None = None
        self._filters: dict[str, int] = {}
        self._number = 0
        self._heard_s = 0.0
        self._longest_silence_s = _FIRST_PACKET_S
        self._watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._outlet = Outlet(transport, self._loop)
        self._heard_s = self._loop.time()
        self._house.called(self)
        self._look_for_silence()

    def connection_lost(self, fault: Exception | None) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._house.gone(self)

    def data_received(self, data: bytes) -> None:
        self._heard_s = self._loop.time()
        try:
            for packet in self._reader.feed(data):
                self._take(packet)
        except BadPacket:
            self.hang_up()

    def hear(self, message: Publish) -> None:
        """Sends it, if a subscription fits; one whose reader does not keep up is ended: it comes back for what it
        lacks."""
        granted = [qos for topic_filter, qos in self._filters.items() if fits(topic_filter, message.topic)]
        if granted:
            self._tell(message, max(granted), retained=False)

    def hang_up(self) -> None:
        if self._outlet is not None:
            self._outlet.abort()

    def _take(self, packet: Packet) -> None:
        if not self.user and not isinstance(packet, Connect):
            raise BadPacket("expected a connection first")
        match packet:
            case Publish():
                self._house.take(self.user, packet)
                if packet.qos:
                    self._send(Published(packet.number))
            case Published():
                pass
            case Ping():
                self._send(Pong())
            case Connect() if not self.user:
                self._connect(packet)
            case Subscribe(number, filters):
                self._subscribe(number, filters)
            case Unsubscribe(number, unwanted):
                for topic_filter in unwanted:
                    self._filters.pop(topic_filter, None)
                self._send(Unsubscribed(number))
            case Disconnect():
                self.will = None
                self._close()
            case _:
                raise BadPacket("expected what a client sends")

    def _connect(self, asked: Connect) -> None:
        code = self._house.admit(self, asked)
        self._send(Connected(code))
        if code != ACCEPTED:
            self._close()
            return
        assert asked.user is not None
        self.user, self.client_id, self.will = asked.user, asked.client_id, asked.will
        self._longest_silence_s = 1.5 * asked.keepalive_s
        self._look_for_silence()

    def _subscribe(self, number: int, filters: tuple[tuple[str, int], ...]) -> None:
        codes = [self._house.grant(self, topic_filter, qos) for topic_filter, qos in filters]
        granted = {one: code for (one, _), code in zip(filters, codes, strict=True) if code != REFUSED}
        self._filters |= granted
        if len(self._filters) > _MOST_FILTERS:
            raise BadPacket(f"expected {_MOST_FILTERS} subscriptions at most")
        self._send(Subscribed(number, tuple(codes)))
        for topic_filter, qos in granted.items():
            for message in self._house.kept(self.user, topic_filter):
                self._tell(message, qos, retained=True)

    def _tell(self, message: Publish, granted: int, retained: bool) -> None:
        qos = min(message.qos, granted)
        if qos:
            self._number = self._number % _MOST_NUMBER + 1
        self._send(Publish(message.topic, message.payload, qos, retained, self._number if qos else 0))
        if self._outlet is not None and self._outlet.waiting_bytes > _MOST_WAITING_BYTES:
            self.hang_up()

    def _send(self, packet: Packet) -> None:
        if self._outlet is not None:
            self._outlet.send(packet)

    def _close(self) -> None:
        if self._outlet is not None:
            self._outlet.close()

    def _look_for_silence(self) -> None:
        """Ends a connection that is silent for too long (3.1.2.10); 0: never."""
        if self._watch is not None:
            self._watch.cancel()
        if not self._longest_silence_s:
            return
        left_s = self._heard_s + self._longest_silence_s - self._loop.time()
        if left_s <= 0:
            self.hang_up()
        else:
            self._watch = self._loop.call_later(left_s, self._look_for_silence)

"""One connection to a broker, from its first packet to its end, in an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from link.messages import LARGEST_PAYLOAD_BYTES
from link.outlet import Outlet
from link.packets import (
    ACCEPTED,
    NOT_AUTHORISED,
    REFUSED,
    BadPacket,
    Connect,
    Connected,
    Disconnect,
    Packet,
    Ping,
    Publish,
    Published,
    Reader,
    Subscribe,
    Subscribed,
)

_UP_TIMEOUT_S = 10.0
_GOODBYE_S = 2.0
_LARGEST_PACKET_BYTES = LARGEST_PAYLOAD_BYTES + 0x10000
_MOST_UNANSWERED = 10_000
_MOST_NUMBER = 0xFFFF


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as it came: untrusted bytes. `retained`: the broker had kept it, it may be old."""

    topic: str
    payload: bytes
    retained: bool


class Connection(asyncio.Protocol):
    """`inbox` gets what arrives, `on_up` is called once the broker has acknowledged the subscriptions to `filters`.

    `over` is done when the connection has ended; `refusal` says why, in a few words, where this side or the broker
    ended it on purpose. `was_up`: whether it ever was.
    """

    def __init__(
        self,
        hello: Connect,
        filters: Sequence[str],
        inbox: Callable[[Arrival], None],
        on_up: Callable[[], None],
    ) -> None:
        self.refusal = ""
        self.was_up = False
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self._hello = hello
        self._filters = filters
        self._inbox = inbox
        self._on_up = on_up
        self._reader = Reader(_LARGEST_PACKET_BYTES)
        self._outlet: Outlet | None = None
        self._heard_s = 0.0
        self._number = 0
        self._unanswered = 0
        self._leaving = False
        self._timers: list[asyncio.TimerHandle] = []

    @property
    def is_up(self) -> bool:
        return self.was_up and not self._leaving and not self.over.done()

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """False when it is not up or too much is under way: then the message is forgotten."""
        if not self.is_up or self._unanswered >= _MOST_UNANSWERED:
            return False
        number = 0
        if qos:
            self._number = number = self._number % _MOST_NUMBER + 1
            self._unanswered += 1
        self._send(Publish(topic, payload, qos, retain, number))
        return True

    def leave(self) -> None:
        """Say goodbye. The broker ends the connection then; closed from here over bytes not yet read, it would be
        reset, and a broker that has not read the goodbye would send the will."""
        if self._leaving:
            return
        self._leaving = True
        self._send(Disconnect())
        self._later(_GOODBYE_S, self.give_up)

    def give_up(self, why: str = "") -> None:
        """End it at once."""
        self.refusal = self.refusal or why
        if self._outlet is not None:
            self._outlet.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._outlet = Outlet(transport, self._loop)
        self._heard_s = self._loop.time()
        self._send(self._hello)
        self._later(_UP_TIMEOUT_S, self._expect_up)
        self._later(self._hello.keepalive_s / 2, self._keep_alive)

    def connection_lost(self, fault: Exception | None) -> None:
        for timer in self._timers:
            timer.cancel()
        if not self.over.done():
            self.over.set_result(None)

    def data_received(self, data: bytes) -> None:
        self._heard_s = self._loop.time()
        try:
            for packet in self._reader.feed(data):
                self._take(packet)
        except BadPacket as bad:
            self.give_up(f"what the broker sends is no MQTT: {bad}")

    def _take(self, packet: Packet) -> None:
        match packet:
            case Publish():
                if packet.qos:
                    self._send(Published(packet.number))
                self._inbox(Arrival(packet.topic, packet.payload, packet.retain))
            case Published():
                self._unanswered -= 1
            case Connected(code) if code == ACCEPTED:
                self._send(Subscribe(1, tuple((one, 1) for one in self._filters)))
            case Connected(code):
                why = "not authorised" if code == NOT_AUTHORISED else f"code {code}"
                self.give_up(f"the broker refuses this user: {why}")
            case Subscribed(codes=codes):
                if REFUSED in codes:
                    self.give_up("the broker refuses a subscription")
                elif not self.was_up and not self._leaving:
                    self.was_up = True
                    self._on_up()

    def _send(self, packet: Packet) -> None:
        if self._outlet is not None:
            self._outlet.send(packet)

    def _expect_up(self) -> None:
        if not self.was_up:
            self.give_up("no answer from the broker")

    def _keep_alive(self) -> None:
        if self._loop.time() - self._heard_s > 1.5 * self._hello.keepalive_s:
            self.give_up("the broker has fallen silent")
            return
        self._send(Ping())
        self._later(self._hello.keepalive_s / 2, self._keep_alive)

    def _later(self, delay_s: float, what: Callable[[], None]) -> None:
        self._timers = [timer for timer in self._timers if timer.when() > self._loop.time()]
        self._timers.append(self._loop.call_later(delay_s, what))

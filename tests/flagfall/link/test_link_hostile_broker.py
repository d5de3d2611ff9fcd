"""A client's connection to a program in the broker's place that sends more than messages, or does not read."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from queue import SimpleQueue
from random import Random

import pytest
from helpers.link_room import PATIENCE_S
from helpers.waiting import until

from flagfall.link.client.client import LinkClient
from flagfall.link.client.connection import _MOST_UNREPORTED_BYTES, _MOST_UNSENT_BYTES
from flagfall.link.messages import LARGEST_PACKET_BYTES
from flagfall.link.topics import Arrival

CONNACK, SUBACK = b"\x20\x02\x00\x00", b"\x90\x03\x00\x01\x01"
# What the kernels of both sides may hold beyond the client's own limit.
IN_KERNELS_BYTES = 24 << 20


class Broker:
    """A program in the broker's place, with one client that believes in it."""

    def __init__(self) -> None:
        self.arrivals: SimpleQueue[Arrival] = SimpleQueue()
        self.states: SimpleQueue[bool] = SimpleQueue()
        listening = socket.create_server(("127.0.0.1", 0))
        self.link = LinkClient(
            "127.0.0.1",
            listening.getsockname()[1],
            "t7",
            "x",
            ("#",),
            inbox=self.arrivals.put,
            on_state=self.states.put,
            random=Random(1),
        )
        self.link.start()
        with closing(listening):
            listening.settimeout(PATIENCE_S)
            self.peer, _ = listening.accept()
        self.peer.settimeout(PATIENCE_S)
        self._take()  # CONNECT
        self.peer.sendall(CONNACK)
        self._take()  # SUBSCRIBE
        self.peer.sendall(SUBACK)
        assert self.states.get(timeout=PATIENCE_S)

    def send_until_left(self, packet: bytes, most_bytes: int) -> int:
        """Send the packet again and again; return how many bytes the client's side took before it left."""
        sent = 0
        with suppress(OSError):
            while sent < most_bytes:
                sent += self.peer.send(packet)
        return sent

    def close(self) -> None:
        self.link.stop()
        self.peer.close()

    def _take(self) -> bytes:
        return self.peer.recv(4096)


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    yield made
    made.close()


def publish(payload: bytes, qos: int = 0, number: int = 1) -> bytes:
    """Return a PUBLISH packet as it stands on the wire (MQTT 3.1.1, 3.3)."""
    body = b"\x00\x03a/b" + (number.to_bytes(2, "big") if qos else b"") + payload
    length, rest = b"", len(body)
    while True:
        rest, low = divmod(rest, 128)
        length += bytes([low | (128 if rest else 0)])
        if not rest:
            return bytes([0x30 | qos << 1]) + length + body


def test_a_packet_without_end_is_left(broker: Broker) -> None:
    broker.peer.sendall(b"\x30\xff\xff\xff\x7f\x00\x03a/b")
    sent = broker.send_until_left(bytes(1 << 20), 250 << 20)
    assert sent < _MOST_UNREPORTED_BYTES + IN_KERNELS_BYTES
    until(lambda: "no message" in broker.link.problem)
    assert broker.arrivals.empty()


def test_messages_that_are_never_released_are_left(broker: Broker) -> None:
    """QoS 2, which nobody subscribed to: paho would keep each message until its release."""
    sent = 0
    with suppress(OSError):
        for number in range(1, 250):
            broker.peer.sendall(publish(bytes(1 << 20), qos=2, number=number))
            sent += 1 << 20
    assert sent < _MOST_UNREPORTED_BYTES + IN_KERNELS_BYTES
    until(lambda: "no message" in broker.link.problem)


def test_a_broker_that_sends_and_does_not_read_is_left(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flagfall.link.client.connection._MOST_UNSENT_BYTES", 20_000)
    broker.peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    broker.send_until_left(publish(b"x", qos=1) * 500, 100 << 20)
    until(lambda: "does not read" in broker.link.problem)


def test_an_honest_flood_of_large_and_small_messages_arrives_whole(broker: Broker) -> None:
    large = bytes(LARGEST_PACKET_BYTES - 100)
    count = 2 * _MOST_UNREPORTED_BYTES // len(large)
    for number in range(count):
        broker.peer.sendall(publish(large, number=number + 1) + publish(b"%d" % number))
    for number in range(count):
        assert broker.arrivals.get(timeout=PATIENCE_S).payload == large
        assert broker.arrivals.get(timeout=PATIENCE_S).payload == b"%d" % number
    assert broker.link.connected


def test_a_message_larger_than_any_of_ours_is_passed_over(broker: Broker) -> None:
    broker.peer.sendall(publish(bytes(LARGEST_PACKET_BYTES + 1)) + publish(b"next"))
    assert broker.arrivals.get(timeout=PATIENCE_S).payload == b"next"
    assert broker.link.connected


def test_what_a_broker_does_not_take_is_dropped(broker: Broker) -> None:
    for _ in range(4 * _MOST_UNSENT_BYTES >> 20):
        broker.link.publish("a/b", bytes(1 << 20), 0, False)
    got = 0
    # A goodbye comes behind all that was kept.
    leaving = threading.Thread(target=broker.link.stop)
    leaving.start()
    while part := broker.peer.recv(1 << 20):
        got += len(part)
    leaving.join()
    assert 0 < got < _MOST_UNSENT_BYTES + IN_KERNELS_BYTES

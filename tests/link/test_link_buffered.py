"""paho's client with buffers: what comes and goes is the same, in fewer calls, also where the network stutters."""

from __future__ import annotations

import socket
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from link.client.buffered import BufferedClient

SUCCESS = MQTTErrorCode.MQTT_ERR_SUCCESS
CONNACK = b"\x20\x02\x00\x00"


class Wire:
    """A socket of ours: `takes` says how many bytes each call takes (0: none now), all once it is at its end."""

    def __init__(self, inner: socket.socket) -> None:
        self.inner = inner
        self.takes: list[int] = []
        self.calls = 0

    def recv(self, size: int) -> bytes:
        self.calls += 1
        return self.inner.recv(size)

    def send(self, data: bytes) -> int:
        self.calls += 1
        most = self.takes.pop(0) if self.takes else len(data)
        if not most:
            raise BlockingIOError
        return self.inner.send(data[:most])

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Client(BufferedClient):
    def __init__(self) -> None:
        ours, self.broker = socket.socketpair()
        self.wire = Wire(ours)
        super().__init__(CallbackAPIVersion.VERSION2, "t1", protocol=mqtt.MQTTv311)
        self.heard: list[tuple[str, bytes]] = []
        self.on_message = lambda _, __, message: self.heard.append((message.topic, message.payload))
        self.on_socket_register_write = lambda *_: None
        self.connect("nowhere")
        self.written()
        self.broker.sendall(CONNACK)
        assert self.loop_read() == SUCCESS and self.is_connected()
        self.wire.calls = 0

    def _create_socket(self) -> Any:
        return self.wire

    def written(self) -> bytes:
        """What the broker has got once all is out."""
        while self.want_write():
            assert self.loop_write() == SUCCESS
        self.broker.setblocking(False)
        said = b""
        try:
            while part := self.broker.recv(1 << 20):
                said += part
        except BlockingIOError:
            pass
        self.broker.setblocking(True)
        return said

    def let_go(self) -> None:
        for one in (self.wire.inner, self.broker):
            one.close()


def publish(topic: str, payload: bytes) -> bytes:
    """As it stands on the wire (MQTT 3.1.1, 3.3), QoS 0."""
    body = len(topic).to_bytes(2, "big") + topic.encode() + payload
    length, rest = b"", len(body)
    while True:
        rest, low = divmod(rest, 128)
        length += bytes([low | (128 if rest else 0)])
        if not rest:
            return b"\x30" + length + body


@given(
    payloads=st.lists(st.binary(max_size=400), min_size=1, max_size=12),
    cuts=st.lists(st.integers(1, 700), max_size=12),
)
def test_whatever_pieces_come_the_messages_are_those_that_were_said(
    payloads: list[bytes], cuts: list[int]
) -> None:
    client = Client()
    wire = b"".join(publish("a/b", payload) for payload in payloads)
    for cut in (*cuts, len(wire)):
        piece, wire = wire[:cut], wire[cut:]
        client.broker.sendall(piece)
        while piece:
            assert client.loop_read() == SUCCESS
            if not client.has_more:
                break
    assert client.heard == [("a/b", payload) for payload in payloads]
    client.let_go()


@given(takes=st.lists(st.integers(0, 300), max_size=20), count=st.integers(1, 20))
def test_whatever_the_network_takes_at_a_time_all_leaves_in_its_order(takes: list[int], count: int) -> None:
    client = Client()
    client.wire.takes = list(takes)
    for number in range(count):
        client.publish("a/b", b"%d" % number * 40, 0)
    assert client.written() == b"".join(publish("a/b", b"%d" % number * 40) for number in range(count))
    client.let_go()


def test_what_comes_and_goes_together_takes_a_call_each() -> None:
    client = Client()
    client.broker.sendall(b"".join(publish("a/b", b"x" * 50) for _ in range(100)))
    while client.loop_read() == SUCCESS and client.has_more:
        pass
    assert len(client.heard) == 100 and client.wire.calls == 1
    for _ in range(100):
        client.publish("a/b", b"x" * 50, 0)
    client.written()
    assert client.wire.calls == 2
    client.let_go()


def test_the_goodbye_comes_last_however_much_waits() -> None:
    client = Client()
    client.wire.takes = [10, 0, 10, 0, 0]
    client.publish("a/b", b"x" * 500, 0)
    client.disconnect()
    assert client.written() == publish("a/b", b"x" * 500) + b"\xe0\x00"
    client.let_go()


def test_a_connection_that_the_broker_ends_is_over() -> None:
    client = Client()
    client.broker.close()
    assert client.loop_read() != SUCCESS
    gone = Client()
    gone.broker.close()
    gone.publish("a/b", b"x", 0)
    assert gone.loop_write() != SUCCESS
    for one in (client, gone):
        one.wire.inner.close()


@pytest.mark.parametrize("length", [b"\xff\xff\xff\xff\xff", b"\xff\xff\xff\xff\x7f"])
def test_a_head_that_is_none_ends_it(length: bytes) -> None:
    client = Client()
    client.broker.sendall(b"\x30" + length)
    assert client.loop_read() != SUCCESS
    client.let_go()

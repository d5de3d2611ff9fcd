"""paho's client with a short way for messages: what comes and goes is the same, also where the network stutters."""

from __future__ import annotations

import socket
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode

from link.client.buffered import BufferedClient
from link.messages import LARGEST_PACKET_BYTES

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
        self.came: list[tuple[bytes, bytes, bool]] = []
        self.heard = lambda *message: self.came.append(message)
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


def publish(topic: str, payload: bytes, flags: int = 0, number: bytes = b"") -> bytes:
    """As it stands on the wire (MQTT 3.1.1, 3.3)."""
    body = len(topic).to_bytes(2, "big") + topic.encode() + number + payload
    length, rest = b"", len(body)
    while True:
        rest, low = divmod(rest, 128)
        length += bytes([low | (128 if rest else 0)])
        if not rest:
            return bytes([0x30 | flags]) + length + body


@given(
    messages=st.lists(
        st.tuples(st.binary(max_size=400), st.booleans(), st.booleans()), min_size=1, max_size=12
    ),
    cuts=st.lists(st.integers(1, 700), max_size=12),
)
def test_whatever_pieces_come_the_messages_are_those_that_were_said(
    messages: list[tuple[bytes, bool, bool]], cuts: list[int]
) -> None:
    client = Client()
    wire, answers = b"", b""
    for number, (payload, asked, kept) in enumerate(messages, 1):
        mid = number.to_bytes(2, "big") if asked else b""
        wire += publish("a/b", payload, asked << 1 | kept, mid)
        answers += b"\x40\x02" + mid if asked else b""
        wire += b"\xd0\x00"  # an answer to a ping, which is paho's
    for cut in (*cuts, len(wire)):
        piece, wire = wire[:cut], wire[cut:]
        client.broker.sendall(piece)
        if piece:
            assert client.loop_read() == SUCCESS
    assert client.came == [(b"a/b", payload, kept) for payload, _, kept in messages]
    assert client.written() == answers
    client.let_go()


@given(
    takes=st.lists(st.integers(0, 300), max_size=20), count=st.integers(1, 20), qos=st.sampled_from([0, 1])
)
def test_whatever_the_network_takes_at_a_time_all_leaves_in_its_order(
    takes: list[int], count: int, qos: int
) -> None:
    client = Client()
    client.wire.takes = list(takes)
    for number in range(1, count + 1):
        assert client.say("a/b", b"%d" % number * 40, qos, retain=number == 1)
    assert client.written() == b"".join(
        publish("a/b", b"%d" % number * 40, qos << 1 | (number == 1), number.to_bytes(2, "big") * qos)
        for number in range(1, count + 1)
    )
    client.let_go()


def test_too_much_without_an_answer_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("link.client.buffered._MOST_UNANSWERED", 3)
    client = Client()
    assert [client.say("a/b", b"x", 1, False) for _ in range(4)] == [True, True, True, False]
    client.broker.sendall(b"\x40\x02\x00\x02")
    assert client.loop_read() == SUCCESS
    assert [client.say("a/b", b"x", 1, False) for _ in range(2)] == [True, False]
    client.let_go()


def test_what_comes_and_goes_together_takes_a_call_each() -> None:
    client = Client()
    client.broker.sendall(b"".join(publish("a/b", b"x" * 50) for _ in range(100)))
    assert client.loop_read() == SUCCESS
    assert len(client.came) == 100 and client.wire.calls == 1
    for _ in range(100):
        client.say("a/b", b"x" * 50, 0, False)
    client.written()
    assert client.wire.calls == 2
    client.let_go()


def test_the_goodbye_comes_last_however_much_waits() -> None:
    client = Client()
    client.wire.takes = [10, 0, 10, 0, 0]
    client.say("a/b", b"x" * 500, 0, False)
    client.disconnect()
    assert client.written() == publish("a/b", b"x" * 500) + b"\xe0\x00"
    client.let_go()


def test_a_connection_that_the_broker_ends_is_over() -> None:
    client = Client()
    client.broker.close()
    assert client.loop_read() != SUCCESS
    gone = Client()
    gone.broker.close()
    gone.say("a/b", b"x", 0, False)
    assert gone.loop_write() != SUCCESS
    for one in (client, gone):
        one.wire.inner.close()


@pytest.mark.parametrize(
    "wire",
    [
        pytest.param(b"\x30\xff\xff\xff\xff\xff", id="a length of five bytes"),
        pytest.param(b"\x30\xff\xff\xff\xff\x7f", id="a length beyond all"),
        pytest.param(b"\x30\x03\x00\x02a", id="a topic longer than its packet"),
        pytest.param(b"\x32\x04\x00\x02ab", id="no number"),
        pytest.param(b"\x30\x00", id="nothing within"),
        pytest.param(b"\x30\x01\x00\x30\x01\x00", id="half a length of a topic"),
        pytest.param(b"\x34\x06\x00\x01a\x00\x01b", id="a QoS that nobody subscribed to"),
        pytest.param(b"\x36\x06\x00\x01a\x00\x01b", id="a QoS that there is not"),
    ],
)
def test_a_packet_that_is_none_ends_it(wire: bytes) -> None:
    client = Client()
    client.broker.sendall(wire)
    assert client.loop_read() != SUCCESS
    assert client.came == []
    client.let_go()


@pytest.mark.parametrize("beyond", [1, 300_000])
def test_a_packet_larger_than_any_message_is_passed_over_and_not_kept(beyond: int) -> None:
    client = Client()
    wire = publish("a/b", b"x" * (LARGEST_PACKET_BYTES + beyond), 2, b"\x00\x01") + publish("a/b", b"next")
    for at in range(0, len(wire), 60_000):
        client.broker.sendall(wire[at : at + 60_000])
        assert client.loop_read() == SUCCESS
        assert len(client._came) < 60_000
    assert client.came == [(b"a/b", b"next", False)]
    client.let_go()


def test_a_broker_that_sends_and_does_not_read_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("link.client.buffered._MOST_UNSENT_BYTES", 1_000)
    client = Client()
    client.broker.sendall(publish("a/b", b"", 2, b"\x00\x01") * 250)  # 250 acknowledgements of 4 bytes
    assert client.loop_read() == SUCCESS
    assert client.say("a/b", b"x", 0, False) and not client.say("a/b", b"x", 0, False)
    client.broker.sendall(publish("a/b", b"", 2, b"\x00\x01"))
    assert client.loop_read() == SUCCESS
    client.broker.sendall(publish("a/b", b"", 2, b"\x00\x01") * 250)
    assert client.loop_read() != SUCCESS
    client.let_go()

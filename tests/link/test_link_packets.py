"""The bytes of MQTT: what is encoded is read again however it is cut, and nothing else is taken for a packet."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from link.packets import (
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
    encode,
)

LARGEST = 100_000
TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
TOPIC = st.text(st.characters(codec="utf-8", exclude_characters="+#\0"), min_size=1, max_size=20)
NUMBER = st.integers(1, 0xFFFF)
PAYLOAD = st.one_of(st.binary(max_size=300), st.integers(0, 20_000).map(bytes))
MESSAGE = st.one_of(
    st.builds(Publish, TOPIC, PAYLOAD, st.just(0), st.booleans()),
    st.builds(Publish, TOPIC, PAYLOAD, st.just(1), st.booleans(), NUMBER),
)
WILL = st.builds(Publish, TEXT, st.binary(max_size=50), st.integers(0, 1), st.booleans())
PACKET = st.one_of(
    MESSAGE,
    st.builds(
        Connect,
        TEXT,
        TEXT | st.none(),
        TEXT | st.none(),
        st.integers(0, 0xFFFF),
        st.booleans(),
        WILL | st.none(),
    ),
    st.builds(Connected, st.integers(0, 5)),
    st.builds(Published, NUMBER),
    st.builds(
        Subscribe, NUMBER, st.lists(st.tuples(TEXT, st.integers(0, 2)), min_size=1, max_size=4).map(tuple)
    ),
    st.builds(Subscribed, NUMBER, st.lists(st.sampled_from([0, 1, 0x80]), min_size=1, max_size=4).map(tuple)),
    st.builds(Unsubscribe, NUMBER, st.lists(TEXT, min_size=1, max_size=4).map(tuple)),
    st.builds(Unsubscribed, NUMBER),
    st.sampled_from([Ping(), Pong(), Disconnect()]),
)


def read(*pieces: bytes, largest: int = LARGEST) -> list[Packet]:
    reader = Reader(largest)
    return [packet for piece in pieces for packet in reader.feed(piece)]


@given(st.lists(PACKET, max_size=5), st.lists(st.integers(0, 2000), max_size=12))
def test_what_is_encoded_is_read_again_however_it_is_cut(packets: list[Packet], cuts: list[int]) -> None:
    data = b"".join(map(encode, packets))
    at = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    assert read(*(data[a:b] for a, b in pairwise(at))) == packets
    assert read(*(data[n : n + 1] for n in range(min(len(data), 200))), data[200:]) == packets


@given(st.binary(max_size=200), st.binary(max_size=20))
def test_bytes_are_packets_or_bad_packets(data: bytes, more: bytes) -> None:
    try:
        read(data, more)
    except BadPacket as bad:
        assert "\n" not in str(bad)


@given(PACKET, st.integers(0, 300), st.integers(0, 255))
def test_a_packet_with_a_changed_byte_ends_in_nothing_worse(packet: Packet, at: int, byte: int) -> None:
    data = bytearray(encode(packet))
    data[at % len(data)] = byte
    with suppress(BadPacket):
        read(bytes(data))


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x30\x03\x00\x05a", "QoS 0"),
        (b"\x30\x00", "QoS 0"),
        (b"\x32\x04\x00\x01a\x00", "QoS 0"),
        (b"\x32\x05\x00\x01a\x00\x00", "QoS 0"),
        (b"\x34\x05\x00\x01a\x00\x01", "QoS 0"),
        (b"\x30\x03\x00\x01+", "wildcards"),
        (b"\x30\x03\x00\x01\xff", "UTF-8"),
        (b"\x40\x01\x00", "2 bytes more"),
        (b"\x40\x03\x00\x01\x00", "the end"),
        (b"\x82\x02\x00\x01", "2 bytes more"),
        (b"\x82\x06\x00\x01\x00\x01a\x03", "QoS"),
        (b"\x80\x06\x00\x01\x00\x01a\x01", "0x80"),
        (b"\x30\xff\xff\xff\xff\x01", "four bytes"),
        (b"\xf0\x00", "0xf0"),
        (b"GET / HTTP/1.1\r\n\r\n" + b" " * 100, "0x47"),
    ],
)
def test_what_is_no_packet_is_told_in_words(data: bytes, what: str) -> None:
    with pytest.raises(BadPacket, match=what):
        read(data)


def test_a_packet_is_refused_by_its_length_alone() -> None:
    with pytest.raises(BadPacket, match="at most"):
        read(b"\x30\xff\xff\xff\x7f")
    assert read(encode(Publish("a", bytes(95))), largest=100) == [Publish("a", bytes(95))]
    with pytest.raises(BadPacket, match="at most"):
        read(encode(Publish("a", bytes(96))), largest=100)


def test_packets_before_a_bad_one_count() -> None:
    feeding = Reader(LARGEST).feed(encode(Ping()) + b"\xf0\x00")
    assert next(feeding) == Ping()
    with pytest.raises(BadPacket):
        next(feeding)


def test_another_version_of_mqtt_is_told_apart() -> None:
    five = b"\x10\x10\x00\x04MQTT\x05\x02\x00\x3c\x00\x00\x03abc"
    (asked,) = read(five)
    assert isinstance(asked, Connect)
    assert asked.level == 5
    (asked,) = read(b"\x10\x0e\x00\x06MQIsdp\x03\x02\x00\x3c\x00\x00")
    assert isinstance(asked, Connect)
    assert asked.level == 3


def test_a_text_too_long_for_any_packet_is_not_sent() -> None:
    with pytest.raises(ValueError, match="65535"):
        encode(Publish("a" * 70_000, b""))

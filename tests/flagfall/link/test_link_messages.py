"""Messages: what is sent is read back, and no bytes whatever do more than raise BadMessage."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from flagfall.link.messages import (
    LARGEST_PAYLOAD_BYTES,
    MESSAGES,
    AnyMessage,
    BadMessage,
    Result,
    SignedMessage,
    Status,
    decode,
    encode,
)
from flagfall.link.topics import Kind, Topic

kinds = st.sampled_from(Kind)


def topic(kind: Kind) -> Topic:
    return Topic("woc", "t7", kind)


def test_every_kind_of_topic_has_its_message(messages: list[AnyMessage]) -> None:
    assert set(MESSAGES) == set(Kind) == {message.kind for message in messages}
    assert all(message.kind is kind for kind, message in MESSAGES.items())


def test_what_is_sent_is_read_back(messages: list[AnyMessage]) -> None:
    assert messages
    for message in messages:
        assert decode(topic(message.kind), encode(message)) == message
        assert json.loads(encode(message))["v"] == (2 if isinstance(message, SignedMessage) else 1)


def test_a_value_for_each_player_is_sent_by_colour(result: Result) -> None:
    sent = json.loads(encode(result))
    assert sent["score"] == {"black": 40, "white": 24}
    assert sent["signatures"] == {"black": True, "white": False}


def test_unknown_fields_are_ignored(messages: list[AnyMessage]) -> None:
    assert messages
    for message in messages:
        payload = json.dumps({**json.loads(encode(message)), "later": [{"x": 1}]}).encode()
        assert decode(topic(message.kind), payload) == message


def test_what_nobody_would_accept_is_not_made(result: Result) -> None:
    with pytest.raises(BadMessage, match=r"^result: [0-9]+ bytes, expected"):
        encode(msgspec.structs.replace(result, file="A" * LARGEST_PAYLOAD_BYTES))


def refused(kind: Kind, payload: bytes) -> str:
    with pytest.raises(BadMessage) as bad:
        decode(topic(kind), payload)
    line = str(bad.value)
    assert line.isprintable()
    assert len(line) < 300
    assert line.startswith(f"flagfall/1/woc/table/t7/{kind}: ")
    return line


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        (b"", "expected a status as JSON"),
        (b"hello", "expected a status as JSON"),
        (b"\xff\xfe", "expected"),
        (b"[" * 900_000, "expected"),
        (b'{"v":2,"online":true,"x":' + b"[" * 900_000, "expected"),
        (b'{"v":2,"online":true,"x":' + b'{"a":' * 100_000, "at most 64 levels"),
        (b'{"v":2,"online":true,"x":[' + b"1e308," * 5_000 + b"1]}", "numbers with an exponent"),
        (b" " * (LARGEST_PAYLOAD_BYTES + 1), "expected 1048576 at most"),
        (b'{"online":true}', "`v`"),
        (b'{"v":1,"online":true,"anything":"else"}', "version 1, expected 2"),
        (b'{"v":"1","online":true}', "expected"),
        (b'{"v":true,"online":true}', "expected"),
        (b'{"v":2}', "`online`"),
        (b'{"v":2,"online":"yes"}', "$.online"),
        (b'{"v":2,"online":true,"seat":-1}', "$.seat"),
        (b'{"v":2,"online":true,"seat":NaN}', "expected"),
        (b'{"v":2,"online":true,"seat":1e400}', "$.seat"),
        (b'{"v":2,"online":true,"seat":' + b"9" * 9_999 + b"}", "$.seat"),
        (b'{"v":2,"online":true,"game":"a\\nb"}', "$.game"),
        (b'{"v":2,"online":true,"answers":{"r1":1}}', "$.answers"),
    ],
)
def test_what_is_wrong_is_named_in_one_line(payload: bytes, words: str) -> None:
    assert words in refused(Kind.STATUS, payload)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("score", {"black": 65, "white": 0}),
        ("score", {"black": 33}),
        ("score", [33, 31]),
        ("winner", "red"),
        ("reason", "bored"),
        ("transcript", "f5d9"),
        ("transcript", "f5\n"),
        ("revision", 0),
        ("clocks_ns", {"black": -1, "white": 0}),
        ("sha256", "xyz"),
        ("incidents", {}),
        ("id", ""),
    ],
)
def test_each_field_of_a_result_is_checked(result: Result, field: str, value: object) -> None:
    payload = json.dumps({**json.loads(encode(result)), field: value}).encode()
    assert f"$.{field}" in refused(Kind.RESULT, payload)


@given(kinds, st.binary(max_size=200))
def test_no_bytes_raise_anything_else(kind: Kind, payload: bytes) -> None:
    try:
        decode(topic(kind), payload)
    except BadMessage as bad:
        assert str(bad).isprintable()


json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    kinds.flatmap(
        lambda kind: st.tuples(
            st.just(kind),
            st.dictionaries(st.sampled_from(MESSAGES[kind].__struct_fields__), json_values, max_size=6),
        )
    )
)
@example((Kind.STATUS, {"online": True, "seat": 1}))
def test_no_values_raise_anything_else(drawn: tuple[Kind, dict[str, Any]]) -> None:
    kind, fields = drawn
    payload = json.dumps({"v": 1, **fields}).encode()
    try:
        message = decode(topic(kind), payload)
    except BadMessage as bad:
        assert str(bad).isprintable()
    else:
        assert decode(topic(kind), encode(message)) == message


@given(st.data())
def test_a_bitten_payload_raises_nothing_else(data: st.DataObject) -> None:
    payload = encode(Status(online=True, version="0.1.0", answers={"r1": "applied"}))
    place = data.draw(st.integers(0, len(payload) - 1))
    bitten = payload[:place] + data.draw(st.binary(max_size=3)) + payload[place + 1 :]
    try:
        decode(topic(Kind.STATUS), bitten)
    except BadMessage as bad:
        assert str(bad).isprintable()

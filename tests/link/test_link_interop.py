"""The embedded broker with a client that is not ours."""

from __future__ import annotations

import queue
import socket
from collections.abc import Iterator
from contextlib import closing, suppress

import paho.mqtt.client as mqtt
import pytest
from broker_thread import BrokerThread
from hypothesis import given
from hypothesis import strategies as st
from paho.mqtt.enums import CallbackAPIVersion

from link.identity import create, token_digest
from link.packets import WRONG_LEVEL, Connect, Connected, encode
from link.topics import device_of, fits

PATIENCE_S = 20.0
STATUS = "flagfall/1/woc/table/t7/status"
RECEIPT = "flagfall/1/woc/table/t7/receipt"
PEOPLE = {name: create(name) for name in ("hub", "t7")}


@pytest.fixture
def port() -> Iterator[int]:
    broker = BrokerThread({name: token_digest(one.token) for name, one in PEOPLE.items()}.get, "hub")
    yield broker.start()
    broker.stop()


def client(name: str, protocol: int = mqtt.MQTTv311) -> tuple[mqtt.Client, queue.Queue[object]]:
    """And what happens to it: reasons of connecting, granted QoS, messages."""
    made = mqtt.Client(CallbackAPIVersion.VERSION2, f"{name}/paho", protocol=protocol)
    seen: queue.Queue[object] = queue.Queue()
    made.username_pw_set(name, PEOPLE[name].token)
    made.on_connect = lambda _, __, ___, reason, ____: seen.put(reason.value)
    made.on_subscribe = lambda _, __, ___, reasons, ____: seen.put([one.value for one in reasons])
    made.on_unsubscribe = lambda *_: seen.put("unsubscribed")
    made.on_message = lambda _, __, one: seen.put((one.topic, one.payload, one.qos, one.retain))
    made.will_set(STATUS, b"gone", qos=1, retain=True)
    return made, seen


def test_it_serves_paho(port: int) -> None:
    table, told = client("t7")
    hub, heard = client("hub")
    for one, seen in ((table, told), (hub, heard)):
        one.connect("127.0.0.1", port, 1)
        one.loop_start()
        assert seen.get(timeout=PATIENCE_S) == 0
    try:
        table.publish(STATUS, b"here", 1, retain=True).wait_for_publish(PATIENCE_S)
        hub.subscribe([("flagfall/1/+/table/+/status", 1), ("flagfall/1/+/table/+/clock", 0)])
        assert heard.get(timeout=PATIENCE_S) == [1, 0]
        assert heard.get(timeout=PATIENCE_S) == (STATUS, b"here", 1, True)
        table.subscribe([("flagfall/1/+/table/t7/#", 2), ("flagfall/1/+/table/t8/#", 1)])
        assert told.get(timeout=PATIENCE_S) == [1, 0x80]
        assert told.get(timeout=PATIENCE_S) == (STATUS, b"here", 1, True)
        for qos in (0, 1):
            for number in range(200):
                hub.publish(RECEIPT, bytes([number]) * number * 50, qos)
            for number in range(200):
                expected = (RECEIPT, bytes([number]) * number * 50, qos, False)
                assert told.get(timeout=PATIENCE_S) == expected
        table.unsubscribe("flagfall/1/+/table/t7/#")
        assert told.get(timeout=PATIENCE_S) == "unsubscribed"
        hub.publish(RECEIPT, b"nobody listens", 1).wait_for_publish(PATIENCE_S)
        # Longer than one and a half keep-alives: paho pings, and nobody is ended.
        with suppress(queue.Empty):
            pytest.fail(f"nothing was to be heard: {told.get(timeout=2.0)}")
    finally:
        table.disconnect()
        table.loop_stop()
    hub.disconnect()
    hub.loop_stop()
    assert heard.empty(), "a goodbye sends no will"


def test_a_client_of_mqtt_5_is_told_that_it_is_the_wrong_version(port: int) -> None:
    newer = encode(Connect("t7", "t7", PEOPLE["t7"].token, level=5))
    with closing(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)) as connection:
        connection.sendall(newer)
        assert connection.recv(10) == encode(Connected(WRONG_LEVEL))
        assert connection.recv(10) == b""


LEVEL = st.sampled_from(["flagfall", "1", "t", "table", "d1", "d2", "", "result"])
TOPICS = st.lists(LEVEL, min_size=1, max_size=7).map("/".join)
FILTERS = st.builds(
    lambda levels, end: "/".join([*levels, *end]),
    st.lists(st.one_of(LEVEL, st.just("+")), min_size=1, max_size=7),
    st.sampled_from([[], ["#"]]),
)


@given(FILTERS, TOPICS)
def test_a_filter_fits_what_paho_says_it_does(topic_filter: str, topic: str) -> None:
    assert fits(topic_filter, topic) == mqtt.topic_matches_sub(topic_filter, topic)
    if fits(topic_filter, topic):
        assert device_of(topic_filter) in ("", device_of(topic))


def test_a_wildcard_in_the_place_of_the_device_is_none() -> None:
    assert device_of("flagfall/1/t/table/d1/result") == "d1"
    assert device_of("flagfall/1/+/table/+/result") == ""
    assert device_of("flagfall/1/+/table/#") == ""
    assert device_of("flagfall/#") == ""

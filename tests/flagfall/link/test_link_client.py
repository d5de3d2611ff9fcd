"""The client and the hub's own broker, over real connections."""

from __future__ import annotations

import socket
from contextlib import closing, suppress

import pytest
from helpers.link_room import PATIENCE_S, Room, packet, raw_connect, text, topic
from helpers.waiting import until

from flagfall.link.client.client import Will
from flagfall.link.identity import create
from flagfall.link.messages import LARGEST_PAYLOAD_BYTES
from flagfall.link.topics import Arrival, Kind, device_filter

pytestmark = pytest.mark.needs("mosquitto")


def test_a_message_goes_from_table_to_hub_and_back(room: Room) -> None:
    hub, table = room.enter("hub"), room.enter("t7")
    table.say(topic("t7", Kind.RESULT), b"a result")
    assert hub.next() == Arrival("flagfall/1/woc/table/t7/result", b"a result", False)
    hub.say(topic("t7", Kind.RECEIPT), b"a receipt")
    assert table.next() == Arrival("flagfall/1/woc/table/t7/receipt", b"a receipt", False)


@pytest.mark.parametrize("name", ["hub", "t7"])
def test_a_wrong_token_is_refused(room: Room, name: str) -> None:
    stranger = room.join(name, token="guessed")
    until(lambda: "refuses" in stranger.link.problem)
    assert not stranger.link.connected
    assert not stranger.link.publish("x", b"", 1, False)
    assert stranger.states.empty()


def test_an_unknown_user_is_refused_and_enrolment_lets_him_in(room: Room) -> None:
    late = create("t9")
    waiting = room.join("t9", token=late.token)
    until(lambda: "refuses" in waiting.link.problem)
    room.tokens["t9"] = late.token
    room.broker.sync()
    waiting.wait_up()
    assert waiting.link.problem == ""


def test_a_stranger_cannot_end_the_session_whose_name_he_takes(room: Room) -> None:
    hub, table = room.enter("hub"), room.enter("t7")
    for client_id in (hub.link._client_id, table.link._client_id):
        with closing(raw_connect(room.port, client_id, client_id.split("/")[0], "guessed")) as answer:
            assert answer.recv(4)[3] == 5
    table.say(topic("t7", Kind.STATUS), b"still here")
    assert hub.next().payload == b"still here"


def test_who_is_revoked_is_out_without_a_will_and_nobody_else_notices(room: Room) -> None:
    offline = Will(str(topic("t7", Kind.STATUS)), b"offline")
    hub, revoked, other = room.enter("hub"), room.enter("t7", will=offline), room.enter("t8")
    del room.tokens["t7"]
    room.broker.sync()
    revoked.wait_down()
    until(lambda: "refuses" in revoked.link.problem)
    other.say(topic("t8", Kind.RESULT), b"the next message of all")
    assert hub.next().payload == b"the next message of all"
    assert hub.states.empty() and other.states.empty()


def test_what_a_device_may_not_send_reaches_nobody(room: Room) -> None:
    hub, table, other = room.enter("hub"), room.enter("t7"), room.enter("t8")
    for forbidden in (
        topic("t8", Kind.RESULT),
        topic("t8", Kind.ASSIGNMENT),
        topic("t7", Kind.RECEIPT),
        topic("t7", Kind.ASSIGNMENT),
        "flagfall/1/woc/table/t7/gossip",
        "elsewhere",
    ):
        table.say(forbidden, b"forged", retain=True)
    table.say(topic("t7", Kind.RESULT), b"honest")
    assert hub.next().payload == b"honest"
    hub.say(topic("t8", Kind.RULING), b"a ruling")
    assert other.next().payload == b"a ruling"
    other.link.stop()  # a device has one connection
    later = room.enter("t8")
    hub.say(topic("t8", Kind.RULING), b"another")
    assert later.next().payload == b"another"


def test_a_device_does_not_hear_others(room: Room) -> None:
    hub, table, other = room.enter("hub"), room.enter("t7"), room.enter("t8")
    other.say(topic("t8", Kind.CLOCK), b"a position", retain=True)
    assert hub.next().payload == b"a position"
    hub.say(topic("t8", Kind.ASSIGNMENT), b"for t8", retain=True)
    assert other.next().payload == b"for t8"
    hub.say(topic("t7", Kind.ASSIGNMENT), b"for t7", retain=True)
    assert table.next().payload == b"for t7"
    other.link.stop()  # at this broker a device has one connection
    again = room.enter("t8")
    assert again.next() == Arrival("flagfall/1/woc/table/t8/assignment", b"for t8", True)
    hub.say(topic("t8", Kind.RULING), b"after what was kept")
    assert again.next().payload == b"after what was kept"
    hub.say(topic("t7", Kind.RULING), b"the end")
    assert table.next().payload == b"the end"
    table.link.stop()
    assert room.enter("t7").next() == Arrival("flagfall/1/woc/table/t7/assignment", b"for t7", True)


@pytest.mark.parametrize("topic_filter", ["#", "flagfall/1/+/table/+/#", "flagfall/1/+/table/t8/#", "$SYS/#"])
def test_a_subscription_to_others_hears_nothing(room: Room, topic_filter: str) -> None:
    hub, table = room.enter("hub"), room.join("t7", filters=(device_filter("t7"), topic_filter))
    table.wait_up()
    hub.say(topic("t8", Kind.ASSIGNMENT), b"for t8", retain=True)
    hub.say(topic("t7", Kind.RULING), b"for t7")
    assert table.next().payload == b"for t7"


def test_whoever_comes_again_ends_his_old_connection(room: Room) -> None:
    offline = Will(str(topic("t7", Kind.STATUS)), b"offline")
    table = room.enter("t7", will=offline)
    with closing(raw_connect(room.port, table.link._client_id, "t7", room.people["t7"].token)) as again:
        assert again.recv(4)[3] == 0
        table.wait_down()
        assert room.enter("hub").next() == Arrival(offline.topic, b"offline", True)


def test_a_silent_connection_ends_and_its_will_is_sent(room: Room) -> None:
    offline = Will(str(topic("t7", Kind.STATUS)), b"offline")
    hub = room.enter("hub")
    with closing(raw_connect(room.port, "t7/raw", "t7", room.people["t7"].token, offline, keepalive_s=1)):
        assert hub.next().payload == b"offline"


def test_a_will_that_calls_another_offline_reaches_nobody(room: Room) -> None:
    hub, other = room.enter("hub"), room.enter("t8")
    forged = Will(str(topic("t8", Kind.STATUS)), b"offline")
    with closing(raw_connect(room.port, "t7/raw", "t7", room.people["t7"].token, forged)) as answer:
        assert answer.recv(4)[3] == 0
    other.say(topic("t8", Kind.STATUS), b"here")
    assert hub.next().payload == b"here"


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 100,
        b"\x10\xff\xff\xff\x7f" + b"x" * 100,
        b"\x10\x02\x00",
        b"\x10\x0c\x00\x04MQTT\x04\xc2\x00\x0f\x00\x00",
        b"\xff" * 10,
        b"",
    ],
)
def test_garbage_harms_nobody(room: Room, bytes_sent: bytes) -> None:
    with closing(socket.create_connection(("127.0.0.1", room.port))) as garbage:
        garbage.sendall(bytes_sent)
        with suppress(OSError):  # the broker was quicker
            garbage.shutdown(socket.SHUT_WR)
        hub, table = room.enter("hub"), room.enter("t7")
        table.say(topic("t7", Kind.RESULT), b"fine")
        assert hub.next().payload == b"fine"


def test_a_packet_that_is_too_large_ends_its_connection(room: Room) -> None:
    with closing(raw_connect(room.port, "t7/raw", "t7", room.people["t7"].token)) as large:
        assert large.recv(4)[3] == 0
        large.sendall(publish_packet(str(topic("t7", Kind.RESULT)), LARGEST_PAYLOAD_BYTES + 2_000))
        large.settimeout(PATIENCE_S)
        with suppress(ConnectionResetError):
            assert large.recv(1) == b""


def publish_packet(topic_text: str, claimed_length: int) -> bytes:
    return packet(0x30, text(topic_text), claimed_length + len(text(topic_text)))


def test_a_hub_whose_address_has_changed_is_found_by_the_name_it_has_told(room: Room) -> None:
    """Nobody answers at the configured address any more."""
    table = room.join("t7", hosts=("127.0.0.9", "localhost"))
    table.wait_up()
    assert table.link.where == f"localhost:{room.port}"
    table.link.reconnect()
    table.wait_down()
    table.wait_up()
    assert table.link.where == f"localhost:{room.port}", "what was good is tried first"
    assert table.strangers.empty()


def test_another_hub_at_the_address_is_told_and_left_for_the_own_one(room: Room) -> None:
    table = room.join("t7", token="of another hub", hosts=("127.0.0.1", ""))
    where = f"127.0.0.1:{room.port}"
    assert table.strangers.get(timeout=PATIENCE_S) == where
    table.link.add_host("localhost")
    asked = {table.strangers.get(timeout=PATIENCE_S) for _ in range(3)}
    assert asked == {where, f"localhost:{room.port}"}, "both in turn"
    assert table.states.empty()


def test_who_is_let_in_by_another_hub_leaves_it_once_he_knows(room: Room) -> None:
    table = room.join("t7", hosts=("127.0.0.1", "localhost"))
    table.wait_up()
    table.link.leave_host()
    table.wait_down()
    table.wait_up()
    assert table.link.where == f"localhost:{room.port}"

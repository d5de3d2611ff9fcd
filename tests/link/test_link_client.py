"""The client and the hub's own broker, over real connections."""

from __future__ import annotations

import os
import queue
import signal
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from random import Random

import pytest
from broker_thread import BrokerThread
from waiting import until

from hub.broker.child import BrokerError
from link.client.client import LinkClient, Will
from link.identity import broker_token, create
from link.messages import LARGEST_PAYLOAD_BYTES
from link.topics import Arrival, Kind, Topic, device_filter, hub_filters

pytestmark = pytest.mark.needs("mosquitto")
PATIENCE_S = 20.0


class Peer:
    """A client, and what has reached it."""

    def __init__(self, link: LinkClient, arrivals: queue.Queue[Arrival], states: queue.Queue[bool]) -> None:
        self.link = link
        self.arrivals = arrivals
        self.states = states

    def next(self) -> Arrival:
        return self.arrivals.get(timeout=PATIENCE_S)

    def wait_up(self) -> None:
        assert self.states.get(timeout=PATIENCE_S) is True

    def wait_down(self) -> None:
        assert self.states.get(timeout=PATIENCE_S) is False

    def say(self, topic: Topic | str, payload: bytes, retain: bool = False) -> None:
        assert self.link.publish(str(topic), payload, 1, retain)


class Room:
    """A broker, and the people who know their tokens."""

    def __init__(self) -> None:
        self.people = {name: create(name) for name in ("hub", "t7", "t8")}
        self.tokens = {name: person.token for name, person in self.people.items()}
        self.broker = BrokerThread(self.tokens)
        self.port = self.broker.start()
        self.peers: list[Peer] = []

    def join(
        self,
        name: str,
        token: str | None = None,
        filters: tuple[str, ...] | None = None,
        will: Will | None = None,
        other_token: str = "",
    ) -> Peer:
        arrivals: queue.Queue[Arrival] = queue.Queue()
        states: queue.Queue[bool] = queue.Queue()
        if filters is None:
            filters = hub_filters() if name == "hub" else (device_filter(name),)
        if token is None:
            token = self.people[name].token
        link = LinkClient(
            "127.0.0.1",
            self.port,
            name,
            token,
            filters,
            inbox=arrivals.put,
            on_state=states.put,
            random=Random(len(self.peers)),
            will=will,
            other_token=other_token,
        )
        link.start()
        self.peers.append(Peer(link, arrivals, states))
        return self.peers[-1]

    def enter(self, name: str, **options: Will | None) -> Peer:
        peer = self.join(name, **options)  # type: ignore[arg-type]
        peer.wait_up()
        return peer

    def close(self) -> None:
        for peer in self.peers:
            peer.link.stop()
        self.broker.stop()


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.close()


def topic(device: str, kind: Kind) -> Topic:
    return Topic("woc", device, kind)


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


def test_a_broker_that_is_killed_comes_back_at_its_port(room: Room) -> None:
    hub, table = room.enter("hub"), room.enter("t7")
    for _ in range(2):
        killed = room.broker.child.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        for peer in (hub, table):
            peer.wait_down()
            peer.wait_up()
        assert room.broker.child.pid != killed
    table.say(topic("t7", Kind.RESULT), b"again")
    assert hub.next().payload == b"again"


def test_a_device_of_before_enters_with_the_token_made_from_its_key_or_with_its_old_one(room: Room) -> None:
    table = create("t7")
    for known in (broker_token(table.key), "what a hub of 0.1.0 gave it"):
        room.tokens["t7"] = known
        room.broker.sync()
        peer = room.join("t7", token=broker_token(table.key), other_token="what a hub of 0.1.0 gave it")
        peer.wait_up()
        peer.link.stop()


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
    own = room.enter("t8")
    assert own.next() == Arrival("flagfall/1/woc/table/t8/assignment", b"for t8", True)
    hub.say(topic("t8", Kind.RULING), b"after what was kept")
    assert own.next().payload == b"after what was kept"
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


def test_a_kept_assignment_is_there_after_a_break(room: Room) -> None:
    hub, table = room.enter("hub"), room.enter("t7")
    hub.say(topic("t7", Kind.ASSIGNMENT), b"seat 3", retain=True)
    assert table.next().payload == b"seat 3"
    table.link.reconnect()
    table.wait_down()
    table.wait_up()
    assert table.next() == Arrival("flagfall/1/woc/table/t7/assignment", b"seat 3", True)


def test_after_the_broker_has_gone_the_client_comes_back(room: Room) -> None:
    table = room.enter("t7")
    port = room.port
    room.broker.stop()
    table.wait_down()
    assert not table.link.connected
    assert not table.link.publish("flagfall/1/woc/table/t7/result", b"lost", 1, False)
    until(lambda: "127.0.0.1" in table.link.problem)
    room.broker = BrokerThread(room.tokens, port=port)
    assert room.broker.start() == port
    hub = room.enter("hub")
    table.wait_up()
    table.say(topic("t7", Kind.RESULT), b"again")
    assert hub.next().payload == b"again"


def test_a_client_stops_at_any_moment(room: Room) -> None:
    for wait in range(40):
        table = room.join("t7")
        threading.Event().wait(wait / 4_000)  # fixed: at any moment of its first hundredth of a second
        table.link.stop()
        assert not table.link.connected
        states = list(table.states.queue)
        assert states in ([], [True, False])


def client_of(broker: socket.socket) -> LinkClient:
    port = broker.getsockname()[1]
    return LinkClient(
        "127.0.0.1", port, "t7", "x", ("#",), inbox=lambda _: None, on_state=lambda _: None, random=Random(1)
    )


def test_a_client_stops_though_the_broker_never_answers() -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as deaf:
        link = client_of(deaf)
        link.start()
        peer, _ = deaf.accept()
        with closing(peer):
            assert peer.recv(1) == b"\x10"
            link.stop()
        assert not link.connected


def test_a_new_will_holds_after_reconnecting(room: Room) -> None:
    hub, table = room.enter("hub"), room.enter("t7")
    offline = Will(str(topic("t7", Kind.STATUS)), b"offline")
    table.link.set_will(offline)
    table.link.reconnect()
    table.wait_down()
    table.wait_up()
    with closing(raw_connect(room.port, table.link._client_id, "t7", room.people["t7"].token)) as again:
        assert again.recv(4)[3] == 0
        assert hub.next() == Arrival(offline.topic, b"offline", False)


@pytest.mark.parametrize(
    "answer", [b"\xff" * 50, b"\x20\x02\x00", b"\x20\x7f" + b"\x00" * 200, b"\x90\x01\x00", b""]
)
def test_a_broker_that_talks_nonsense_ends_nothing(answer: bytes) -> None:
    """The client gives this connection up, says why, and tries again."""
    with closing(socket.create_server(("127.0.0.1", 0))) as mad:
        link = client_of(mad)
        link.start()
        for _ in range(2):
            mad.settimeout(PATIENCE_S)
            peer, _ = mad.accept()
            with closing(peer):
                peer.sendall(answer)
        assert "127.0.0.1" in link.problem
        link.stop()


def test_a_will_is_sent_when_a_table_is_gone_and_not_when_it_leaves(room: Room) -> None:
    offline = Will(str(topic("t7", Kind.STATUS)), b"offline")
    hub = room.enter("hub")
    leaving, staying = room.enter("t7", will=offline), room.enter("t8")
    leaving.link.stop()
    staying.say(topic("t8", Kind.STATUS), b"t7 has left")
    assert hub.next().payload == b"t7 has left"
    person = room.people["t7"]
    cut = raw_connect(room.port, "t7/raw", "t7", person.token, offline)
    assert cut.recv(4)[3] == 0
    cut.close()
    assert hub.next() == Arrival(offline.topic, b"offline", False)
    hub.link.stop()
    assert room.enter("hub").next() == Arrival(offline.topic, b"offline", True)


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


def test_messages_from_many_come_complete_and_in_order(room: Room) -> None:
    hub = room.enter("hub")
    tables = {name: room.enter(name) for name in ("t7", "t8")}
    for number in range(200):
        for name, table in tables.items():
            table.say(topic(name, Kind.RESULT), b"%d" % number)
    heard: dict[str, list[int]] = {name: [] for name in tables}
    for _ in range(400):
        arrival = hub.next()
        heard[arrival.topic.split("/")[4]].append(int(arrival.payload))
    assert all(numbers == list(range(200)) for numbers in heard.values())


def test_a_taken_port_is_one_line(room: Room) -> None:
    second = BrokerThread(room.tokens, port=room.port)
    with pytest.raises(BrokerError, match=str(room.port)) as refused:
        second.start()
    assert "\n" not in str(refused.value)
    second.stop()


def text(value: str | bytes) -> bytes:
    encoded = value.encode() if isinstance(value, str) else value
    return struct.pack("!H", len(encoded)) + encoded


def packet(first: int, body: bytes, claimed_length: int | None = None) -> bytes:
    length = len(body) if claimed_length is None else claimed_length
    digits = bytearray()
    while True:
        length, digit = divmod(length, 128)
        digits.append(digit | (0x80 if length else 0))
        if not length:
            return bytes([first]) + bytes(digits) + body


def publish_packet(topic_text: str, claimed_length: int) -> bytes:
    return packet(0x30, text(topic_text), claimed_length + len(text(topic_text)))


def raw_connect(
    port: int, client_id: str, user: str, password: str, will: Will | None = None, *, keepalive_s: int = 60
) -> socket.socket:
    """CONNECT by hand, as a client that does not keep to the rules."""
    flags = 0xC2 | (0x2C if will else 0)
    body = text("MQTT") + bytes([4, flags]) + struct.pack("!H", keepalive_s) + text(client_id)
    if will:
        body += text(will.topic) + text(will.payload)
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    connection.sendall(packet(0x10, body + text(user) + text(password)))
    return connection

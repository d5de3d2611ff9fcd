"""A client's connection over real sockets: it comes back, ends, keeps its will, and survives a broker of any kind."""

from __future__ import annotations

import os
import signal
import socket
import threading
from contextlib import closing
from random import Random

import pytest
from helpers.broker_thread import BrokerThread
from helpers.link_room import PATIENCE_S, Room, raw_connect, topic
from helpers.waiting import until

from flagfall.base.errors import Failed
from flagfall.link.client.client import LinkClient, Will
from flagfall.link.topics import Arrival, Kind

pytestmark = pytest.mark.needs("mosquitto")


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
    with pytest.raises(Failed, match=str(room.port)) as refused:
        second.start()
    assert "\n" not in str(refused.value)
    second.stop()

"""The venue's broker as `venue init` sets it up, with the real mosquitto: who gets in, and who may say what."""

from __future__ import annotations

import os
import queue
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import paho.mqtt.client as mqtt
import pytest
from helpers.hub_files import tournament_file
from helpers.waiting import PATIENCE_S, until
from paho.mqtt.enums import CallbackAPIVersion

from flagfall.link.client.client import LinkClient, Will
from flagfall.link.tls import client_context
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, hub_filters
from hub.venue import folder as venue
from hub.venue.authority import Authority
from simulator.program import free_port

QUIET_S = 0.5


class Broker:
    """The venue in `folder` with its broker; devices enter by name."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self.folder = folder
        folder.mkdir(parents=True)
        venue.make(folder / "venue", venue.VenueAddresses(self.port, "127.0.0.1", folder / "store"))
        if os.geteuid() == 0:
            # Else it would give up root's rights, and with them those to files of a temporary folder.
            with (folder / "venue" / "broker" / "mosquitto.conf").open("a") as settings:
                settings.write("user root\n")
        self.process: subprocess.Popen[bytes] | None = None
        self.entered: list[LinkClient] = []

    def start(self) -> None:
        command = ["mosquitto", "-c", "mosquitto.conf"]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder / "venue" / "broker", stderr=log)

        def listens() -> bool:
            assert self.process is not None and self.process.poll() is None, (self.folder / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
            except OSError:
                return False
            return True

        until(listens)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE_S)
            self.process = None

    def tls(self, device: str) -> Path:
        """Return the folder with a device's certificate."""
        if device == venue.HUB_USER:
            return self.folder / "venue" / "hub" / "tls"
        place = self.folder / device
        if not place.exists():
            place.mkdir()
            venue.put(venue.certify(self.folder / "venue", device), place)
        return place

    def enter(
        self,
        device: str,
        filters: tuple[str, ...],
        will: Will | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> tuple[LinkClient, queue.Queue[Arrival], threading.Event]:
        heard: queue.Queue[Arrival] = queue.Queue()
        up = threading.Event()
        client = LinkClient(
            "127.0.0.1",
            self.port,
            device,
            "no token is asked for",
            filters,
            inbox=heard.put,
            on_state=lambda is_up: up.set() if is_up else up.clear(),
            random=Random(1),
            will=will,
            tls=client_context(self.tls(device)) if tls is None else tls,
        )
        client.start()
        self.entered.append(client)
        return client, heard, up


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    running = Broker(tmp_path / "b")
    running.start()
    yield running
    for client in running.entered:
        client.stop()
    running.stop()


def nothing_more(heard: queue.Queue[Arrival]) -> bool:
    """Return whether nothing arrives in a while that is long for a broker on this machine."""
    try:
        heard.get(timeout=QUIET_S)
    except queue.Empty:
        return True
    return False


@pytest.mark.needs("mosquitto")
def test_a_table_says_and_hears_its_own_and_nothing_else(broker: Broker) -> None:
    hub, at_hub, hub_up = broker.enter("hub", hub_filters())
    first, at_first, first_up = broker.enter("t1", (device_filter("t1"), "flagfall/1/#"))
    second, at_second, second_up = broker.enter("t2", (device_filter("t2"),))
    assert all(up.wait(PATIENCE_S) for up in (hub_up, first_up, second_up))

    for kind in (Kind.RESULT, Kind.STATUS, Kind.CLOCK, Kind.MOVE, Kind.CALL):
        topic = Topic("woc", "t1", kind)
        assert first.publish(str(topic), b"own", topic.qos, topic.retained)
        arrival = at_hub.get(timeout=PATIENCE_S)
        assert (arrival.topic, arrival.payload) == (str(topic), b"own")
    for kind in (Kind.ASSIGNMENT, Kind.RECEIPT, Kind.RULING):
        topic = Topic("woc", "t2", kind)
        assert hub.publish(str(topic), b"order", topic.qos, topic.retained)
        assert at_second.get(timeout=PATIENCE_S).payload == b"order"

    forged = [Topic("woc", "t2", kind) for kind in Kind] + [
        Topic("woc", "t1", kind) for kind in (Kind.ASSIGNMENT, Kind.RECEIPT, Kind.RULING)
    ]
    while not at_first.empty():
        at_first.get()
    for topic in forged:
        first.publish(str(topic), b"forged", 1, True)
        until(lambda: first.connected)  # a refused message may cost the connection, not the entrance
    assert nothing_more(at_second) and nothing_more(at_hub)
    late, at_late, late_up = broker.enter("t2", (device_filter("t2"),))
    assert late_up.wait(PATIENCE_S)
    kept = at_late.get(timeout=PATIENCE_S)
    assert kept.payload == b"order", "nothing forged was retained either"
    heard_by_first = [at_first.get() for _ in range(at_first.qsize())]
    assert all("/table/t1/" in arrival.topic for arrival in heard_by_first), (
        "the wide filter brings nothing of others"
    )
    assert late and second


@pytest.mark.needs("mosquitto")
def test_a_will_goes_to_nobody_elses_topic(broker: Broker) -> None:
    _, at_hub, hub_up = broker.enter("hub", hub_filters())
    assert hub_up.wait(PATIENCE_S)
    for target, arrives in (("t2", False), ("t1", True)):
        topic = str(Topic("woc", target, Kind.STATUS))
        client = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="x", protocol=mqtt.MQTTv311)
        client.will_set(topic, b"offline", qos=1, retain=True)
        client.tls_set_context(client_context(broker.tls("t1")))
        connected = threading.Event()
        client.on_connect = lambda *_, up=connected: up.set()
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        assert connected.wait(PATIENCE_S)
        cut = client.socket()
        assert isinstance(cut, ssl.SSLSocket)
        client.on_disconnect = lambda client, *_: client.loop_stop()
        cut.shutdown(socket.SHUT_RDWR)
        if arrives:
            assert at_hub.get(timeout=PATIENCE_S).topic == topic
        else:
            assert nothing_more(at_hub)
        client.disconnect()
        client.loop_stop()


@pytest.mark.needs("mosquitto")
def test_another_tables_client_id_cannot_be_taken(broker: Broker) -> None:
    """Two connections with one id push each other out. The id is the certificate's name, whatever is claimed."""
    hub, _, hub_up = broker.enter("hub", hub_filters())
    _, at_two, two_up = broker.enter("t2", (device_filter("t2"),))
    assert hub_up.wait(PATIENCE_S) and two_up.wait(PATIENCE_S)
    for claimed in ("t2", "t2/0123456789abcdef", "hub"):
        thief = mqtt.Client(CallbackAPIVersion.VERSION2, client_id=claimed, protocol=mqtt.MQTTv311)
        thief.username_pw_set("t2", "x")
        thief.tls_set_context(client_context(broker.tls("t1")))
        connected = threading.Event()
        thief.on_connect = lambda *_, up=connected: up.set()
        thief.connect("127.0.0.1", broker.port)
        thief.loop_start()
        assert connected.wait(PATIENCE_S)
        assert hub.publish(str(Topic("woc", "t2", Kind.RULING)), claimed.encode(), 1, False)
        assert at_two.get(timeout=PATIENCE_S).payload == claimed.encode()
        assert two_up.is_set() and hub_up.is_set()
        thief.disconnect()
        thief.loop_stop()


@pytest.mark.needs("mosquitto")
def test_without_a_certificate_of_this_venue_nobody_enters(broker: Broker, tmp_path: Path) -> None:
    bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    bare.check_hostname = False
    bare.load_verify_locations(broker.folder / "venue" / "ca" / "ca.pem")
    other = Authority.create(tmp_path / "other-venue")
    place = tmp_path / "foreign"
    place.mkdir()
    venue.put(other.device("t1"), place)
    shutil.copy(broker.folder / "venue" / "ca" / "ca.pem", place / "ca.pem")
    foreign = client_context(place)
    plain, _, plain_up = broker.enter("t1", (device_filter("t1"),), tls=bare)
    false, _, false_up = broker.enter("t1", (device_filter("t1"),), tls=foreign)
    for client in (plain, false):
        until(lambda client=client: client.problem not in ("", "not started"))
    unencrypted = mqtt.Client(CallbackAPIVersion.VERSION2, client_id="t1", protocol=mqtt.MQTTv311)
    connected = threading.Event()
    unencrypted.on_connect = lambda *_: connected.set()
    unencrypted.connect("127.0.0.1", broker.port)
    unencrypted.loop_start()
    assert not connected.wait(QUIET_S)
    unencrypted.loop_stop()
    assert not plain_up.is_set() and not false_up.is_set()
    _, _, up = broker.enter("t1", (device_filter("t1"),))
    assert up.wait(PATIENCE_S), "with its own it does"


@pytest.mark.needs("mosquitto")
def test_a_lost_device_is_shut_out_and_its_successor_enters(broker: Broker) -> None:
    lost = client_context(broker.tls("t1"))
    client, _, up = broker.enter("t1", (device_filter("t1"),), tls=lost)
    assert up.wait(PATIENCE_S)
    assert venue.revoke(broker.folder / "venue", "t1")
    broker.stop()
    until(lambda: not client.connected)
    broker.start()
    until(lambda: "certificate verify failed" in (broker.folder / "log").read_text())
    assert not client.connected
    shutil.rmtree(broker.folder / "t1")
    new = client_context(broker.tls("t1"))
    broker.stop()
    broker.start()
    _, _, new_up = broker.enter("t1", (device_filter("t1"),), tls=new)
    assert new_up.wait(PATIENCE_S)
    assert not client.connected


@pytest.mark.needs("mosquitto")
def test_who_is_set_aside_is_out_at_a_venue_and_leaves_no_word(
    broker: Broker, tmp_path: Path, new_hub: Any
) -> None:
    hub = new_hub(tmp_path / "state")
    hub.ports["broker_port"] = broker.port
    hub.start("--venue", str(broker.folder / "venue"))
    for event in ("one", "two"):
        hub.call("PUT", f"tournaments/{event}", tournament_file(2))
    hub.enrol("bad", 1)
    bad, heard, up = broker.enter("bad", (device_filter("bad"),))
    assert up.wait(PATIENCE_S)
    words = {str(Topic(event, "bad", Kind.STATUS)) for event in ("one", "two", "invented")}

    def say() -> None:
        for topic in words:
            bad.publish(topic, b'{"online": true}', 1, True)

    say()
    topics: set[str] = set()
    while not words <= topics:
        topics.add(heard.get(timeout=PATIENCE_S).topic)
    list_ = broker.folder / "venue" / "broker" / "crl.pem"
    before = list_.read_bytes()
    hub.call("DELETE", "devices/bad")
    until(lambda: list_.read_bytes() != before)
    say()  # once more, before the broker starts again, as flagfall-revoked.path makes it do
    broker.stop()
    broker.start()
    until(lambda: "certificate verify failed" in (broker.folder / "log").read_text())
    assert not bad.connected
    bad.stop()
    shutil.rmtree(broker.folder / "bad")
    _, heard, up = broker.enter("bad", (device_filter("bad"),))
    assert up.wait(PATIENCE_S)
    successor = broker.entered[-1]
    last = str(Topic(None, "bad", Kind.STATUS))
    assert successor.publish(last, b"", 1, False)
    left = []
    while (arrival := heard.get(timeout=PATIENCE_S)).topic != last:
        left.append(arrival.topic)
    assert not words & set(left)
    until(lambda: hub.lines().count("link up") >= 2)

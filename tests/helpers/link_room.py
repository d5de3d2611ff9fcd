"""A broker and clients that know their tokens, and packets of a client that breaks the rules."""

from __future__ import annotations

import queue
import socket
import struct
from random import Random

from flagfall.link.client.client import LinkClient, Will
from flagfall.link.identity import create
from flagfall.link.topics import Arrival, Kind, Topic, device_filter, hub_filters
from helpers.broker_thread import BrokerThread
from helpers.waiting import PATIENCE_S


class Peer:
    """A client, and the messages that have reached it."""

    def __init__(self, link: LinkClient, arrivals: queue.Queue[Arrival], states: queue.Queue[bool]) -> None:
        self.link = link
        self.arrivals = arrivals
        self.states = states
        self.strangers: queue.Queue[str] = queue.Queue()

    def next(self) -> Arrival:
        return self.arrivals.get(timeout=PATIENCE_S)

    def wait_up(self) -> None:
        assert self.states.get(timeout=PATIENCE_S) is True

    def wait_down(self) -> None:
        assert self.states.get(timeout=PATIENCE_S) is False

    def say(self, topic: Topic | str, payload: bytes, retain: bool = False) -> None:
        assert self.link.publish(str(topic), payload, 1, retain)


class Room:
    """A broker, and the identities of its users."""

    def __init__(self) -> None:
        hub = create("hub")
        self.people = {"hub": hub, **{name: create(name, hub.public) for name in ("t7", "t8")}}
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
        *,
        hosts: tuple[str, str] = ("127.0.0.1", ""),
    ) -> Peer:
        """Add a client. `hosts` are the configured host, and the one that the hub has named."""
        arrivals: queue.Queue[Arrival] = queue.Queue()
        states: queue.Queue[bool] = queue.Queue()
        if filters is None:
            filters = hub_filters() if name == "hub" else (device_filter(name),)
        if token is None:
            token = self.people[name].token
        strangers: queue.Queue[str] = queue.Queue()
        link = LinkClient(
            hosts[0],
            self.port,
            name,
            token,
            filters,
            inbox=arrivals.put,
            on_state=states.put,
            random=Random(len(self.peers)),
            will=will,
            on_stranger=strangers.put,
        )
        link.add_host(hosts[1])
        link.start()
        self.peers.append(Peer(link, arrivals, states))
        self.peers[-1].strangers = strangers
        return self.peers[-1]

    def enter(self, name: str, **options: Will | None) -> Peer:
        peer = self.join(name, **options)  # type: ignore[arg-type]
        peer.wait_up()
        return peer

    def close(self) -> None:
        for peer in self.peers:
            peer.link.stop()
        self.broker.stop()


def topic(device: str, kind: Kind) -> Topic:
    return Topic("woc", device, kind)


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


def raw_connect(
    port: int, client_id: str, user: str, password: str, will: Will | None = None, *, keepalive_s: int = 60
) -> socket.socket:
    """Send CONNECT by hand, like a client that breaks the rules."""
    flags = 0xC2 | (0x2C if will else 0)
    body = text("MQTT") + bytes([4, flags]) + struct.pack("!H", keepalive_s) + text(client_id)
    if will:
        body += text(will.topic) + text(will.payload)
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
    connection.sendall(packet(0x10, body + text(user) + text(password)))
    return connection

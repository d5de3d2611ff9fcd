"""Decides who may hold a connection to the hub's pages, and for how long, at the moment of acceptance.

First of the four that a request meets: the listening socket asks at each connection, the protocol (`hub.web.serving`)
when bytes are read or an answer waits. Then `hub.web.bounds` gets each request, and asks the other two.

All phones of a hall may share one address, so no address is refused by number alone: when all places are taken, the
address with most connections loses one, its oldest idle connection first. Clients with a session or the token keep
their places.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import socket
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from typing import Any

from starlette.types import Scope

from hub.limits.abuses import Abuse, Abuses
from hub.limits.bucket import Buckets

MOST_CONNECTIONS = 2_000
"""In all: a thousand readers with a stream and a page each. Some 20 kB of memory each."""
KEPT_DESCRIPTORS = 256
"""Of the process's limit, for ledger, broker, children and everything else but pages."""
REQUEST_S = 10.0
"""How long a connection may take to send a request, from its beginning or the end of the last answer."""
STALLED_S = 15.0
"""A client that reads nothing of its answer for so long is disconnected."""
MOST_UNREAD_BYTES = 24 << 20
"""Of all unread answers; the one that has waited longest is dropped first."""
ACCEPTED_PER_S, ACCEPTED_AT_ONCE = 100.0, 1_200.0
"""New connections of one address."""
_FREE_READING_S, _AN_ARRIVAL_S = 0.0005, 0.001
"""Reading that takes longer than a browser's request counts as so many new connections."""
MOST_CALLERS = 2_048
"""How many connections wait at the socket."""
_ACCEPTED_TOGETHER = 256
_LOOK_S = 1.0


@dataclass(eq=False, slots=True)
class HeldConnection:
    """One connection. `since_s`: by the loop's clock, since when it has waited for a request, or is being answered."""

    address: str
    connection: socket.socket
    since_s: float
    protocol: Any = None
    read_s: float = 0.0
    serving: bool = False
    known: bool = False
    unread_bytes: int = 0
    unread_since_s: float = 0.0

    def take_read_s(self) -> float:
        """Processor time spent on reading its bytes since the last call."""
        read_s, self.read_s = self.read_s, 0.0
        return read_s

    def end(self) -> None:
        if self.protocol is not None:
            self.protocol.transport.abort()
        else:  # still in the TLS handshake: the socket's owner sees its end
            with contextlib.suppress(OSError):
                self.connection.shutdown(socket.SHUT_RDWR)


class Gate:
    """All connections of one hub; used in its loop only. `most`: at once."""

    def __init__(self, abuses: Abuses, now_ns: Callable[[], int], most: int = MOST_CONNECTIONS) -> None:
        self._abuses = abuses
        self._now_ns = now_ns
        self._most = most
        self._held: dict[int, HeldConnection] = {}
        self._by_address: dict[str, dict[int, HeldConnection]] = {}
        self._arrivals = Buckets(ACCEPTED_AT_ONCE, ACCEPTED_PER_S, now_ns)
        self._unread_bytes = 0
        self._spare = _spare_descriptor()

    # At the socket

    def accept(self, listening: socket.socket) -> tuple[socket.socket, Any]:
        """The next connection that may enter; BlockingIOError if none waits, or too many were refused at once."""
        for _ in range(_ACCEPTED_TOGETHER):
            try:
                connection, peer = socket.socket.accept(listening)
            except OSError as fault:
                if fault.errno not in (errno.EMFILE, errno.ENFILE):
                    raise
                self._turn_away_one(listening)
                continue
            address = address_of(peer)
            if self._may_enter(address):
                mine = _Connection(self, fileno=connection.detach())
                self._hold_connection(HeldConnection(address, mine, _now_s()))
                return mine, peer
            connection.close()
        raise BlockingIOError

    def _may_enter(self, address: str) -> bool:
        if not self._arrivals.of(address).take(1, self._now_ns()):
            self._abuses.note(Abuse.CONNECTIONS, address)
            return False
        return len(self._held) < self._most or self._make_room()

    def _turn_away_one(self, listening: socket.socket) -> None:
        """No descriptor is left: a reserved one is used to accept and close the next connection."""
        if self._spare is not None:
            os.close(self._spare)
        with contextlib.suppress(OSError):
            connection, peer = socket.socket.accept(listening)
            connection.close()
            self._abuses.note(Abuse.CONNECTIONS, address_of(peer))
        self._spare = _spare_descriptor()

    def _hold_connection(self, held: HeldConnection) -> None:
        number = held.connection.fileno()
        self._held[number] = held
        self._by_address.setdefault(held.address, {})[number] = held

    def note_closed(self, number: int) -> None:
        """The connection with this descriptor is being closed."""
        held = self._held.pop(number, None)
        if held is None:
            return
        self.note_taken(held)
        at_address = self._by_address[held.address]
        del at_address[number]
        if not at_address:
            del self._by_address[held.address]

    def _make_room(self) -> bool:
        """Ends a connection of the address that has most; False if all belong to known clients."""
        crowds = Counter({address: len(all_) for address, all_ in self._by_address.items()})
        for address, _ in crowds.most_common():
            strangers = [one for one in self._by_address[address].values() if not one.known]
            waiting = [one for one in strangers if not one.serving]
            if strangers:
                goes = min(waiting or strangers, key=lambda one: one.since_s)
                self._abuses.note(Abuse.CONNECTIONS, address)
                self.note_closed(goes.connection.fileno())
                goes.end()
                return True
        return False

    # At the protocol

    def held_connection(self, number: int) -> HeldConnection | None:
        return self._held.get(number)

    def note_read(self, held: HeldConnection, took_s: float) -> None:
        """Bytes were read, which took so much processor time."""
        held.read_s += took_s
        if took_s > _FREE_READING_S:
            arrivals = (took_s - _FREE_READING_S) / _AN_ARRIVAL_S
            self._arrivals.of(held.address).spend(arrivals, self._now_ns())

    def note_unread(self, held: HeldConnection, bytes_: int) -> None:
        """An answer waits to be read."""
        self.note_taken(held)
        held.unread_bytes, held.unread_since_s = bytes_, _now_s()
        self._unread_bytes += bytes_
        while self._unread_bytes > MOST_UNREAD_BYTES:
            waiting = [one for one in self._held.values() if one.unread_bytes and not one.known]
            if not waiting:
                return
            slowest = min(waiting, key=lambda one: one.unread_since_s)
            self._abuses.note(Abuse.SLOW, slowest.address)
            self.note_taken(slowest)
            slowest.end()

    def note_taken(self, held: HeldConnection) -> None:
        self._unread_bytes -= held.unread_bytes
        held.unread_bytes = 0

    async def run(self) -> None:
        """Disconnects slow clients, until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_S)
            self.end_slow_connections()

    def end_slow_connections(self) -> None:
        now_s = _now_s()
        for held in list(self._held.values()):
            if held.unread_bytes:
                self._look_at_unread(held, now_s)
            elif not held.serving and now_s - held.since_s > REQUEST_S:
                if held.protocol is None or held.protocol.has_begun:
                    self._abuses.note(Abuse.SLOW, held.address)
                held.end()

    def _look_at_unread(self, held: HeldConnection, now_s: float) -> None:
        left_bytes = held.protocol.transport.get_write_buffer_size()
        if now_s - held.unread_since_s <= STALLED_S:
            return
        # A phone with a weak signal reads some kilobytes within that time.
        if held.unread_bytes - left_bytes < 32_000 and left_bytes:
            self._abuses.note(Abuse.SLOW, held.address)
            held.end()
        else:
            self.note_unread(held, left_bytes)

    @property
    def connections(self) -> int:
        return len(self._held)


class _Connection(socket.socket):
    """Tells the gate when it is closed."""

    def __init__(self, gate: Gate, fileno: int) -> None:
        super().__init__(fileno=fileno)
        self.setblocking(False)
        self._gate = gate

    def close(self) -> None:
        number = self.fileno()
        if number >= 0:
            self._gate.note_closed(number)
        super().close()


class GatedSocket(socket.socket):
    """A listening socket from which the server gets only the connections that the gate accepts."""

    gate: Gate | None = None

    def listen(self, backlog: int = MOST_CALLERS, /) -> None:
        """asyncio uses one number for the backlog and for accepting in one go; here the backlog is larger."""
        super().listen(max(backlog, MOST_CALLERS))

    def accept(self) -> tuple[socket.socket, Any]:
        return super().accept() if self.gate is None else self.gate.accept(self)


def address_of(peer: Any) -> str:
    """The address for limits: of IPv6 its network, because one machine may use any address in it."""
    text = str(peer[0]) if isinstance(peer, tuple) and peer else ""
    try:
        found = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(found, IPv6Address):
        if found.ipv4_mapped is not None:
            return str(found.ipv4_mapped)
        if not found.is_loopback:
            return f"{IPv6Address(int(found) >> 64 << 64)}/64"
    return str(found)


def is_loopback(host: str) -> bool:
    """Whether it is this machine, as it names itself."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def client_address(scope: Scope) -> str:
    """The address of a request, for limits."""
    return address_of(scope.get("client"))


def raise_descriptor_limit() -> int:
    """Raises the limit of open files to what the system allows, 65,536 at most; returns it."""
    try:
        import resource
    except ImportError:
        return MOST_CONNECTIONS + KEPT_DESCRIPTORS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 65_536 if soft == resource.RLIM_INFINITY else soft


def most_connections(descriptors: int) -> int:
    """How many connections a process with that many descriptors may hold."""
    return max(16, min(MOST_CONNECTIONS, descriptors - KEPT_DESCRIPTORS))


def _now_s() -> float:
    return asyncio.get_running_loop().time()


def _spare_descriptor() -> int | None:
    try:
        return os.open(os.devnull, os.O_RDONLY)
    except OSError:
        return None

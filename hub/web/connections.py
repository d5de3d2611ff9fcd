"""Limits of the connections of a hub that serves alone: their number per address, and their silence.

uvicorn limits neither. The server's protocol takes a place when a connection is made, and slow connections are ended
once a second. At a venue nginx does both (`hub.web.front`).
"""

from __future__ import annotations

import asyncio
import contextlib
import resource
from collections import Counter
from ipaddress import IPv6Address, ip_address
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from hub.limits import Abuse, Abuses

MOST_OF_ADDRESS = 256  # all phones of a club may share an address, each with a page and a stream
MOST_CONNECTIONS = 2_000
MOST_OF_NGINX = 6_000  # all have one address, and nginx limits them
KEPT_DESCRIPTORS = 256  # of the process's limit, for ledger, broker, children and everything else but pages
REQUEST_S = 10.0  # to send a head, from the connection's beginning or the end of the last answer
STALLED_S = 15.0  # to take `TAKEN_BYTES` of an answer
TAKEN_BYTES = 16_000  # a phone with a weak signal reads as much
LARGEST_HEAD_BYTES = 8_192
# The read buffer of all connections: asyncio would read 256 kB of each at a time. h11 checks the size of a head only
# while it is incomplete, so a head that arrived whole could have thousands of lines.
_PIECE = bytearray(4_096)
_UNREAD_BYTES = 16_384  # of an answer, in a connection; then its maker waits
_LOOK_S = 1.0


class Connections:
    """All connections of a hub; used in its loop only."""

    def __init__(self, abuses: Abuses, most: int, most_of_address: int = MOST_OF_ADDRESS) -> None:
        self._abuses = abuses
        self._most, self._most_of_address = most, most_of_address  # connections at once
        self._held: set[GuardedProtocol] = set()
        self._by_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._held)

    def enter(self, connection: GuardedProtocol) -> bool:
        """Take a place; return False if there is none."""
        address = connection.address
        if self._by_address[address] >= self._most_of_address or len(self._held) >= self._most:
            self._abuses.note(Abuse.CONNECTIONS, address)
            return False
        self._held.add(connection)
        self._by_address[address] += 1
        return True

    def leave(self, connection: GuardedProtocol) -> None:
        if connection in self._held:
            self._held.remove(connection)
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    async def run(self) -> None:
        """End slow connections, until cancelled."""
        while True:
            await asyncio.sleep(_LOOK_S)
            self.end_slow(asyncio.get_running_loop().time())

    def end_slow(self, now_s: float) -> None:
        for connection in list(self._held):
            if connection.is_slow(now_s):
                self._abuses.note(Abuse.SLOW, connection.address)
                connection.transport.abort()
            elif connection.is_idle(now_s):
                connection.transport.abort()


class GuardedProtocol(H11Protocol, asyncio.BufferedProtocol):
    """A connection with a place among `places`; its requests find it in their state."""

    places: Connections
    address = ""
    serving = False  # a request is being answered
    _since_s = 0.0  # when it began to wait for a request
    _has_begun = False  # anything has come since the last answer
    _unread_bytes = 0  # their number when the time for reading them began
    _unread_since_s = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(_UNREAD_BYTES)
        super().connection_made(transport)
        self.address = address_of(transport.get_extra_info("peername"))
        self._since_s = self.loop.time()
        self.app_state = {**self.app_state, "connection": self}
        if not self.places.enter(self):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.places.leave(self)
        super().connection_lost(exc)
        # Circles of a dead connection would lie about until garbage is collected: half a megabyte after a long head.
        self.app_state, self.headers = {}, []
        self.scope = self.cycle = None  # type: ignore[assignment]

    def get_buffer(self, sizehint: int) -> bytearray:
        return _PIECE

    def buffer_updated(self, nbytes: int) -> None:
        self._has_begun = True
        self.data_received(bytes(_PIECE[:nbytes]))

    def note_serving(self, serving: bool) -> None:
        """Note that the answer to a request begins to be made, or that it has ended.

        An answer begins when enough of the one before was taken, so the time for reading begins anew: the buffer of the
        new answer may be as full as that of the old one was.
        """
        self.serving, self._since_s = serving, self.loop.time()
        self._has_begun = False
        if serving:
            self._unread_bytes = 0

    def is_slow(self, now_s: float) -> bool:
        """Return whether the client does not read its answer, or does not end the head that it has begun."""
        unread_bytes = self.transport.get_write_buffer_size()
        if not unread_bytes:
            self._unread_bytes = 0
            return self._has_begun and self.is_idle(now_s)
        if not self._unread_bytes or unread_bytes <= self._unread_bytes - TAKEN_BYTES:
            self._unread_bytes, self._unread_since_s = unread_bytes, now_s
        return now_s - self._unread_since_s > STALLED_S

    def is_idle(self, now_s: float) -> bool:
        """Return whether a request has been waited for too long."""
        waits = not self.serving and not self.transport.get_write_buffer_size()
        return waits and now_s - self._since_s > REQUEST_S


def address_of(peer: Any) -> str:
    """Return the address for limits: of IPv6 its network, because one machine may use any address in it."""
    text = str(peer[0]) if isinstance(peer, tuple) and peer else ""
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return text
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        if not address.is_loopback:
            return f"{IPv6Address(int(address) >> 64 << 64)}/64"
    return str(address)


def client_address(scope: Scope) -> str:
    """Return the address of a request, for limits."""
    return address_of(scope.get("client"))


def is_loopback(host: str) -> bool:
    """Return whether the host is this machine's loopback."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def most_connections(wished: int = MOST_CONNECTIONS) -> int:
    """Return how many connections this process may hold. Raise its limit of open files first, if the system allows
    it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = wished + KEPT_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError, ValueError):
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = wished if soft == resource.RLIM_INFINITY else soft - KEPT_DESCRIPTORS
    return max(16, min(wished, free))

"""A program's connection to the broker, re-established after each break.

The session is clean, subscriptions are made at each connection, and the connection counts as up only when the broker
has acknowledged them. Nothing of an old connection is sent again automatically: the outbox does that.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import ssl
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from random import Random
from time import monotonic

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from flagfall.link.client.backoff import LONGEST_TO_BROKER_S, delay_s
from flagfall.link.client.connection import Connection
from flagfall.link.topics import Arrival

_CONNECT_TIMEOUT_S = 5.0
_KEEPALIVE_S = 15
# A connection that ends sooner was no success: two devices with one identity end each other's.
_STEADY_S = 30.0


@dataclass(frozen=True, slots=True)
class Will:
    """The message that the broker sends, retained, when this client disappears without a disconnect."""

    topic: str
    payload: bytes


class Link:
    """One program's connection, in the event loop in which `keep_up` runs. `filters` are its subscriptions, at least
    one.

    `on_state(True)` comes when they are acknowledged: then send what must be known, and all of the outbox;
    `on_state(False)` when the connection is lost. `tls` (`flagfall.link.tls`) is for a venue's broker. `on_stranger`
    gets the address of a broker that does not know this user and token, or whose certificate is of another venue.
    """

    def __init__(
        self,
        host: str,
        port: int,
        user: str,
        token: str,
        filters: Sequence[str],
        *,
        inbox: Callable[[Arrival], None],
        on_state: Callable[[bool], None],
        random: Random,
        will: Will | None = None,
        tls: ssl.SSLContext | None = None,
        on_stranger: Callable[[str], None] = lambda where: None,
    ) -> None:
        self._hosts = deque([host])
        self._configured = host
        self._port = port
        self._user = user
        self._token = token
        self._filters = tuple(filters)
        self._inbox = inbox
        self._on_state = on_state
        self._random = random
        self._will = will
        self._tls = tls
        self._on_stranger = on_stranger
        # Random, so that nobody can disconnect this client by using its name.
        self._client_id = f"{user}/{secrets.token_hex(8)}"
        self._at_once = asyncio.Event()
        self._connection: Connection | None = None
        self._problem = "not started"

    @property
    def connected(self) -> bool:
        connection = self._connection
        return connection is not None and connection.is_up

    @property
    def problem(self) -> str:
        """Return the reason why there is no connection, in a few words; "" when there is one."""
        return "" if self.connected else self._problem

    async def keep_up(self) -> None:
        """Connect, again and again, until cancelled; then disconnect properly (the will is not sent)."""
        attempt = 0
        while True:
            # Cleared before anything is read, so that a change during the work is not missed.
            self._at_once.clear()
            began_s = monotonic()
            was_up = await self._live_once()
            steady = was_up and monotonic() - began_s >= _STEADY_S
            attempt = 1 if steady else attempt + 1
            with suppress(TimeoutError):
                async with asyncio.timeout(delay_s(attempt, self._random, LONGEST_TO_BROKER_S)):
                    await self._at_once.wait()

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Hand a message to the network. False when offline or full: then the message is dropped."""
        connection = self._connection
        return connection is not None and connection.publish(topic, payload, qos, retain)

    @property
    def where(self) -> str:
        """The address of the connection, or of the next attempt."""
        return f"{self._hosts[0]}:{self._port}"

    def add_host(self, host: str) -> None:
        """Add an address at which the broker may be too; it is tried in turn with the configured host. ""
        removes it."""
        self._hosts = deque(dict.fromkeys((self._hosts[0], self._configured, host or self._configured)))

    def leave_host(self) -> None:
        """Leave this broker for the next host, if there is one."""
        if len(self._hosts) > 1:
            self._hosts.rotate(-1)
            self.reconnect()

    def set_will(self, will: Will | None) -> None:
        """Set the will of the next connection; `reconnect` makes it valid now."""
        self._will = will

    def reconnect(self) -> None:
        """Disconnect properly and connect again at once."""
        self._at_once.set()
        if self._connection is not None:
            self._connection.leave()

    async def _live_once(self) -> bool:
        """Keep one connection from the attempt to its end. Return True if it was ever up."""
        connection = Connection(self._new_client(), self._filters, self._inbox, lambda: self._on_state(True))
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                await connection.open(self._hosts[0], self._port, _KEEPALIVE_S)
        except (OSError, ValueError) as failure:  # ValueError: an invalid host or port
            self._problem = f"{self.where}: {_in_words(failure)}"
            if isinstance(failure, ssl.SSLCertVerificationError):
                self._on_stranger(self.where)
            self._hosts.rotate(-1)
            return False
        self._connection = connection
        try:
            if self._at_once.is_set():
                connection.leave()
            await asyncio.shield(connection.over)
        except asyncio.CancelledError:
            connection.leave()
            await connection.over
            raise
        finally:
            self._connection = None
            self._problem = f"{self.where}: {connection.refusal or 'connection lost'}"
            self._refused(connection)
            if connection.was_up:
                self._on_state(False)
        return connection.was_up

    def _refused(self, connection: Connection) -> None:
        """Try the other host after a connection that never was up."""
        if connection.was_up:
            return
        if connection.unknown_here:
            self._on_stranger(self.where)
        self._hosts.rotate(-1)

    def _new_client(self) -> mqtt.Client:
        """Return a new client for each connection, so that nothing of an old queue is sent, and no message id is used
        again."""
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2, client_id=self._client_id, clean_session=True, protocol=mqtt.MQTTv311
        )
        client.connect_timeout = _CONNECT_TIMEOUT_S
        client.username_pw_set(self._user, self._token)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        if self._will is not None:
            client.will_set(self._will.topic, self._will.payload, qos=1, retain=True)
        return client


class LinkClient(Link):
    """A `Link` that is kept up in a thread and loop of its own, for a program without a loop.

    Its `inbox` and `on_state` are called from that thread: they must only put into a queue.
    """

    _loop: asyncio.AbstractEventLoop | None = None
    _keeping: asyncio.Task[None]
    _thread: threading.Thread

    def start(self) -> None:
        """Begin to connect, and return at once."""
        self._loop = asyncio.new_event_loop()
        self._keeping = self._loop.create_task(self.keep_up())
        self._thread = threading.Thread(target=self._run, args=(self._loop,), name="link", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Disconnect properly (the will is not sent) and wait for the thread."""
        if self._loop is not None:
            self._soon(self._keeping.cancel)
            self._thread.join()

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Hand a message to the network. False when offline: then the message is dropped. Never raises."""
        return self.connected and self._soon(partial(super().publish, topic, payload, qos, retain))

    def reconnect(self) -> None:
        self._soon(super().reconnect)

    def _soon(self, call: Callable[[], object]) -> bool:
        try:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call)
        except RuntimeError:  # stopped meanwhile
            return False
        return self._loop is not None

    def _run(self, loop: asyncio.AbstractEventLoop) -> None:
        try:
            with suppress(asyncio.CancelledError):
                loop.run_until_complete(self._keeping)
            loop.run_until_complete(loop.shutdown_default_executor())
        finally:
            loop.close()


def _in_words(failure: Exception) -> str:
    if isinstance(failure, TimeoutError):
        return f"no answer within {_CONNECT_TIMEOUT_S:g} s"
    number = getattr(failure, "errno", None)
    plain = isinstance(failure, ConnectionError) and isinstance(number, int)
    return os.strerror(number) if plain and number is not None else str(failure)

"""The thin adapter over paho-mqtt: connects, comes back after a break, hands on what arrives.

Every connection gets a new paho client: so nothing of an old connection's queue is ever sent again (the outbox
does that) and no message id is reused. The session is clean, subscriptions are made at each connection, and the
link counts as up only when the broker has acknowledged them.
"""

from __future__ import annotations

import secrets
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion

from link.backoff import delay_s
from link.connection import Arrival as Arrival
from link.connection import Connection

_CONNECT_TIMEOUT_S = 5.0
_MOST_INFLIGHT = 200
_MOST_QUEUED = 2_000


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says, retained, when this client is gone without a word."""

    topic: str
    payload: bytes


class LinkClient:
    """One program's connection to the broker, kept up by a thread of its own.

    `filters` are its subscriptions, at least one. `inbox` and `on_state` are called from that thread: they put into
    a queue and do nothing else. `on_state(True)` comes when the subscriptions stand: send then what must be known,
    and all of the outbox; `on_state(False)` when they stand no more. `tls` (`link.tls`) is the way into a venue's
    broker.
    """

    def __init__(
        self,
        host: str,
        port: int,
        user: str,
        token: str,
        filters: Sequence[str],
        inbox: Callable[[Arrival], None],
        on_state: Callable[[bool], None],
        random: Random,
        will: Will | None = None,
        keepalive_s: int = 15,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._host = host
        self._port = port
        self._user = user
        self._token = token
        self._filters = tuple(filters)
        self._inbox = inbox
        self._on_state = on_state
        self._random = random
        self._will = will
        self._keepalive_s = keepalive_s
        self._tls = tls
        # Not to be guessed, so that nobody can push this client out by taking its name.
        self._client_id = f"{user}/{secrets.token_hex(8)}"
        self._stopping = False
        self._at_once = threading.Event()
        self._connection: Connection | None = None
        self._thread: threading.Thread | None = None
        self._problem = "not started"

    @property
    def connected(self) -> bool:
        connection = self._connection
        return connection is not None and connection.is_up

    @property
    def problem(self) -> str:
        """Why there is no connection, in a few words; empty when there is one."""
        return "" if self.connected else self._problem

    def start(self) -> None:
        """Begin to connect; returns at once."""
        self._thread = threading.Thread(target=self._keep_up, name=f"link {self._user}", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Disconnect in good order (the will is not sent) and wait for the thread."""
        self._stopping = True
        self.reconnect()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Hand a message to the network. False when offline or overfull: then it is forgotten. Never raises."""
        connection = self._connection
        return connection is not None and connection.publish(topic, payload, qos, retain)

    def set_will(self, will: Will | None) -> None:
        """The will of the next connection; `reconnect` makes it hold now."""
        self._will = will

    def reconnect(self) -> None:
        """Disconnect in good order and connect again at once."""
        self._at_once.set()
        connection = self._connection
        if connection is not None:
            connection.leave()

    def _keep_up(self) -> None:
        attempt = 0
        while True:
            # Cleared before anything is looked at: whoever changes something and then sets it is not missed.
            self._at_once.clear()
            if self._stopping:
                return
            was_up = self._live_once()
            attempt = 1 if was_up else attempt + 1
            self._at_once.wait(delay_s(attempt, self._random))

    def _live_once(self) -> bool:
        """One connection from the attempt to its end; whether it ever was up."""
        where = f"{self._host}:{self._port}"
        connection: Connection | None = None
        try:
            connection = self._new_connection()
            self._connection = connection
            if not self._at_once.is_set():
                connection.live()
            self._problem = f"{where}: {connection.refusal or 'connection lost'}"
        except (OSError, ValueError) as failure:
            self._problem = f"{where}: {failure}"
        except Exception as failure:  # nothing that a broker sends may end this thread
            self._problem = f"{where}: connection given up: {failure!r}"
        self._connection = None
        if connection is None or not connection.end():
            return False
        self._on_state(False)
        return True

    def _new_connection(self) -> Connection:
        client = mqtt.Client(
            CallbackAPIVersion.VERSION2,
            client_id=self._client_id,
            clean_session=True,
            protocol=mqtt.MQTTv311,
        )
        client.connect_timeout = _CONNECT_TIMEOUT_S
        client.max_inflight_messages_set(_MOST_INFLIGHT)
        client.max_queued_messages_set(_MOST_QUEUED)
        client.username_pw_set(self._user, self._token)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        if self._will is not None:
            client.will_set(self._will.topic, self._will.payload, qos=1, retain=True)
        return Connection(
            client,
            lambda: client.connect(self._host, self._port, self._keepalive_s),
            self._filters,
            self._inbox,
            lambda: self._on_state(True),
        )

"""The thin adapter over paho-mqtt: connects, comes back after a break, hands on what arrives.

Every connection gets a new paho client: so nothing of an old connection's queue is ever sent again (the outbox
does that) and no message id is reused. The session is clean, subscriptions are made at each connection, and the
link counts as up only when the broker has acknowledged them.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from link.backoff import delay_s

_CONNECT_TIMEOUT_S = 5.0
_UP_TIMEOUT_S = 10.0
_MOST_INFLIGHT = 200
_MOST_QUEUED = 2_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as it came: untrusted bytes. `retained`: the broker had kept it, it may be old."""

    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says, retained, when this client is gone without a word."""

    topic: str
    payload: bytes


class LinkClient:
    """One program's connection to the broker, kept up by a thread of its own.

    `filters` are its subscriptions, at least one. `inbox` and `on_state` are called from the client's threads:
    they put into a queue and do nothing else.
    `on_state(True)` comes when the subscriptions stand: send then what must be known, and all of the outbox.
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
        # Not to be guessed, so that nobody can push this client out by taking its name.
        self._client_id = f"{user}/{secrets.token_hex(8)}"
        self._stopping = threading.Event()
        self._again = threading.Event()
        self._connection: _Connection | None = None
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
        self._stopping.set()
        self._end_connection()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Hand a message to the network. False when offline or overfull: then it is forgotten. Never raises."""
        connection = self._connection
        if connection is None or not self.connected:
            return False
        try:
            return connection.client.publish(topic, payload, qos, retain).rc == MQTTErrorCode.MQTT_ERR_SUCCESS
        except (ValueError, OSError, RuntimeError):
            return False

    def set_will(self, will: Will | None) -> None:
        """The will of the next connection; `reconnect` makes it hold now."""
        self._will = will

    def reconnect(self) -> None:
        """Disconnect in good order and connect again at once."""
        self._again.set()
        self._end_connection()

    def _end_connection(self) -> None:
        connection = self._connection
        if connection is not None:
            connection.client.disconnect()

    def _keep_up(self) -> None:
        attempt = 0
        while not self._stopping.is_set():
            self._again.clear()
            connection = _Connection(self)
            self._connection = connection
            was_up = self._live_through(connection)
            self._connection = None
            attempt = 1 if was_up else attempt + 1
            if not self._again.is_set():
                self._stopping.wait(delay_s(attempt, self._random))

    def _live_through(self, connection: _Connection) -> bool:
        """From the attempt to connect until the connection is over; whether it ever was up."""
        try:
            connection.client.connect(self._host, self._port, self._keepalive_s)
        except (OSError, ValueError) as failure:
            self._problem = f"{self._host}:{self._port}: {failure}"
            return False
        connection.client.loop_start()
        try:
            connection.settled.wait(_UP_TIMEOUT_S)
            if not connection.is_up:
                self._problem = connection.refusal or f"{self._host}:{self._port}: no answer"
                return False
            self._on_state(True)
            connection.over.wait()
            self._problem = f"{self._host}:{self._port}: connection lost"
            self._on_state(False)
            return True
        finally:
            connection.client.disconnect()
            connection.client.loop_stop()


class _Connection:
    """One paho client from its making to its end."""

    def __init__(self, owner: LinkClient) -> None:
        self.settled = threading.Event()
        self.over = threading.Event()
        self.refusal = ""
        self._owner = owner
        self._subscribed = False
        client = _Paho(
            CallbackAPIVersion.VERSION2,
            client_id=owner._client_id,
            clean_session=True,
            protocol=mqtt.MQTTv311,
            reconnect_on_failure=False,
        )
        client.when_over = self._end
        client.connect_timeout = _CONNECT_TIMEOUT_S
        client.max_inflight_messages_set(_MOST_INFLIGHT)
        client.max_queued_messages_set(_MOST_QUEUED)
        client.username_pw_set(owner._user, owner._token)
        if owner._will is not None:
            client.will_set(owner._will.topic, owner._will.payload, qos=1, retain=True)
        client.on_connect = self._answered
        client.on_subscribe = self._acknowledged
        client.on_message = self._arrived
        self.client = client

    @property
    def is_up(self) -> bool:
        return self._subscribed and not self.over.is_set()

    def _end(self, why: str) -> None:
        self.refusal = self.refusal or why
        self.over.set()
        self.settled.set()

    def _answered(self, client: mqtt.Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self.refusal = f"the broker refuses {self._owner._user}: {reason}"
            client.disconnect()
            return
        client.subscribe([(one, 1) for one in self._owner._filters])

    def _acknowledged(
        self, client: mqtt.Client, _: Any, __: int, reasons: list[ReasonCode], ___: Any
    ) -> None:
        if any(reason.is_failure for reason in reasons):
            self.refusal = f"the broker refuses a subscription of {self._owner._user}"
            client.disconnect()
            return
        self._subscribed = True
        self.settled.set()

    def _arrived(self, _: mqtt.Client, __: Any, message: mqtt.MQTTMessage) -> None:
        try:
            topic = message.topic
        except UnicodeDecodeError:
            return
        self._owner._inbox(Arrival(topic, bytes(message.payload), bool(message.retain)))


class _Paho(mqtt.Client):
    """paho's client, which tells when its thread has come to an end, whatever the reason."""

    when_over: Callable[[str], None]

    def loop_forever(self, timeout: float = 1.0, retry_first_connection: bool = False) -> MQTTErrorCode:
        why = ""
        try:
            return super().loop_forever(timeout, retry_first_connection)
        except Exception as failure:
            why = f"connection given up: {type(failure).__name__}"
            return MQTTErrorCode.MQTT_ERR_UNKNOWN
        finally:
            self.when_over(why)

"""One connection to a broker, from the attempt to its end: paho-mqtt's client, driven by a loop of our own.

paho's own loop waits with select, which fails in a process with more than a thousand open files, such as a hub with
its broker inside; this one uses whatever the system does best.
"""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

_UP_TIMEOUT_S = 10.0
_GOODBYE_S = 2.0
_LAST_WORDS_S = 1.0


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message as it came: untrusted bytes. `retained`: the broker had kept it, it may be old."""

    topic: str
    payload: bytes
    retained: bool


class Connection:
    """Made, then lived through once with `live`, in one thread; `publish` and `leave` may come from others.

    `client` is new and has its user, will and limits; `connect` connects it. `inbox` gets what arrives, `on_up` is
    called once the broker has acknowledged the subscriptions to `filters`.
    """

    def __init__(
        self,
        client: mqtt.Client,
        connect: Callable[[], object],
        filters: Sequence[str],
        inbox: Callable[[Arrival], None],
        on_up: Callable[[], None],
    ) -> None:
        self.refusal = ""
        self._client = client
        self._connect = connect
        self._filters = filters
        self._inbox = inbox
        self._on_up = on_up
        self._was_up = False
        self._over = False
        self._end_by_s: float | None = None
        self._woken, self._waker = socket.socketpair()
        self._woken.setblocking(False)
        self._waker.setblocking(False)
        client.on_connect = self._answered
        client.on_subscribe = self._acknowledged
        client.on_message = self._arrived
        # With this set, paho leaves all writing to the loop below, whoever publishes.
        client.on_socket_register_write = self._wake
        client.on_socket_close = self._see_off

    @property
    def is_up(self) -> bool:
        return self._was_up and not self._over

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        if not self.is_up:
            return False
        try:
            return self._client.publish(topic, payload, qos, retain).rc == MQTTErrorCode.MQTT_ERR_SUCCESS
        except (ValueError, OSError, RuntimeError):
            return False

    def leave(self) -> None:
        """Say goodbye; `live` returns when it has been said, or cannot be said."""
        self._end_by_s = time.monotonic() + _GOODBYE_S
        self._client.disconnect()

    def live(self) -> None:
        """Connect, and serve the connection until it is over. Raises OSError if it cannot be made."""
        self._connect()
        up_by_s = time.monotonic() + _UP_TIMEOUT_S
        with selectors.DefaultSelector() as selector:
            selector.register(self._woken, selectors.EVENT_READ)
            served: Any = None
            while (connection := self._client.socket()) is not None:
                wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._client.want_write() else 0)
                if served is None:
                    served = connection
                    # Else a small message waits for the acknowledgement of the one before: up to 40 ms.
                    served.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    selector.register(served, wanted)
                else:
                    selector.modify(served, wanted)
                if not self._work(selector.select(timeout=0.0 if _unread(served) else 1.0), _unread(served)):
                    return
                if not self._was_up and time.monotonic() > up_by_s:
                    self.refusal = self.refusal or "no answer from the broker"
                    return
                if self._end_by_s is not None and time.monotonic() > self._end_by_s:
                    return

    def end(self) -> bool:
        """Free what is left of it; whether it ever was up."""
        self._over = True
        self._client.on_socket_register_write = None
        rest = self._client.socket()
        if rest is not None:
            rest.close()
        self._woken.close()
        self._waker.close()
        return self._was_up

    def _work(self, ready: list[tuple[selectors.SelectorKey, int]], unread: bool) -> bool:
        """One turn: read, write, look after the keep-alive. False when the connection is over."""
        events = 0
        for key, mask in ready:
            if key.fileobj is self._woken:
                with suppress(BlockingIOError):
                    self._woken.recv(4096)
            else:
                events |= mask
        steps = [self._client.loop_misc]
        if events & selectors.EVENT_WRITE:
            steps.insert(0, self._client.loop_write)
        if events & selectors.EVENT_READ or unread:
            steps.insert(0, self._client.loop_read)
        return all(step() == MQTTErrorCode.MQTT_ERR_SUCCESS for step in steps)

    def _wake(self, *_: Any) -> None:
        with suppress(OSError):
            self._waker.send(b"x")

    def _see_off(self, _: mqtt.Client, __: Any, connection: Any) -> None:
        """Before a goodbye's socket closes, whatever is still to be read is read. A socket closed over unread bytes
        resets the connection, and the broker, which may not have read the goodbye yet, would send the will."""
        if self._end_by_s is None:
            return
        with suppress(OSError, ValueError):
            connection.settimeout(_LAST_WORDS_S)
            connection.shutdown(socket.SHUT_WR)
            while time.monotonic() < self._end_by_s and connection.recv(65536):
                pass

    def _answered(self, client: mqtt.Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self._refuse(f"refuses this user: {reason}")
        else:
            client.subscribe([(one, 1) for one in self._filters])

    def _acknowledged(self, _: mqtt.Client, __: Any, ___: int, reasons: list[ReasonCode], ____: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            self._refuse("refuses a subscription")
        elif not self._was_up:
            self._was_up = True
            self._on_up()

    def _refuse(self, what: str) -> None:
        self.refusal = f"the broker {what}"
        self._client.disconnect()

    def _arrived(self, _: mqtt.Client, __: Any, message: mqtt.MQTTMessage) -> None:
        with suppress(UnicodeDecodeError):
            self._inbox(Arrival(message.topic, bytes(message.payload), bool(message.retain)))


def _unread(connection: Any) -> bool:
    """Whether an encrypted connection has bytes decoded that no selector can see."""
    pending = getattr(connection, "pending", None)
    return pending is not None and pending() > 0

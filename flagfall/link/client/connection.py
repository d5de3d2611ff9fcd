"""One connection to a broker, from the attempt to its end: paho-mqtt's client, driven by an event loop."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import paho.mqtt.client as mqtt
from paho.mqtt.enums import MQTTErrorCode
from paho.mqtt.reasoncodes import ReasonCode

from flagfall.link.messages import LARGEST_PACKET_BYTES
from flagfall.link.topics import Arrival

# Reasons of a broker: bad user name or password, not authorised.
_UNKNOWN = (134, 135)
_UP_TIMEOUT_S = 10.0
_GOODBYE_S = 2.0
_KEEP_ALIVE_S = 1.0
# Messages that wait for the broker's acknowledgement; a round of a thousand tables needs some hundreds.
_MOST_UNANSWERED = 10_000
# Bytes that the broker has not taken yet. What is published beyond that is dropped.
_MOST_UNSENT_BYTES = 16 << 20
# Bytes received that came to no message or acknowledgement. An honest broker has at most the kernel's receive buffer
# and one packet of them; paho would keep a packet of 256 MB, or any number of messages of QoS 2.
_MOST_UNREPORTED_BYTES = 16 << 20
# Allowance for the headers of a packet and of its TLS records, with a share of the payload for more records.
_HEADER_BYTES, _HEADER_SHARE = 128, 128
# Packets read in one turn of the loop: what comes together is recorded together, and the loop goes on in time.
_MOST_PACKETS_A_TURN = 200
# An acknowledgement that the broker does not read takes about this much memory.
_UNSENT_ANSWER_BYTES = 500
# paho reads a packet in up to 100 pieces before it returns; each is at most what the kernel holds.
_RECEIVE_BUFFER_BYTES = 128 << 10
_TCP_INFO_BYTES, _BYTES_RECEIVED_AT = 136, 128  # struct tcp_info of linux/tcp.h: tcpi_bytes_received


class Connection:
    """A connection to the broker. `inbox` gets the messages that arrive, `on_up` is called once the broker
    has acknowledged the subscriptions to `filters`.

    `client` is new and has its user and will. `over` is done when the connection has ended; `refusal` says why,
    in a few words, if one side ended it on purpose. `was_up`: whether it ever was;
    `unknown_here`: the broker does not know this user with this token.
    """

    def __init__(
        self,
        client: mqtt.Client,
        filters: Sequence[str],
        inbox: Callable[[Arrival], None],
        on_up: Callable[[], None],
    ) -> None:
        self.refusal = ""
        self.was_up = False
        self.unknown_here = False
        self._loop = asyncio.get_running_loop()
        self.over: asyncio.Future[None] = self._loop.create_future()
        self._client = client
        self._filters = filters
        self._inbox = inbox
        self._on_up = on_up
        self._socket: Any = None
        self._writing = False
        self._leaving = False
        self._goodbye: socket.socket | None = None
        self._timers: dict[str, asyncio.TimerHandle] = {}
        client.on_connect = self._answered
        client.on_subscribe = self._acknowledged
        client.on_message = self._arrived
        client.on_publish = self._taken
        client.max_inflight_messages_set(_MOST_UNANSWERED)
        client.max_queued_messages_set(_MOST_UNANSWERED)
        self._packets = 0
        self._reported_bytes = 0
        self._unsent_bytes = 0

    @property
    def is_up(self) -> bool:
        return self.was_up and not self._leaving and not self.over.done()

    async def open(self, host: str, port: int, keepalive_s: int) -> None:
        """Open the connection. OSError or ValueError if there is none."""
        await asyncio.to_thread(self._client.connect, host, port, keepalive_s)
        self._socket = connection = cast(socket.socket | None, self._client.socket())
        if connection is None:
            raise ConnectionResetError("connection lost")
        # Otherwise a small message waits up to 40 ms for the acknowledgement of the one before.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER_BYTES)
        # With this set, paho leaves all writing to the loop: what is published in one turn is sent in the next.
        self._client.on_socket_register_write = self._want_write
        self._client.on_socket_close = self._keep_until_read
        self._loop.add_reader(connection, self._read)
        self._want_write()
        self._timers["up"] = self._loop.call_later(_UP_TIMEOUT_S, self._expect_up)
        self._timers["keep alive"] = self._loop.call_later(_KEEP_ALIVE_S, self._keep_alive)

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Publish a message. Return False if the connection is not up or too much is unsent: then the message
        is dropped."""
        if not self.is_up:
            return False
        if self._unsent_bytes > _MOST_UNSENT_BYTES:
            return False
        try:
            sent = self._client.publish(topic, payload, qos, retain)
        except (ValueError, OverflowError):  # an impossible topic
            return False
        self._unsent_bytes += len(payload) + _HEADER_BYTES
        return sent.rc == MQTTErrorCode.MQTT_ERR_SUCCESS

    def leave(self) -> None:
        """Disconnect; it is over when the broker has ended the connection, or does not in time."""
        if self._leaving:
            return
        self._leaving = True
        if self._socket is not None:
            self._client.disconnect()
            self._timers["goodbye"] = self._loop.call_later(_GOODBYE_S, self.give_up)

    def give_up(self, why: str = "") -> None:
        """End the connection at once."""
        self.refusal = self.refusal or why
        self._end()

    def _read(self) -> None:
        for _ in range(_MOST_PACKETS_A_TURN):
            packets = self._packets
            alive = self._took(self._client.loop_read)
            if not alive or (self._packets == packets and not _unread(self._socket)):
                break
        if self._socket is None:
            return
        if self._unread_packet_bytes() > _MOST_UNREPORTED_BYTES:
            self.give_up("the broker sends what is no message")
        elif self._unsent_bytes > 2 * _MOST_UNSENT_BYTES:
            # What is published ends at half of it: the other half is acknowledgements that the broker does not read.
            self.give_up("the broker sends and does not read")
        elif _unread(self._socket):
            self._loop.call_soon(self._read)

    def _unread_packet_bytes(self) -> int:
        """Return the number of bytes that belonged to no message or acknowledgement."""
        info = self._socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
        received = int.from_bytes(info[_BYTES_RECEIVED_AT:_TCP_INFO_BYTES], sys.byteorder)
        return received - self._reported_bytes

    def _write(self) -> None:
        if not self._took(self._client.loop_write) or self._socket is None:
            return
        self._writing = self._client.want_write()
        if not self._writing:
            self._unsent_bytes = 0
        if self._writing:
            self._loop.add_writer(self._socket, self._write)
        else:
            self._loop.remove_writer(self._socket)

    def _want_write(self, *_: Any) -> None:
        """Send at the beginning of the next turn everything that is published in this turn of the loop."""
        if not self._writing and self._socket is not None:
            self._writing = True
            self._loop.call_soon(self._write)

    def _keep_alive(self) -> None:
        if self._took(self._client.loop_misc):
            self._timers["keep alive"] = self._loop.call_later(_KEEP_ALIVE_S, self._keep_alive)

    def _took(self, step: Callable[[], MQTTErrorCode]) -> bool:
        """Do one step of paho's. Return False when the connection is over."""
        if self._socket is None:
            return False
        try:
            alive = step() == MQTTErrorCode.MQTT_ERR_SUCCESS
        except Exception as failure:  # nothing that a broker sends may end the program
            self.refusal = self.refusal or f"connection given up: {failure!r}"
            alive = False
        if not alive:
            self._end()
        return alive

    def _end(self) -> None:
        for timer in self._timers.values():
            timer.cancel()
        self._forget_socket()
        rest = self._client.socket()
        if rest is not None:
            rest.close()
        if self._goodbye is not None:
            self._loop.remove_reader(self._goodbye)
            self._goodbye.close()
            self._goodbye = None
        if not self.over.done():
            self.over.set_result(None)

    def _forget_socket(self) -> None:
        if self._socket is not None:
            self._loop.remove_reader(self._socket)
            self._loop.remove_writer(self._socket)
            self._socket = None

    def _keep_until_read(self, _: mqtt.Client, __: Any, connection: Any) -> None:
        """Keep the connection until the broker ends it; called before paho closes the socket.

        After a disconnect a second handle keeps the connection. If it were closed over unread bytes it would
        be reset, and a broker that has not read the disconnect yet would send the will.
        """
        self._forget_socket()
        if self._leaving and self._goodbye is None:
            with suppress(OSError, ValueError):
                self._goodbye = socket.socket(fileno=os.dup(connection.fileno()))
                self._goodbye.setblocking(False)
                self._goodbye.shutdown(socket.SHUT_WR)
                self._loop.add_reader(self._goodbye, self._read_to_end)

    def _read_to_end(self) -> None:
        try:
            over = self._goodbye is None or not self._goodbye.recv(65536)
        except BlockingIOError:
            return
        except OSError:
            over = True
        if over:
            self._end()

    def _expect_up(self) -> None:
        if not self.was_up:
            self.give_up("no answer from the broker")

    def _answered(self, client: mqtt.Client, _: Any, __: Any, reason: ReasonCode, ___: Any) -> None:
        if reason.is_failure:
            self.unknown_here = reason.value in _UNKNOWN
            self.give_up(f"the broker refuses this user: {str(reason).lower()}")
        else:
            client.subscribe([(filter_, 1) for filter_ in self._filters])

    def _acknowledged(self, _: mqtt.Client, __: Any, ___: int, reasons: list[ReasonCode], ____: Any) -> None:
        if any(reason.is_failure for reason in reasons):
            self.give_up("the broker refuses a subscription")
        elif not self.was_up and not self._leaving:
            self.was_up = True
            self._on_up()

    def _arrived(self, _: mqtt.Client, __: Any, message: mqtt.MQTTMessage) -> None:
        length = len(message.payload)
        self._report(length + length // _HEADER_SHARE)
        if message.qos:
            self._unsent_bytes += _UNSENT_ANSWER_BYTES
        if length > LARGEST_PACKET_BYTES:
            return
        with suppress(UnicodeDecodeError):
            if self._socket is not None:
                self._inbox(Arrival(message.topic, bytes(message.payload), message.retain))

    def _taken(self, *_: Any) -> None:
        """Count the broker's acknowledgement of a message of ours."""
        self._report(0)

    def _report(self, length: int) -> None:
        self._packets += 1
        self._reported_bytes += length + _HEADER_BYTES


def _unread(connection: Any) -> bool:
    """Return True if a TLS connection has decrypted bytes, which no selector can see."""
    pending = getattr(connection, "pending", None)
    return pending is not None and pending() > 0

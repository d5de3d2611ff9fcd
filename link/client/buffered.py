"""paho-mqtt's client with a fast path for the frequent packets: messages and their acknowledgements.

paho makes some thirty calls and takes six locks for each message, reads a packet's head byte by byte and writes each
packet alone: at a hub this is a third of the cost of a result. Here PUBLISH and PUBACK are read and written as in MQTT
3.1.1 (3.3, 3.4), many in one call; everything else (connect, will, subscriptions, pings, disconnect) is paho's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import MQTTErrorCode

from link.messages import LARGEST_PACKET_BYTES

_READ_BYTES = 262_144
"""Per call: it is parsed within one turn of the loop, a millisecond or two. A hundred results that come together are
recorded together."""
_MOST_UNANSWERED, _MOST_UNSENT_BYTES = 10_000, 16 << 20
_PUBLISH, _PUBACK, _DISCONNECT = 3, 4, 0xE0
_RETAIN, _QOS_1, _QOS_2 = 1, 2, 4


class BufferedClient(mqtt.Client):
    """For one connection with a clean session. `heard` gets topic, payload, and whether the broker had retained the
    message.

    Nothing is sent again here, so of a sent message only its number is kept, until its acknowledgement. A packet larger
    than any message is skipped. A broker that sends without reading, or with a QoS that nobody subscribed to, is
    disconnected.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.heard: Callable[[bytes, bytes, bool], None] = lambda topic, payload, retained: None
        self._came = b""
        self._passed_over = 0  # bytes of a packet that is too large which are still to come
        self._packet = b""
        self._unsent = bytearray()
        self._unanswered: set[int] = set()
        super().__init__(*arguments, **named)

    def say(self, topic: str, payload: bytes, qos: int, retain: bool) -> bool:
        """Sends with the next `loop_write`, QoS 0 or 1. False when too much is waiting: then the message is dropped."""
        if len(self._unsent) > _MOST_UNSENT_BYTES:
            return False
        name = topic.encode()
        body = len(name).to_bytes(2, "big") + name
        if qos:
            if len(self._unanswered) >= _MOST_UNANSWERED:
                return False
            number = self._mid_generate()
            self._unanswered.add(number)
            body += number.to_bytes(2, "big")
        self._unsent.append(_PUBLISH << 4 | (_QOS_1 if qos else 0) | retain)
        self._unsent += _length_of(len(body) + len(payload)) + body + payload
        return True

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Reads what has arrived, up to `_READ_BYTES`, whatever `max_packets` says."""
        try:
            came = super()._sock_recv(_READ_BYTES)
        except BlockingIOError:
            return MQTTErrorCode.MQTT_ERR_SUCCESS
        except OSError:
            came = b""
        if not came:
            return self._loop_rc_handle(MQTTErrorCode.MQTT_ERR_CONN_LOST)
        passed_over = min(self._passed_over, len(came))
        self._passed_over -= passed_over
        came = self._came + came[passed_over:]
        at, code = 0, MQTTErrorCode.MQTT_ERR_SUCCESS
        while code == MQTTErrorCode.MQTT_ERR_SUCCESS and len(came) - at > 1:
            length, body = _length_at(came, at + 1)
            if length is None:
                code = MQTTErrorCode.MQTT_ERR_PROTOCOL
                break
            end = body + length
            if not body or end > len(came):
                if length > LARGEST_PACKET_BYTES:
                    at, self._passed_over = len(came), end - len(came)
                break
            code = self._take(came[at], came, at, body, end)
            at = end
        self._came = came[at:]
        # What `say` adds ends at half of it: the other half is answers that the broker does not read.
        if len(self._unsent) > 2 * _MOST_UNSENT_BYTES:
            code = MQTTErrorCode.MQTT_ERR_PROTOCOL
        return self._loop_rc_handle(code) if code > 0 else code

    def want_write(self) -> bool:
        return bool(self._unsent) or super().want_write()

    def _take(self, first: int, data: bytes, at: int, body: int, end: int) -> MQTTErrorCode:
        """Handles the packet of `data[at:end]`, whose variable header begins at `body`."""
        kind = first >> 4
        if kind == _PUBACK and end - body == 2:
            self._unanswered.discard(int.from_bytes(data[body:end], "big"))
        elif kind == _PUBLISH:
            topic = body + 2
            rest = topic + int.from_bytes(data[body:topic], "big")
            payload = rest + 2 if first & _QOS_1 else rest
            if payload > end or first & _QOS_2:
                return MQTTErrorCode.MQTT_ERR_PROTOCOL
            self.heard(data[topic:rest], data[payload:end], bool(first & _RETAIN))
            if first & _QOS_1:
                self._unsent += b"\x40\x02" + data[rest:payload]
        else:
            self._packet = data[at:end]
            return self._packet_read()
        return MQTTErrorCode.MQTT_ERR_SUCCESS

    def _sock_recv(self, bufsize: int) -> bytes:
        """paho's read: the bytes of the packet that it is to read."""
        part, self._packet = self._packet[:bufsize], self._packet[bufsize:]
        return part

    def _sock_send(self, buf: bytes | bytearray) -> int:
        if buf[0] != _DISCONNECT:
            self._unsent += buf
            return len(buf)
        # paho closes the socket after this: nothing may be left unsent.
        self._flush()
        return super()._sock_send(buf)

    def _packet_write(self) -> MQTTErrorCode:
        code = super()._packet_write()
        if code != MQTTErrorCode.MQTT_ERR_SUCCESS or self._sock is None:
            return code
        try:
            self._flush()
        except BlockingIOError:
            return MQTTErrorCode.MQTT_ERR_AGAIN
        except OSError:
            return MQTTErrorCode.MQTT_ERR_CONN_LOST
        return code

    def _flush(self) -> None:
        """Writes everything; BlockingIOError if the network does not take it now."""
        while self._unsent:
            del self._unsent[: super()._sock_send(self._unsent)]


def _length_of(length: int) -> bytes:
    """The remaining length (2.2.3)."""
    if length < 128:
        return bytes((length,))
    return bytes((length & 127 | 128,)) + _length_of(length >> 7)


def _length_at(data: bytes, at: int) -> tuple[int | None, int]:
    """The remaining length that begins at `at`, and its end: 0 while incomplete; None if invalid."""
    length = 0
    for nth, digit in enumerate(data[at : at + 4]):
        length |= (digit & 127) << 7 * nth
        if digit < 128:
            return length, at + nth + 1
    return (None, 0) if len(data) - at >= 4 else (0, 0)

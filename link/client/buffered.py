"""paho-mqtt's client with buffers at its socket.

paho asks the system for each byte of a packet's head and hands it each packet alone: at a hub eleven calls a result,
more than half of what a result costs. Here bytes are read as they lie there, and what is said in one turn of the loop
leaves together.
"""

from __future__ import annotations

from typing import Any

import paho.mqtt.client as mqtt
from paho.mqtt.enums import MQTTErrorCode

_READ_BYTES = 16_384
"""At a time: what is read is looked at in one turn of the loop, some milliseconds at most."""
_DISCONNECT = 0xE0


class BufferedClient(mqtt.Client):
    """For one connection. `loop_read` is to be called again as long as `has_more`."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self._came, self._at = b"", 0
        self._unsent = bytearray()
        super().__init__(*arguments, **named)

    @property
    def has_more(self) -> bool:
        """Whether something was read that nobody has looked at."""
        return self._at < len(self._came)

    def want_write(self) -> bool:
        return bool(self._unsent) or super().want_write()

    def _sock_recv(self, bufsize: int) -> bytes:
        if not self.has_more:
            self._came, self._at = super()._sock_recv(max(bufsize, _READ_BYTES)), 0
        part = self._came[self._at : self._at + bufsize]
        self._at += len(part)
        return part

    def _sock_send(self, buf: bytes | bytearray) -> int:
        if buf[0] != _DISCONNECT:
            self._unsent += buf
            return len(buf)
        # paho closes the socket once this one is gone: nothing may be left behind it.
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
        """All that was said; BlockingIOError where the network does not take it now."""
        while self._unsent:
            del self._unsent[: super()._sock_send(self._unsent)]

"""Frames on their way to a host that may not be reading: whole frames are kept or dropped, and memory is bounded."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Port

ROOM = 1024
PACKET = 64
"""Always a whole USB packet, filled up with zeros, which end no frame. The interpreter calls a port writable that takes
one byte, then waits half a second for room for the others, and drops them. As long as only whole packets go out the
room left is none or a packet's."""


class Outbox:
    """Nothing is written to a port that cannot take it at once."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.dropped = 0

    def add(self, frame: bytes | bytearray) -> bool:
        """Whether the frame was taken."""
        if len(self._waiting) + len(frame) > ROOM:
            self.dropped += 1
            return False
        self._waiting += frame
        return True

    def drain(self, port: "Port") -> None:
        """Writes what the port takes now."""
        while self._waiting and port.writable():
            packet = self._waiting[:PACKET]
            port.write(packet + bytes(PACKET - len(packet)))
            self._waiting = self._waiting[PACKET:]

"""Frames on their way to a host that may not be reading: whole frames are kept or dropped, and memory is bounded."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware_py.ports import Port

ROOM = 1024
PIECE = 64
"""One USB packet: a longer write may wait for the host, and the scan must not."""


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
            port.write(self._waiting[:PIECE])
            self._waiting = self._waiting[PIECE:]

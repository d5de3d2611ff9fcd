"""The budget of what a board may send: bytes are charged before they are parsed, frames and events after.

A genuine board sends one packet of 64 bytes a scan at most, 14 kB a second, and far less on average. A program that
poses as a board, or a board with a fault, sends megabytes of valid frames: each would be judged and written to disk.

Apart from the session, so that the limits stand in one place, tried without a board.
"""

from __future__ import annotations

# Twice what a genuine board's bytes and frames cost when it sends all that its cable carries.
UNITS_PER_S = 32_000
# What a genuine board may have sent while the table's machine slept.
BURST_UNITS = 128_000
# Work of one frame, beside its bytes.
FRAME_UNITS = 64
# Work of a frame that is judged and recorded: a contact, a changed position, a fault.
EVENT_UNITS = 256


class Budget:
    """A bucket of units that fills up with time."""

    def __init__(self, now_ns: int) -> None:
        self._units = float(BURST_UNITS)
        self._filled_ns = now_ns

    def charge(self, units: int, now_ns: int) -> None:
        """Take `units` out of the bucket at `now_ns`."""
        passed_ns = max(0, now_ns - self._filled_ns)
        self._filled_ns = max(now_ns, self._filled_ns)
        self._units = min(BURST_UNITS, self._units + passed_ns * UNITS_PER_S / 1e9) - units

    @property
    def spent(self) -> bool:
        """Return True if the board has sent more than its budget."""
        return self._units < 0

"""The parts around the board as it needs them: names and shapes for the type checker, skipped by MicroPython."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable
    from typing import Protocol

    Readings = array[int]
    """64 readings of the ADC, 0..4095, by square."""
    Report = Callable[[int, int, bool, int], None]
    """(square, by disc or hand, ambiguous, instant in board time)."""

    class Sensors(Protocol):
        def power(self, group: int, on: bool) -> None:
            """Switch a group's sensors on or off; they need a third of a millisecond to wake."""

        def read(self, multiplexer: int, channel: int, adc: int) -> int:
            """Return the sensor's reading at this place, 0..4095."""

    class Electrodes(Protocol):
        def touched(self) -> tuple[int, int] | None:
            """Return rows and columns as bits, or None if the controllers do not answer."""

    class Port(Protocol):
        def receive(self) -> bytes:
            """Return what has arrived, at once."""

        def writable(self) -> bool:
            """Return whether something can be written without waiting; a packet, if only packets are."""

        def write(self, data: bytes | bytearray) -> None:
            """Write one packet of 64 bytes."""

    class Clock(Protocol):
        def us(self) -> int:
            """Return microseconds that never fall and never wrap."""

    class Store(Protocol):
        def load(self) -> str | None:
            """Return the calibration's text."""

        def save(self, text: str) -> bool:
            """Return whether the text was kept."""

    class Watchdog(Protocol):
        def feed(self) -> None: ...

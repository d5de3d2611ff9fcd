"""The Pico's own parts, each as thin as can be: pins, ADC, electrodes, USB, flash, clock, watchdog."""

import os
import select
import sys
import time

import machine

from firmware_py import hwconfig

_RESET, _RESETS = 0x80, b"\x63"
_TOUCH_COUNTS, _RELEASE_COUNTS = 12, 6
# Settings of an MPR121 after its reset (data sheet, AN3944): its baseline follows slow changes; thresholds; no debounce
# of its own, a sample of 16 uA for 0.5 us, reported every 4 ms instead of 64; currents of its own choice.
_SETTINGS = (
    (0x2B, b"\x01\x01\x0e\x00\x01\x05\x01\x00\x00\x00\x00"),
    (0x41, bytes((_TOUCH_COUNTS, _RELEASE_COUNTS)) * 8),
    (0x5B, b"\x00\x10\x20"),
    (0x7B, b"\x0b\x00\xc9\x82\xb4"),
)
# Register and value that run electrodes 0 to 7; the baseline begins with the first measurement.
_RUN, _RUNS = 0x5E, b"\x88"
_LOOK_MS = 1000
# A transfer is given up after this long: the bus is broken.
_BUS_US = 2000
_TICKS_MASK = (1 << 30) - 1


class Sensors:
    """Multiplexed Hall sensors: power and enable lines are low when on."""

    def __init__(self) -> None:
        self._power = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in hwconfig.POWER_PINS]
        self._enable = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in hwconfig.ENABLE_PINS]
        self._address = [machine.Pin(pin, machine.Pin.OUT, value=0) for pin in hwconfig.ADDRESS_PINS]
        # Bound once: looking a method up for each reading would take as long as the reading, and memory.
        self._reads = [machine.ADC(machine.Pin(pin)).read_u16 for pin in hwconfig.ADC_PINS]
        self._enabled = self._channel = 0
        self._enable[0](0)

    def power(self, group: int, on: bool) -> None:
        self._power[group](0 if on else 1)

    def read(self, multiplexer: int, channel: int, adc: int) -> int:
        """Return the mean of four readings: half of their noise. Only lines that change are set: it counts here."""
        if multiplexer != self._enabled:
            self._enable[self._enabled](1)
            self._enabled = multiplexer
            self._enable[multiplexer](0)
        changed = channel ^ self._channel
        if changed:
            self._channel = channel
            address = self._address
            if changed & 1:
                address[0](channel & 1)
            if changed & 2:
                address[1](channel & 2)
            if changed & 4:
                address[2](channel & 4)
            if changed & 8:
                address[3](channel & 8)
        read = self._reads[adc]
        # Four of 16 bits are 12 bits and six too many.
        return read() + read() + read() + read() >> 6


class Electrodes:
    """The rows and columns of electrodes on two MPR121.

    Once a second both are asked whether they still run: one that was away, or lost its settings by a dip of its supply
    (and would report no hand ever again), is started anew.
    """

    def __init__(self) -> None:
        self._bus = machine.I2C(
            0,
            scl=machine.Pin(hwconfig.SCL_PIN),
            sda=machine.Pin(hwconfig.SDA_PIN),
            freq=hwconfig.I2C_HZ,
            timeout=_BUS_US,
        )
        self._bits = bytearray(1)
        self._looked_ms = time.ticks_ms()
        self._answers = self._run()

    def _run(self) -> bool:
        """Return whether both controllers run by now."""
        try:
            for address in (hwconfig.ROWS_ADDRESS, hwconfig.COLUMNS_ADDRESS):
                self._bus.readfrom_mem_into(address, _RUN, self._bits)
                if self._bits != _RUNS:
                    self._start(address)
        except OSError:
            return False
        return True

    def _start(self, address: int) -> None:
        write = self._bus.writeto_mem
        write(address, _RESET, _RESETS)
        for register, values in _SETTINGS:
            write(address, register, values)
        write(address, _RUN, _RUNS)

    def touched(self) -> tuple[int, int] | None:
        now_ms = time.ticks_ms()
        if time.ticks_diff(now_ms, self._looked_ms) >= _LOOK_MS:
            self._looked_ms = now_ms
            self._answers = self._run()
        if not self._answers:
            return None
        try:
            self._bus.readfrom_mem_into(hwconfig.ROWS_ADDRESS, 0, self._bits)
            rows = self._bits[0]
            self._bus.readfrom_mem_into(hwconfig.COLUMNS_ADDRESS, 0, self._bits)
        except OSError:
            self._answers = False
            return None
        return rows, self._bits[0]


class UsbPort:
    """The USB serial port under the interpreter's own streams; never waits for the host."""

    def __init__(self) -> None:
        self._poll = select.poll()
        self._poll.register(sys.stdin, select.POLLIN)
        self._room = select.poll()
        self._room.register(sys.stdout, select.POLLOUT)

    def receive(self) -> bytes:
        data = b""
        while len(data) < 64 and self._poll.poll(0):
            data += sys.stdin.buffer.read(1)
        return data

    def writable(self) -> bool:
        return bool(self._room.poll(0))

    def write(self, data: bytes | bytearray) -> None:
        sys.stdout.buffer.write(data)


class Clock:
    """The clock of the board: microseconds since the start. The interpreter's ticks wrap after 18 minutes, this does
    not.
    """

    def __init__(self) -> None:
        self._ticks = time.ticks_us()
        self._us = 0

    def us(self) -> int:
        ticks = time.ticks_us()
        self._us += (ticks - self._ticks) & _TICKS_MASK
        self._ticks = ticks
        return self._us


class Store:
    """The calibration in flash, written beside the old one and then put in its place."""

    NAME = "calibration.txt"

    def load(self) -> str | None:
        try:
            with open(self.NAME) as file:  # noqa: PTH123 - MicroPython has no pathlib
                return file.read()
        except OSError:
            return None

    def save(self, text: str) -> bool:
        try:
            with open(self.NAME + ".new", "w") as file:  # noqa: PTH123
                file.write(text)
            os.rename(self.NAME + ".new", self.NAME)  # noqa: PTH104
        except OSError:
            return False
        return True


class Watchdog:
    """The timer that restarts a board whose loop stands still for two seconds: keeping a calibration in flash may take
    one.
    """

    def __init__(self) -> None:
        self._watchdog = machine.WDT(timeout=2000)

    def feed(self) -> None:
        self._watchdog.feed()

"""The Pico's own parts, each as thin as can be: pins, ADC, electrodes, USB, flash, clock, watchdog."""

import os
import select
import sys
import time

import machine

from firmware_py import hwconfig

_MPR121_RESET = 0x80
_MPR121_THRESHOLDS = 0x41
_MPR121_RUN = 0x5E
_TOUCH_COUNTS, _RELEASE_COUNTS = 12, 6
_TICKS_MASK = (1 << 30) - 1


class Sensors:
    """Multiplexed Hall sensors: power and enable lines are low when on."""

    def __init__(self) -> None:
        self._power = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in hwconfig.POWER_PINS]
        self._enable = [machine.Pin(pin, machine.Pin.OUT, value=1) for pin in hwconfig.ENABLE_PINS]
        self._address = [machine.Pin(pin, machine.Pin.OUT, value=0) for pin in hwconfig.ADDRESS_PINS]
        self._inputs = [machine.ADC(machine.Pin(pin)) for pin in hwconfig.ADC_PINS]
        self._enabled = 0

    def power(self, group: int, on: bool) -> None:
        self._power[group].value(0 if on else 1)

    def select(self, multiplexer: int, channel: int) -> None:
        if multiplexer != self._enabled:
            self._enable[self._enabled].value(1)
            self._enabled = multiplexer
        line0, line1, line2, line3 = self._address
        line0.value(channel & 1)
        line1.value(channel & 2)
        line2.value(channel & 4)
        line3.value(channel & 8)
        self._enable[multiplexer].value(0)

    def read(self, adc: int) -> int:
        return self._inputs[adc].read_u16() >> 4


class Electrodes:
    """Rows and columns of electrodes on two MPR121; asked for their touch bits only."""

    def __init__(self) -> None:
        self._bus = machine.I2C(
            0, scl=machine.Pin(hwconfig.SCL_PIN), sda=machine.Pin(hwconfig.SDA_PIN), freq=hwconfig.I2C_HZ
        )
        self._bits = bytearray(1)
        self._answers = True
        for address in (hwconfig.ROWS_ADDRESS, hwconfig.COLUMNS_ADDRESS):
            self._start(address)

    def _start(self, address: int) -> None:
        try:
            write = self._bus.writeto_mem
            write(address, _MPR121_RESET, b"\x63")
            for electrode in range(8):
                write(address, _MPR121_THRESHOLDS + 2 * electrode, bytes((_TOUCH_COUNTS, _RELEASE_COUNTS)))
            write(address, _MPR121_RUN, b"\x88")
        except OSError:
            self._answers = False

    def touched(self) -> tuple[int, int] | None:
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
    """Microseconds since the start; the interpreter's ticks wrap after 18 minutes, this does not."""

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
    """Restarts a board whose loop stands still for a second."""

    def __init__(self) -> None:
        self._watchdog = machine.WDT(timeout=1000)

    def feed(self) -> None:
        self._watchdog.feed()

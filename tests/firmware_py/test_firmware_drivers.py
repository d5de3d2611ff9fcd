"""Drivers and assembly before a chip that does what a Pico under MicroPython does, as far as its sources tell."""

from __future__ import annotations

import gc
import importlib
import random
import sys
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import firmware_py
from firmware_py import hwconfig
from firmware_py.board import Outbox
from firmware_py.scan import Scanner
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import FaultReport

ROWS, COLUMNS = hwconfig.ROWS_ADDRESS, hwconfig.COLUMNS_ADDRESS
TOUCHED, RUN, RUNNING = 0x00, 0x5E, 0x88


class Chip:
    """The pins, ADC, I2C, flash and watchdog of one Pico; `done` lists what was asked of it, in order."""

    def __init__(self) -> None:
        self.pins: dict[int, int] = {}
        self.registers: dict[int, dict[int, int]] = {ROWS: {}, COLUMNS: {}}
        self.bus_works = True
        self.bus_options: dict[str, Any] = {}
        self.ms = 5_000
        self.us = 0
        self.bootsel = False
        self.done: list[tuple[str, object]] = []

    def level(self, adc_pin: int) -> int:
        """Return what the sensor gives that the pins reach now, as 16 bits: its square, or nothing without power."""
        enabled = [number for number, pin in enumerate(hwconfig.ENABLE_PINS) if self.pins[pin] == 0]
        channel = sum((self.pins[pin] != 0) << line for line, pin in enumerate(hwconfig.ADDRESS_PINS))
        assert len(enabled) == 1, "two multiplexers on one input"
        for group, places in enumerate(hwconfig.GROUPS):
            for square, multiplexer, on, adc in places:
                if (multiplexer, on, hwconfig.ADC_PINS[adc]) == (enabled[0], channel, adc_pin):
                    return (100 + square) << 4 if self.pins[hwconfig.POWER_PINS[group]] == 0 else 0
        raise AssertionError((enabled, channel, adc_pin))

    def reset(self, address: int) -> None:
        """Make a controller lose its settings and stand still."""
        self.registers[address] = {TOUCHED: 0, RUN: 0}

    def machine(self) -> ModuleType:
        chip, module = self, ModuleType("machine")

        class Pin:
            OUT = 1

            def __init__(self, number: int, mode: int = 0, value: int | None = None) -> None:
                self.number = number
                if value is not None:
                    chip.pins[number] = value

            def value(self, level: int) -> None:
                chip.pins[self.number] = level

            __call__ = value

        class ADC:
            def __init__(self, pin: Pin) -> None:
                self._pin = pin.number

            def read_u16(self) -> int:
                return chip.level(self._pin)

        class I2C:
            def __init__(self, number: int, **options: Any) -> None:
                chip.bus_options = options

            def writeto_mem(self, address: int, register: int, data: bytes) -> None:
                if not chip.bus_works:
                    raise OSError(5)
                if (register, data) == (0x80, b"\x63"):
                    chip.reset(address)
                for offset, value in enumerate(data):
                    assert chip.registers[address].get(RUN) == 0, (
                        "settings are taken only while it stands still"
                    )
                    chip.registers[address][register + offset] = value

            def readfrom_mem_into(self, address: int, register: int, into: bytearray) -> None:
                if not chip.bus_works:
                    raise OSError(5)
                into[0] = chip.registers[address].get(register, 0)

        class WDT:
            def __init__(self, timeout: int) -> None:
                chip.done.append(("watchdog", timeout))

            def feed(self) -> None:
                chip.done.append(("feed", None))

        for name, value in {"Pin": Pin, "ADC": ADC, "I2C": I2C, "WDT": WDT, "WDT_RESET": 3}.items():
            setattr(module, name, value)
        module.unique_id = lambda: b"a pico's"  # type: ignore[attr-defined]
        module.reset_cause = lambda: 1  # type: ignore[attr-defined]
        return module


@pytest.fixture
def chip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Chip]:
    chip = Chip()
    interpreter, rp2 = ModuleType("micropython"), ModuleType("rp2")
    interpreter.kbd_intr = lambda byte: chip.done.append(("interrupt", byte))  # type: ignore[attr-defined]
    rp2.bootsel_button = lambda: chip.bootsel  # type: ignore[attr-defined]
    for name, module in {"machine": chip.machine(), "micropython": interpreter, "rp2": rp2}.items():
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(time, "ticks_ms", lambda: chip.ms, raising=False)
    monkeypatch.setattr(time, "ticks_us", lambda: chip.us & (1 << 30) - 1, raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda after, before: after - before, raising=False)
    monkeypatch.setattr(gc, "threshold", lambda size: None, raising=False)
    monkeypatch.setattr(time, "sleep_ms", lambda ms: chip.done.append(("sleep", ms)), raising=False)
    yield chip
    # The next test's chip is another one.
    for name in ("drivers", "main"):
        sys.modules.pop(f"firmware_py.{name}", None)
        vars(firmware_py).pop(name, None)


def drivers() -> Any:
    return importlib.import_module("firmware_py.drivers")


def test_every_square_is_read_through_its_pins(chip: Chip) -> None:
    # The driver's pins, the pin map's groups: wherever they disagree another square answers, or none.
    scanner = Scanner(drivers().Sensors())
    scanner.start()
    raw = array("h", [0] * 64)
    for _ in range(2):
        scanner.scan(raw)
        assert list(raw) == list(range(100, 164))


def test_hands_are_what_both_controllers_say(chip: Chip) -> None:
    electrodes = drivers().Electrodes()
    assert chip.bus_options["timeout"] <= 5_000, "a broken bus must not hold up the scan"
    for address in (ROWS, COLUMNS):
        registers = chip.registers[address]
        assert registers[RUN] == RUNNING
        assert [
            registers[0x41 + 2 * electrode] > registers[0x42 + 2 * electrode] > 0 for electrode in range(8)
        ] == [True] * 8
        assert registers[0x2B] > 0, "a baseline that does not follow takes a damp day for a hand"
        assert registers[0x5D] & 7 == 0, "told every few milliseconds, not every 64"
    chip.registers[ROWS][TOUCHED], chip.registers[COLUMNS][TOUCHED] = 1 << 4, 1 << 2
    assert electrodes.touched() == (1 << 4, 1 << 2)


@pytest.mark.parametrize("address", [ROWS, COLUMNS])
def test_a_controller_that_lost_its_settings_gets_them_again(chip: Chip, address: int) -> None:
    electrodes = drivers().Electrodes()
    chip.reset(address)
    chip.ms += 1_000
    assert electrodes.touched() == (0, 0)
    assert chip.registers[address][RUN] == RUNNING


def test_a_bus_that_failed_is_asked_again_after_a_second_and_not_before(chip: Chip) -> None:
    electrodes = drivers().Electrodes()
    chip.bus_works = False
    assert electrodes.touched() is None
    chip.bus_works = True
    chip.ms += 999
    assert electrodes.touched() is None
    chip.ms += 1
    assert electrodes.touched() == (0, 0)


def test_a_board_without_electrodes_still_starts(chip: Chip) -> None:
    chip.bus_works = False
    assert drivers().Electrodes().touched() is None


def test_time_goes_on_where_the_interpreters_count_begins_anew(chip: Chip) -> None:
    clock = drivers().Clock()
    for _ in range(5):
        before = clock.us()
        chip.us += 900_000_000
        assert clock.us() == before + 900_000_000


def test_a_calibration_is_kept_whole_or_not_at_all(
    chip: Chip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    store = drivers().Store()
    assert store.load() is None
    assert store.save("first")
    (tmp_path / "calibration.txt.new").write_text("sec")
    assert store.load() == "first"
    monkeypatch.setattr(drivers().os, "rename", lambda *names: (_ for _ in ()).throw(OSError(28)))
    assert not store.save("second")
    assert store.load() == "first"


def test_byte_three_is_data_before_the_host_can_say_it(chip: Chip, monkeypatch: pytest.MonkeyPatch) -> None:
    # A host opens the port while the program is still imported, or in the second in which BOOTSEL is looked for.
    seen = importlib.import_module("builtins").__import__

    def imported(name: str, *rest: Any) -> Any:
        if name != "micropython" and rest and rest[0] and rest[0].get("__name__") == "firmware_py.main":
            chip.done.append(("import", name))
        return seen(name, *rest)

    monkeypatch.setattr("builtins.__import__", imported)
    main = importlib.import_module("firmware_py.main")

    class Ended(Exception):
        pass

    class Board:
        def __init__(self, parts: object) -> None:
            chip.done.append(("board", None))

        def step(self) -> None:
            raise Ended

    vars(main).update(Board=Board)
    main.drivers.UsbPort = lambda: None
    with pytest.raises(Ended):
        main.run()
    assert chip.done[0] == ("interrupt", -1) and ("import", "firmware_py.board") in chip.done
    assert [step for step in chip.done if step[0] not in ("feed", "import")] == [
        ("interrupt", -1),
        ("sleep", 1000),
        ("watchdog", 2000),
        ("board", None),
    ]


def test_bootsel_leaves_the_interpreter_to_its_builder_with_its_interrupt(chip: Chip) -> None:
    chip.bootsel = True
    importlib.import_module("firmware_py.main").run()
    assert chip.done == [("interrupt", -1), ("sleep", 1000), ("interrupt", 3)]


class Cdc:
    """The interpreter's USB port: writable while one byte fits; a write that does not fit waits, and then is cut."""

    ROOM = 256

    def __init__(self) -> None:
        self.waiting = bytearray()
        self.got = bytearray()

    def receive(self) -> bytes:
        return b""

    def writable(self) -> bool:
        return len(self.waiting) < self.ROOM

    def write(self, data: bytes | bytearray) -> None:
        assert len(self.waiting) + len(data) <= self.ROOM, "the scan would stand still for half a second"
        self.waiting += data

    def host_reads(self) -> None:
        self.got += self.waiting
        self.waiting.clear()


def test_no_write_ever_waits_for_a_host_that_reads_now_and_then() -> None:
    chance = random.Random(4)
    port, outbox, decoder = Cdc(), Outbox(), Decoder()
    decoder.feed(b"\0")
    sent = []
    for number in range(3_000):
        for _ in range(chance.randrange(3)):
            frame = Frame(number, number, FaultReport(chance.randrange(9), None, chance.randrange(300)))
            if outbox.add(encode(frame)):
                sent.append(frame)
        outbox.drain(port)
        if chance.random() < 0.04:
            port.host_reads()
    for _ in range(10):
        outbox.drain(port)
        port.host_reads()
    assert decoder.feed(bytes(port.got)) == sent
    assert decoder.bad == 0
    assert outbox.dropped > 100, "the host was too slow for all, or nothing was tried here"

"""Lamps, systemd's watchdog, and the watch over the clock itself."""

from __future__ import annotations

import os
import socket
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flagfall.othello.game import Header
from flagfall.othello.referee import new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Both, Side
from table_app.health import watch
from table_app.health.clock_rate import WINDOW_NS, ClockReading, SlewWatch, both_clocks
from table_app.health.watch import HealthWatch, slowed_by, throttle_bits, throttling_in_words
from table_app.health.watchdog import Watchdog
from table_app.log import Log
from table_app.pins.lamps import PinLamps
from table_app.pins.mock import MockFactory
from table_app.screen.scanout import connected, device_of
from table_app.table_view import TableView
from table_app.tools.checks import buttons, power

GAME = new_game(Header(rulebook("woc-2019"), 30))


def test_the_lamp_of_the_running_side_is_lit() -> None:
    factory = MockFactory()
    lamps = PinLamps(factory, Both(5, 6))
    black, white = factory.pin("GPIO5"), factory.pin("GPIO6")
    states = []
    for running, swapped in ((None, False), (Side.BLACK, False), (Side.WHITE, False), (Side.WHITE, True)):
        game = replace(GAME, clock=GAME.clock.run(running, 0))
        lamps.show(TableView(game=game, swapped=swapped))
        states.append((black.state, white.state))
    lamps.show(TableView())
    states.append((black.state, white.state))
    factory.reset()
    assert states == [(0, 0), (1, 0), (0, 1), (1, 0), (0, 0)]


def test_systemd_hears_of_each_quarter_of_its_patience_and_not_more(tmp_path: Path) -> None:
    path = str(tmp_path / "n")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listener:
        listener.bind(path)
        listener.setblocking(False)
        watchdog = Watchdog({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "60000000"})
        watchdog.ready()
        for _ in range(50):
            watchdog.report_turn("fit for play")
        watchdog.stopping()
        messages = [listener.recv(99) for _ in range(4)]
        assert messages == [b"READY=1", b"STATUS=fit for play", b"WATCHDOG=1", b"STOPPING=1"]
        with pytest.raises(BlockingIOError):
            listener.recv(99)
        other = Watchdog({"NOTIFY_SOCKET": path, "WATCHDOG_USEC": "1", "WATCHDOG_PID": str(os.getpid() + 1)})
        other.report_turn()
        with pytest.raises(BlockingIOError):
            listener.recv(99)
    Watchdog({}).ready()
    Watchdog({"NOTIFY_SOCKET": str(tmp_path / "nobody")}).ready()


def test_a_slew_is_told_while_it_lasts() -> None:
    readings = iter([ClockReading(0, 0), ClockReading(WINDOW_NS // 2, WINDOW_NS // 2)])
    watch = SlewWatch(lambda: next(readings))
    assert watch.look() is None
    clocks = [ClockReading(0, 0)]
    watch = SlewWatch(lambda: clocks[0])
    clocks[0] = ClockReading(WINDOW_NS + 500_000, WINDOW_NS)
    assert watch.look() is None
    clocks[0] = ClockReading(clocks[0].monotonic_ns + WINDOW_NS + 20_000_000, 2 * WINDOW_NS)
    assert str(watch.look()) == str(watch.look()) == "Clock rate changed by +2000 ppm by time synchronisation"
    clocks[0] = ClockReading(clocks[0].monotonic_ns + WINDOW_NS, 3 * WINDOW_NS)
    assert watch.look() is None


def test_a_program_that_had_to_wait_between_two_clocks_finds_no_slew() -> None:
    waited_ns = 4_660_000
    clocks = [ClockReading(0, 0)]
    watch = SlewWatch(lambda: clocks[0])
    clocks[0] = ClockReading(WINDOW_NS + waited_ns // 2, WINDOW_NS, waited_ns)
    assert watch.look() is None
    clocks[0] = ClockReading(2 * WINDOW_NS, 2 * WINDOW_NS)
    assert watch.look() is None
    clocks[0] = ClockReading(3 * WINDOW_NS + 20_000_000, 3 * WINDOW_NS, 100_000)
    assert str(watch.look()) == "Clock rate changed by +2000 ppm by time synchronisation"


def test_the_closest_of_several_readings_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Descheduled between the first clock and the second, again and again, and then once not."""
    waits = iter([0, 9_000_000] * 3 + [0, 1_000] + [0, 9_000_000] * 30)
    now_ns = [0]

    def clock() -> int:
        now_ns[0] += next(waits)
        return now_ns[0]

    monkeypatch.setattr(time, "monotonic_ns", clock)
    monkeypatch.setattr(time, "clock_gettime_ns", lambda which: now_ns[0])
    reading = both_clocks()
    assert reading is not None and reading.within_ns == 1_000
    assert abs(reading.monotonic_ns - reading.raw_ns) <= 1_000


def test_without_a_raw_clock_nothing_is_said() -> None:
    assert SlewWatch(lambda: None).look() is None


def test_a_slowed_processor_is_told_while_it_lasts() -> None:
    assert slowed_by(0) is None
    assert str(slowed_by(0x50005)) == "Processor slowed: under-voltage; throttled"
    assert slowed_by(0x50000) is None
    assert (
        throttling_in_words(0x50000) == "under-voltage, throttled since the start"
        and throttling_in_words(0) == ""
    )


def test_the_firmwares_bits_are_read_where_there_are_any(tmp_path: Path) -> None:
    file, hwmon = tmp_path / "get_throttled", tmp_path / "hwmon"
    assert throttle_bits(file, hwmon) is None
    file.write_text("50005\n", "ascii")
    assert throttle_bits(file, hwmon) == 0x50005
    file.write_text("?", "ascii")
    assert throttle_bits(file, hwmon) is None


def sensor(hwmon: Path, folder: str, name: str, alarm: str | None) -> None:
    """Make a sensor's folder as the kernel shows it."""
    (hwmon / folder).mkdir(parents=True, exist_ok=True)
    (hwmon / folder / "name").write_text(name + "\n", "ascii")
    if alarm is not None:
        (hwmon / folder / "in0_lcrit_alarm").write_text(alarm, "ascii")


def test_under_voltage_is_seen_by_the_kernels_own_sensor(tmp_path: Path) -> None:
    # A card has Debian's kernel, which does not show the firmware's bits.
    file, hwmon = tmp_path / "get_throttled", tmp_path / "hwmon"
    sensor(hwmon, "hwmon0", "cpu_thermal", "1\n")
    assert throttle_bits(file, hwmon) is None
    sensor(hwmon, "hwmon1", "rpi_volt", "0\n")
    assert throttle_bits(file, hwmon) == 0
    sensor(hwmon, "hwmon1", "rpi_volt", "1\n")
    assert throttle_bits(file, hwmon) == 1
    assert str(slowed_by(1)) == "Processor slowed: under-voltage"
    file.write_text("50000\n", "ascii")
    assert throttle_bits(file, hwmon) == 0x50000, "the firmware's bits say more"


@pytest.mark.parametrize("alarm", [None, "", "?\n"])
def test_a_sensor_that_cannot_be_read_leaves_the_power_unknown(tmp_path: Path, alarm: str | None) -> None:
    sensor(tmp_path, "hwmon0", "rpi_volt", alarm)
    assert throttle_bits(tmp_path / "none", tmp_path) is None


def test_the_power_is_unknown_ok_or_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch.throttle_bits, "__defaults__", (tmp_path / "none", tmp_path))
    health = HealthWatch(Log())
    assert health.power == "unknown"
    health.look()
    assert (health.power, health.power_known, health.others) == ("unknown", False, ())
    assert power().what.startswith("unknown")
    sensor(tmp_path, "hwmon0", "rpi_volt", "1\n")
    health.look()
    assert (health.power, health.power_known) == ("Processor slowed: under-voltage", True)
    assert power().what == "under-voltage"
    sensor(tmp_path, "hwmon0", "rpi_volt", "0\n")
    health.look()
    assert (health.power, health.others) == ("ok", ())


class Contacts(MockFactory):  # type: ignore[misc]
    """Pins that somebody moves while the doctor looks: `moves` drives them, again and again, until it is closed."""

    def __init__(self, moves: Any) -> None:
        super().__init__()
        self._over = threading.Event()
        self._moves = moves

    def pin(self, name: Any) -> Any:
        pin = super().pin(name)
        if name == "GPIO27" and self._moves is not None:
            moves, self._moves = self._moves, None
            threading.Thread(target=self._move, args=(moves,), daemon=True).start()
        return pin

    def _move(self, moves: Any) -> None:
        while not self._over.wait(0.003):
            moves(self)

    def close(self) -> None:
        self._over.set()
        super().close()


def test_doctor_notices_a_stuck_and_a_chattering_button() -> None:
    def chatter(contacts: Contacts) -> None:
        pin = MockFactory.pin(contacts, "GPIO17")
        pin.drive_low() if pin.state else pin.drive_high()

    pins: Both[int | None] = Both(17, 27)
    assert buttons("gpio", lambda: Contacts(None), pins).ok
    check = buttons("gpio", lambda: Contacts(chatter), pins)
    assert not check.ok and "black" in check.what and "white" not in check.what

    def stuck(contacts: Contacts) -> None:
        MockFactory.pin(contacts, "GPIO27").drive_low()

    check = buttons("gpio", lambda: Contacts(stuck), pins)
    assert not check.ok and "white" in check.what


def test_doctor_waits_for_both_buttons_to_be_pressed_when_asked() -> None:
    def both(contacts: Contacts) -> None:
        for name in ("GPIO17", "GPIO27"):
            pin = MockFactory.pin(contacts, name)
            pin.drive_low() if pin.state else pin.drive_high()

    pins: Both[int | None] = Both(17, 27)
    check = buttons("gpio", lambda: Contacts(both), pins, press_within_s=60.0)
    assert check.ok and check.what == "both work: pressed and released"

    def press_white(contacts: Contacts) -> None:
        pin = MockFactory.pin(contacts, "GPIO17")
        pin.drive_low() if pin.state else pin.drive_high()

    check = buttons("gpio", lambda: Contacts(press_white), pins, press_within_s=2.0)
    assert not check.ok and check.what == "not pressed, or no wire: white"


def test_the_display_is_found_by_its_connector_whatever_its_device(tmp_path: Path) -> None:
    for name, status in (
        ("card0-HDMI-A-2", "disconnected"),
        ("card1-DSI-1", "connected"),
        ("card2-HDMI-A-1", "connected"),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "status").write_text(status + "\n", "ascii")
    (tmp_path / "card9-odd").mkdir()
    assert list(connected(tmp_path)) == [(1, "DSI-1"), (2, "HDMI-A-1")]
    assert device_of("", tmp_path) == 1 and device_of("HDMI-A-1", tmp_path) == 2
    assert device_of("HDMI-A-2", tmp_path) is None and device_of("", tmp_path / "none") is None

"""Pins through the kernel's own interface: as the mock ones do, at the kernel's instants; and a table without them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Protocol

import gpiod
import pytest
from gpiozero.exc import PinInvalidFunction, PinInvalidPin, PinInvalidPull, PinSetInput
from helpers.fake_gpio import Kernel
from helpers.waiting import PATIENCE_S, until

from flagfall.base.errors import Failed
from flagfall.base.trouble import trouble
from flagfall.othello.game import Header
from flagfall.othello.referee import new_game
from flagfall.othello.rulebook import rulebook
from flagfall.othello.side import Both, Side
from table_app import adapters
from table_app.config import load
from table_app.events import AnyEvent, ButtonDown, ButtonEdge, Part, PartTrouble, Place
from table_app.pins import keeper
from table_app.pins import kernel as pins
from table_app.pins.buttons import PinButtons
from table_app.pins.kernel import ChipFactory, chip_path
from table_app.pins.lamps import PinLamps
from table_app.pins.mock import MockFactory
from table_app.table_view import TableView
from table_app.timebase import Timebase
from table_app.tools import checks

NUMBERS = Both(17, 27)
GAME = new_game(Header(rulebook("woc-2019"), 30))
PI_4, PI_5 = "pinctrl-bcm2711", "pinctrl-rp1"


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Kernel:
    kernel = Kernel(tmp_path / "dev")
    kernel.devices.mkdir()
    monkeypatch.setattr(gpiod, "is_gpiochip_device", kernel.is_gpiochip_device)
    monkeypatch.setattr(gpiod, "Chip", kernel.chip)
    monkeypatch.setattr(pins, "chip_path", lambda wanted: chip_path(wanted, kernel.devices))
    return kernel


class Bench(Protocol):
    """A gpiozero factory, and what hangs on its pins."""

    factory: Any
    exact: bool

    def drive(self, number: int, level: int) -> None: ...

    def level(self, number: int) -> int: ...


class MockBench:
    exact = False

    def __init__(self) -> None:
        self.factory = MockFactory()

    def drive(self, number: int, level: int) -> None:
        pin = self.factory.pin(f"GPIO{number}")
        pin.drive_high() if level else pin.drive_low()

    def level(self, number: int) -> int:
        return int(self.factory.pin(f"GPIO{number}").state)


class ChipBench:
    exact = True

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.path = kernel.plug(0, PI_4)
        self.factory = ChipFactory()

    def drive(self, number: int, level: int) -> None:
        self.kernel.drive(self.path, number, level)

    def level(self, number: int) -> int:
        return self.kernel.level(self.path, number)


@pytest.fixture(params=["chip", "mock"])
def bench(request: pytest.FixtureRequest) -> Iterator[Bench]:
    bench: Bench = MockBench() if request.param == "mock" else ChipBench(request.getfixturevalue("kernel"))
    yield bench
    bench.factory.close()


def test_open_contacts_are_up_and_each_edge_comes_with_its_instant(bench: Bench) -> None:
    put: SimpleQueue[Any] = SimpleQueue()
    buttons = PinButtons(bench.factory, NUMBERS)
    assert buttons.start(put.put, lambda ns: ns) == ()
    before_ns = bench.factory.ticks()
    for level in (0, 1, 0):
        bench.drive(27, level)
    edges = [put.get(timeout=PATIENCE_S) for _ in range(3)]
    assert [(edge.place, edge.pressed) for edge in edges] == [
        (Place.RIGHT, True),
        (Place.RIGHT, False),
        (Place.RIGHT, True),
    ]
    after_ns = bench.factory.ticks()
    instants = [before_ns - 1000, *(edge.at_ns for edge in edges), after_ns + 1000]
    assert instants == sorted(instants)
    bench.drive(17, 0)
    assert put.get(timeout=PATIENCE_S).place is Place.LEFT
    buttons.close()
    bench.drive(17, 1)
    bench.drive(27, 1)
    assert put.empty()


def test_a_contact_that_was_closed_is_told_and_its_release_is_heard(bench: Bench) -> None:
    pin = bench.factory.pin("GPIO17")
    pin.function, pin.pull = "input", "up"
    bench.drive(17, 0)
    assert not pin.state
    bench.drive(17, 1)
    assert pin.state


def test_a_lamp_is_what_it_was_told_last(bench: Bench) -> None:
    lamps = PinLamps(bench.factory, Both(5, 6))
    seen = []
    for running in (None, Side.BLACK, Side.WHITE, None):
        lamps.show(TableView(game=replace(GAME, clock=GAME.clock.run(running, 0))))
        seen.append((bench.level(5), bench.level(6)))
    lamps.close()
    assert seen == [(0, 0), (1, 0), (0, 1), (0, 0)]


def test_what_a_pin_cannot_do_is_gpiozeros_own_error(bench: Bench) -> None:
    pin = bench.factory.pin("GPIO17")
    assert bench.factory.pin("GPIO17") is pin
    pin.function = "input"
    with pytest.raises(PinInvalidFunction):
        pin.function = "dance"
    with pytest.raises(PinInvalidPull):
        pin.pull = "sideways"
    with pytest.raises(PinSetInput):
        pin.state = 1
    with pytest.raises(PinInvalidPin):
        bench.factory.pin("bell")


def test_the_kernels_own_instant_is_handed_on_to_the_nanosecond(kernel: Kernel) -> None:
    bench = ChipBench(kernel)
    put: SimpleQueue[Any] = SimpleQueue()
    buttons = PinButtons(bench.factory, NUMBERS)
    buttons.start(put.put, lambda ns: ns)
    instants = [1, 86_400_000_000_123, 400 * 86_400_000_000_000 + 1]
    for level, kernel.instant_ns in enumerate(instants):
        bench.drive(17, level % 2)
    assert [put.get(timeout=PATIENCE_S).at_ns for _ in instants] == instants
    bench.factory.close()


def test_a_thousand_edges_at_once_all_come_in_their_order(kernel: Kernel) -> None:
    bench = ChipBench(kernel)
    put: SimpleQueue[Any] = SimpleQueue()
    PinButtons(bench.factory, NUMBERS).start(put.put, lambda ns: ns)
    for number in range(1000):
        kernel.instant_ns = number
        bench.drive(17, number % 2)
    assert [put.get(timeout=PATIENCE_S) for _ in range(1000)] == [
        ButtonEdge(number, Place.LEFT, number % 2 == 0) for number in range(1000)
    ]
    bench.factory.close()


def test_the_chip_is_known_by_its_label_whatever_its_number(kernel: Kernel) -> None:
    kernel.plug(0, "gpio-brcmstb@107d508500")
    fifth = kernel.plug(4, PI_5)
    usb = kernel.plug(7, "cp2102n")
    (kernel.devices / "gpiochip9").touch()
    assert chip_path("", kernel.devices) == fifth
    assert chip_path("cp2102n", kernel.devices) == chip_path(usb, kernel.devices) == usb


def test_pins_that_cannot_be_had_are_one_line_that_says_what_to_do(kernel: Kernel) -> None:
    with pytest.raises(Failed, match="expected a Raspberry Pi's pins, found none: set gpio_chip, or buttons"):
        ChipFactory()
    usb = kernel.plug(7, "cp2102n")
    with pytest.raises(Failed, match=rf"found cp2102n \({usb}\)"):
        ChipFactory()
    with pytest.raises(Failed, match="expected 'other', found"):
        ChipFactory("other")
    path = kernel.plug(0, PI_4)
    kernel.closed.add(path)
    with pytest.raises(Failed, match=f"{path} cannot be opened: install the package flagfall-table again"):
        ChipFactory()
    kernel.closed.clear()
    first, second = ChipFactory(), ChipFactory()
    assert first.pin("GPIO17").state == 0
    with pytest.raises(Failed, match=f": GPIO17 of {path}: Device or resource busy$"):
        assert second.pin("GPIO17").state
    first.close()
    assert second.pin("GPIO17").state == 0
    second.close()
    assert not kernel.requests


class Keeping:
    """A keeper of pins, and what it told."""

    def __init__(self, kernel: Kernel) -> None:
        self.inbox: SimpleQueue[AnyEvent] = SimpleQueue()
        keys = {
            "black_pin": "17",
            "white_pin": "27",
            "black_lamp": "5",
            "white_lamp": "6",
            "speech_pin": "13",
        }
        keeper = adapters.pins(load(keys, {}, None), None, self.inbox, Timebase(0))
        assert keeper is not None
        self.keeper = keeper
        self.keeper.start()

    def reason(self) -> str:
        event = self.inbox.get(timeout=PATIENCE_S)
        assert isinstance(event, PartTrouble)
        return "" if event.why is None else str(event.why)


@pytest.fixture
def keeping(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> Iterator[Keeping]:
    monkeypatch.setattr(keeper, "RETRY_S", 0.01)
    keeping = Keeping(kernel)
    yield keeping
    keeping.keeper.close()
    assert not kernel.requests and threading.active_count() < 50


def test_pins_are_tried_until_they_are_there_and_again_when_they_go(kernel: Kernel, keeping: Keeping) -> None:
    assert "found none" in keeping.reason()
    path = kernel.plug(0, PI_4)
    kernel.drive(path, 27, 0)
    down = keeping.inbox.get(timeout=PATIENCE_S)
    assert isinstance(down, ButtonDown) and down.place is Place.RIGHT
    assert keeping.reason() == ""
    kernel.drive(path, 17, 0)
    assert isinstance(keeping.inbox.get(timeout=PATIENCE_S), ButtonEdge)
    keeping.keeper.show(TableView())
    kernel.pull(path)
    assert keeping.reason() == f"The buttons do not work: {path}: No such device"
    assert "found none" in keeping.reason()
    kernel.driven.clear()
    path = kernel.plug(4, PI_5)
    assert keeping.reason() == ""
    kernel.drive(path, 17, 0)
    assert isinstance(keeping.inbox.get(timeout=PATIENCE_S), ButtonEdge)


def test_a_lamp_on_a_chip_that_is_gone_does_not_end_the_table(kernel: Kernel, keeping: Keeping) -> None:
    assert keeping.reason()
    path = kernel.plug(0, PI_4)
    assert keeping.reason() == ""
    kernel.requests[path, 5].gone = True
    keeping.keeper.show(TableView(game=replace(GAME, clock=GAME.clock.run(Side.BLACK, 0))))
    assert "No such device" in keeping.reason()
    kernel.requests.pop((path, 5), None)
    while keeping.reason():
        pass


def test_a_table_without_pins_runs_says_so_and_goes_on_when_they_come(table: Any) -> None:

    table.assign(sensors=False)
    why = trouble("pins_fail", why="nothing there: plug it in")
    table.turn(PartTrouble(Part.BUTTONS, why))
    assert table.view.no_buttons == why and why in table.view.messages
    assert not table.appliance.telling.fit
    table.turn(PartTrouble(Part.BUTTONS, None))
    assert table.view.no_buttons is None and table.appliance.telling.fit


def test_the_doctor_reads_the_same_pins(kernel: Kernel, tmp_path: Path) -> None:
    config = load({"state_dir": str(tmp_path), "black_pin": "17", "white_pin": "27"}, {}, None)

    def check() -> checks.Check:
        return checks.buttons("gpio", lambda: adapters.gpio_factory(config), Both(17, 27))

    assert "expected a Raspberry Pi's pins" in check().what
    path = kernel.plug(0, PI_4)
    assert check().ok
    kernel.drive(path, 17, 0)
    assert "black" in check().what
    until(lambda: not kernel.requests)

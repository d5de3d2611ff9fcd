"""A board that was never calibrated, led through its three steps over the cable by what its screen asks."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Empty, SimpleQueue

import pytest
from helpers.waiting import PATIENCE_S

from flagfall.link.board.faults import NO_DISC, NOT_EMPTY, REVERSED
from flagfall.link.board.messages import TOUCH_HAND
from flagfall.othello.board import START, Position, parse_square
from simulator.board_model import BoardModel, Disc, Tolerances
from simulator.firmware_body import FirmwareBody
from simulator.virtual_board import VirtualBoard
from table_app.board.driver import SerialBoard
from table_app.board.setup import BoardSetup, Calibration, CalibrationStep, Orientations, SetupView
from table_app.events import BoardFault, BoardPresence, BoardShown, BoardTouched, Event

IDENTITY = "e661385283774f2b"
ALL = (1 << 64) - 1
EMPTY, ALL_BLACK, ALL_WHITE = Position(0, 0), Position(ALL, 0), Position(0, ALL)
C4, E5, H8 = (parse_square(name) for name in ("c4", "e5", "h8"))


class Bench:
    """A table's set-up loop around a virtual board."""

    def __init__(self, path: Path, body: FirmwareBody) -> None:
        self.body = body
        self.board = VirtualBoard(path / "board", body=body)
        self.kept: list[bytes] = []
        self.places = Orientations({}, self.kept.append)
        self.port = SerialBoard(str(self.board.path), orientation=self.places.turned)
        self.setup = BoardSetup(self.port, self.places)
        self.shown: Position | None = None
        self._events: SimpleQueue[Event] = SimpleQueue()
        self.port.start(self._events.put, time.monotonic_ns)

    def until(self, holds: Callable[..., bool]) -> None:
        deadline_s = time.monotonic() + PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline_s, (self.setup.view, self.shown)
            try:
                event = self._events.get(timeout=0.05)
            except Empty:
                continue
            match event:
                case BoardPresence():
                    self.setup.presence(event)
                case BoardTouched():
                    self.setup.touched(event)
                case BoardFault():
                    self.setup.fault(event, time.monotonic_ns())
                case BoardShown(_, position):
                    self.shown = position

    def ask(self, detail: str) -> None:
        self.setup.apply_request(detail, time.monotonic_ns())

    def measure(self) -> Calibration:
        """Touch "Measure", and wait for what the board says."""
        self.ask("measure")
        self.until(lambda: self.calibration.asked_ns is None)
        return self.calibration

    @property
    def calibration(self) -> Calibration:
        assert self.setup.view is not None
        assert self.setup.view.calibration is not None
        return self.setup.view.calibration

    def close(self) -> None:
        self.port.close()
        self.board.close()
        self.body.power_off()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    body = FirmwareBody(IDENTITY, START, model=BoardModel(seed=5, tolerances=Tolerances()), stored=None)
    bench = Bench(tmp_path, body)
    yield bench
    bench.close()


def test_three_steps_calibrate_a_new_board_for_any_set_of_discs(bench: Bench) -> None:
    # Every disc laid down is another one: off the middle, its magnet stronger or weaker.
    bench.until(lambda: bench.shown is not None)
    assert bench.shown == Position(0, 0, ALL)
    bench.ask("calibrate")
    assert (bench.measure().step, {code for _, code in bench.calibration.wrong}) == (
        CalibrationStep.EMPTY,
        {NOT_EMPTY},
    )
    bench.board.set_up(EMPTY)
    assert bench.measure() == Calibration(CalibrationStep.BLACK)
    assert bench.measure() == Calibration(CalibrationStep.BLACK, wrong=((None, NO_DISC),))
    bench.board.set_up(ALL_WHITE)
    assert bench.measure() == Calibration(CalibrationStep.BLACK, wrong=((None, REVERSED),))
    bench.board.set_up(ALL_BLACK)
    assert bench.measure() == Calibration(CalibrationStep.WHITE)
    bench.board.set_up(ALL_WHITE)
    bench.body.model.put(C4, Disc(black=False, strength=-1.0))
    bench.body.model.put(E5, None)
    assert bench.measure().wrong == ((C4, REVERSED), (E5, NO_DISC))
    bench.body.model.put(C4, Disc(black=False))
    bench.body.model.put(E5, Disc(black=False))
    bench.measure()
    bench.until(lambda: bench.calibration.step is CalibrationStep.DONE)
    chance = random.Random(3)
    for _ in range(5):
        occupied = chance.getrandbits(64)
        blacks = chance.getrandbits(64) & occupied
        lies = Position(blacks, occupied & ~blacks)
        bench.board.set_up(lies)
        bench.until(lambda lies=lies: bench.shown == lies)


def test_a_pulled_cable_begins_again_and_says_so(bench: Bench) -> None:
    bench.until(lambda: bench.shown is not None)
    bench.ask("calibrate")
    bench.board.set_up(EMPTY)
    assert bench.measure().step is CalibrationStep.BLACK
    bench.board.pull()
    bench.until(lambda: bool(bench.calibration.trouble))
    assert bench.calibration.step is CalibrationStep.EMPTY


def test_the_corner_touched_says_how_the_board_lies_and_that_is_kept(bench: Bench) -> None:
    bench.until(lambda: bench.shown is not None)
    assert bench.setup.asks
    bench.ask("corner")
    bench.board.touch(H8, TOUCH_HAND)
    bench.until(lambda: bench.setup.view == SetupView(turned=True))
    assert not bench.setup.asks
    assert bench.places.turned(IDENTITY) is True
    assert b'"turned": true' in bench.kept[-1]

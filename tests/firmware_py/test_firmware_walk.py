"""The walk: no mistake of a builder passes it, and each is named; what calibration can see is refused there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from helpers.night import by_night

from flagfall.link.board import faults, messages
from flagfall.link.board.faults import fault_in_words
from flagfall.link.board.frames import Decoder, Frame, encode
from flagfall.link.board.messages import (
    WALK_BEGIN,
    WALK_SEES_NOTHING,
    WALK_VERDICT,
    Calibrate,
    FaultReport,
    SelfTest,
    Snapshot,
    Walk,
)
from flagfall.othello.board import Position, parse_square
from simulator.board_model import BoardModel, Disc, Wiring
from simulator.firmware_body import Firmware, InMicroPython, InThisProcess, calibration

IDENTITY = bytes.fromhex("e661385283774f2b")
LONGEST_WAIT_SCANS = 40
RIGHT = Wiring()


@dataclass
class Bench:
    """A board in its own time before a model, with the fingers of a builder."""

    firmware: Firmware
    model: BoardModel
    faults: list[FaultReport] = field(default_factory=list)
    others: list[messages.Message] = field(default_factory=list)
    strength: float = 1.0
    hands: tuple[int, int] = (0, 0)
    _now_us: int = 0
    _decoder: Decoder = field(default_factory=Decoder)

    def run(self, scans: int, received: bytes = b"") -> None:
        for _ in range(scans):
            self._now_us += 12_000
            out = self.firmware.step(self._now_us, self.model.readings(), *self.hands, received)
            received = b""
            for frame in self._decoder.feed(out):
                if isinstance(frame.message, FaultReport):
                    self.faults.append(frame.message)
                else:
                    self.others.append(frame.message)

    def say(self, message: messages.Message, scans: int = 3) -> list[FaultReport]:
        """Say something; return the faults that follow."""
        heard = len(self.faults)
        self.run(scans, encode(Frame(0, 0, message)))
        return self.faults[heard:]

    def codes(self, message: messages.Message, scans: int = 3) -> list[int]:
        return [fault.code for fault in self.say(message, scans)]

    def lay(self, discs: Iterable[int], black: bool = True) -> None:
        for square in range(64):
            self.model.put(square, None)
        for square in discs:
            self.model.put(square, Disc(black, strength=self.strength))

    def calibrate(self) -> bool:
        """Calibrate as a builder does; return whether the board kept it."""
        for step, (discs, black) in enumerate(((range(0), True), (range(64), True), (range(64), False))):
            self.lay(discs, black)
            if faults.STEP_DONE not in self.codes(Calibrate(step), 36):
                return False
        self.lay(())
        return faults.STEP_DONE in self.codes(Calibrate(3), 6)

    def walk(self, squares: Iterable[int] = range(64)) -> list[FaultReport]:
        """Walk over these squares as the screen leads people; return what the board reports at the verdict."""
        assert faults.WALK_BEGUN in self.codes(Walk(WALK_BEGIN))
        for square in squares:
            self.lay(())
            self.say(Walk(square), 2)
            self.lay([square], black=square % 3 > 0)
            heard = len(self.faults)
            self.run(LONGEST_WAIT_SCANS // 2)
            if not any(fault.code in faults.WALK_RESULTS for fault in self.faults[heard:]):
                assert faults.WALK_NOTHING in self.codes(Walk(WALK_SEES_NOTHING))
        self.lay(())
        return self.say(Walk(WALK_VERDICT), 6)


def bench(wiring: Wiring = RIGHT, stored: str | None = None) -> Bench:
    model = BoardModel(seed=11, wiring=wiring)
    return Bench(InThisProcess(IDENTITY, stored, 0), model)


def exchanged(first: int, second: int, count: int) -> tuple[int, ...]:
    order = list(range(count))
    order[first], order[second] = order[second], order[first]
    return tuple(order)


def answers(**chips: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    return tuple(chips.get(f"m{number}", (number,)) for number in range(4))


A1, B1, E1, E5 = (parse_square(name) for name in ("a1", "b1", "e1", "e5"))
MISTAKES = {
    "cables of strips 1 and 2": (Wiring(strips=exchanged(0, 1, 8)), "cables of strips 1 and 2 exchanged"),
    "cables of strips 3 and 7": (Wiring(strips=exchanged(2, 6, 8)), "cables of strips 3 and 7 exchanged"),
    "a reversed strip": (Wiring(reversed_strips=frozenset({4})), "strip 5 lies reversed"),
    "exchanged outputs": (Wiring(answers=answers(m0=(1,), m1=(0,))), "M0 and M1 exchanged"),
    "exchanged outputs across inputs": (Wiring(answers=answers(m1=(3,), m3=(1,))), "M1 and M3 exchanged"),
    "shorted outputs of neighbours": (Wiring(shorted=(frozenset({A1, B1}),)), "outputs of a1 and b1 shorted"),
    "shorted outputs of multiplexers": (
        Wiring(answers=answers(m2=(2, 3), m3=(2, 3))),
        "M2 and M3 answer together",
    ),
    "exchanged lines S0 and S1": (Wiring(lines=exchanged(0, 1, 4)), "S0 and S1 exchanged"),
    "exchanged lines S2 and S3": (Wiring(lines=exchanged(2, 3, 4)), "S2 and S3 exchanged"),
    "one answers as another": (Wiring(answers=answers(m1=(0,))), "M0 answers for M1"),
    "two outputs exchanged": (Wiring(outputs=((A1, B1), (B1, A1))), "outputs of a1 and b1 exchanged"),
    "two outputs of two strips exchanged": (Wiring(outputs=((A1, E5), (E5, A1))), "of a1 and e5 exchanged"),
    "three outputs in a circle": (
        Wiring(outputs=((A1, B1), (B1, E1), (E1, A1))),
        "3 outputs go round in a circle, from a1",
    ),
    "a plug shifted by one contact": (
        Wiring(outputs=tuple((8 + column, 8 + (column + 1) % 8) for column in range(8))),
        "8 outputs go round in a circle, from a2",
    ),
    "three cables in a circle": (
        Wiring(strips=(0, 2, 5, 3, 4, 1, 6, 7)),
        "cables of 3 strips go round in a circle, from strip 2",
    ),
    "all cables in a circle": (
        Wiring(strips=(1, 2, 3, 4, 5, 6, 7, 0)),
        "cables of 8 strips go round in a circle, from strip 1",
    ),
    "three multiplexers in a circle": (
        Wiring(answers=answers(m0=(1,), m1=(3,), m3=(0,))),
        "3 of M0 to M3 go round in a circle, from M0",
    ),
    "three address lines in a circle": (
        Wiring(lines=(0, 2, 3, 1)),
        "3 address lines in another order, from S1",
    ),
    "two and two address lines": (Wiring(lines=(1, 0, 3, 2)), "4 address lines in another order, from S0"),
    "all strips mirrored": (
        Wiring(reversed_strips=frozenset(range(8))),
        "all strips are mirrored, a and h exchanged",
    ),
}


# One of each kind by day; the night has the same mistakes at other places and in longer circles.
BY_DAY = (
    "cables of strips 1 and 2",
    "a reversed strip",
    "exchanged outputs",
    "shorted outputs of neighbours",
    "exchanged lines S0 and S1",
    "one answers as another",
    "two outputs exchanged",
    "three cables in a circle",
    "all strips mirrored",
)


@pytest.mark.parametrize(
    "powered",
    [
        pytest.param(False, id="exchange alone"),
        # Seen by the calibration before the walk begins.
        pytest.param(True, id="with power and inputs", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("mistake", [*BY_DAY, *by_night(*(name for name in MISTAKES if name not in BY_DAY))])
def test_no_mistake_passes_and_each_is_named(mistake: str, powered: bool) -> None:
    wiring, suspect = MISTAKES[mistake]
    board = bench(replace(wiring, powered=powered))
    if not board.calibrate():
        assert powered, "an exchange alone cannot be seen by calibration"
        assert {fault.code for fault in board.faults} & {faults.SENSOR_STUCK, faults.NOT_EMPTY}
        return
    assert faults.NOT_WALKED in board.codes(SelfTest())
    verdict = board.walk()
    lines = [fault_in_words(fault.code, fault.square, fault.detail) for fault in verdict]
    assert lines[-1].startswith("walk not passed")
    assert suspect in lines[0], lines
    assert faults.NOT_WALKED in board.codes(SelfTest()), "no self-test passes such a board"


def test_calibration_names_a_strip_whose_plug_is_turned() -> None:
    board = bench(Wiring(turned_plugs=frozenset({2})))
    assert not board.calibrate()
    assert FaultReport(faults.STRIP_SILENT, None, 2) in board.faults
    lines = [fault_in_words(fault.code, fault.square, fault.detail) for fault in board.faults]
    assert lines[1] == "suspect: strip 3 is silent: a plug turned or out, its switch, or its supply"


def test_calibration_names_no_strip_where_nobody_has_laid_a_disc() -> None:
    board = bench()
    assert faults.STEP_DONE in board.codes(Calibrate(0), 36)
    assert faults.STRIP_SILENT not in board.codes(Calibrate(1), 36)


def test_a_strip_that_dies_after_calibration_is_named() -> None:
    board = bench()
    assert board.calibrate()
    board.model.wiring = Wiring(dead=tuple((square, 2048) for square in range(8, 16)))
    assert FaultReport(faults.STRIP_SILENT, None, 1) in board.walk()


def test_a_board_that_is_right_passes_and_that_is_kept() -> None:
    board = bench()
    assert faults.NOT_CALIBRATED in board.codes(Walk(WALK_BEGIN))
    assert board.calibrate()
    assert board.walk() == [FaultReport(faults.WALK_PASSED, None, 0)]
    assert board.codes(SelfTest()) == [9]
    assert board.calibrate()
    assert faults.NOT_WALKED in board.codes(SelfTest()), "another calibration wants another walk"


def test_any_order_passes_and_a_missed_square_does_not() -> None:
    board = bench()
    assert board.calibrate()
    assert board.walk(reversed(range(1, 64)))[-1] == FaultReport(faults.WALK_FAILED, None, 1)
    board.lay(())
    board.say(Walk(A1), 2)
    board.lay([A1])
    board.run(LONGEST_WAIT_SCANS)
    assert board.say(Walk(WALK_VERDICT), 6) == [FaultReport(faults.WALK_PASSED, None, 0)]


def test_the_wrong_square_is_named_at_once_and_two_mistakes_both() -> None:
    board = bench(Wiring(strips=exchanged(0, 1, 8), reversed_strips=frozenset({5}), powered=False))
    assert board.calibrate()
    verdict = board.walk()
    assert FaultReport(faults.WALK_ELSEWHERE, A1, 8) in board.faults
    assert {fault.code for fault in verdict} == {
        faults.STRIPS_EXCHANGED,
        faults.STRIP_REVERSED,
        faults.WALK_FAILED,
    }


def test_a_walk_that_is_stopped_suspects_what_it_has_seen() -> None:
    board = bench(Wiring(strips=exchanged(0, 1, 8)))
    # With power this calibrates only if both connectors belong to one group.
    board.model.wiring = replace(board.model.wiring, powered=False)
    assert board.calibrate()
    verdict = board.walk([A1])
    assert FaultReport(faults.STRIPS_EXCHANGED, None, 0 | 1 << 8) in verdict
    assert verdict[-1] == FaultReport(faults.WALK_FAILED, None, 64)


def test_a_board_laid_the_other_way_round_is_told_so() -> None:
    board = bench()
    assert board.calibrate()
    assert faults.WALK_BEGUN in board.codes(Walk(WALK_BEGIN))
    for square in range(5):
        board.lay(())
        board.say(Walk(square), 2)
        board.lay([63 - square])
        board.run(LONGEST_WAIT_SCANS)
    assert faults.TURNED in [fault.code for fault in board.say(Walk(WALK_VERDICT), 6)]


def test_a_sensor_that_dies_at_mid_scale_after_calibration_is_reported() -> None:
    board = bench()
    assert board.calibrate()
    board.model.wiring = Wiring(dead=((E5, 2048),))
    verdict = board.walk()
    assert FaultReport(faults.SENSOR_DEAD, E5, E5) in verdict
    assert verdict[-1].code == faults.WALK_FAILED


def test_a_zero_that_has_moved_fails_the_self_test() -> None:
    board = bench()
    assert board.calibrate()
    board.walk()
    board.model.wiring = Wiring(dead=((E5, 2448),))
    assert (faults.ZERO_MOVED, E5) in [(fault.code, fault.square) for fault in board.say(SelfTest())]


def test_magnets_at_a_quarter_are_refused_by_calibration_and_reported_later() -> None:
    board = bench()
    board.strength = 0.25
    assert not board.calibrate()
    assert faults.WEAK_MAGNETS in [fault.code for fault in board.faults]
    board.strength = 1.0
    assert board.calibrate()
    board.strength = 0.25
    board.lay([E5])
    heard = len(board.faults)
    board.run(400)
    weak = [fault for fault in board.faults[heard:] if fault.code == faults.WEAK_DISC]
    assert weak
    assert {fault.square for fault in weak} == {E5}
    board.lay(())
    board.run(20)
    heard = len(board.faults)
    board.run(900)
    assert board.faults[heard:] == []


def test_a_disc_in_a_hand_or_left_where_it_was_is_not_the_next_square() -> None:
    board = bench()
    assert board.calibrate()
    board.lay([A1])
    board.say(Walk(WALK_BEGIN))
    assert board.codes(Walk(A1), LONGEST_WAIT_SCANS) == [], "it lay there before it was asked for"
    board.lay(())
    board.run(3)
    for height in (9.0, 6.0, 4.0, 2.0, 1.0):
        board.model.put(A1, Disc(True, lift_mm=height))
        heard = len(board.faults)
        board.run(3)
        assert board.faults[heard:] == []
    board.lay([A1])
    board.run(LONGEST_WAIT_SCANS)
    assert board.faults[-1] == FaultReport(faults.WALK_SEEN, A1, 0)
    # An answer that was lost is given again.
    assert board.say(Walk(A1)) == [FaultReport(faults.WALK_SEEN, A1, 0)]
    assert board.codes(Walk(B1), LONGEST_WAIT_SCANS) == []


def test_a_disc_that_comes_before_its_square_is_asked_for_counts() -> None:
    # A quick hand: the board was empty when the walk began.
    board = bench()
    assert board.calibrate()
    board.say(Walk(WALK_BEGIN))
    board.lay([A1])
    board.run(LONGEST_WAIT_SCANS)
    assert faults.WALK_SEEN in board.codes(Walk(A1))


def test_a_disc_that_comes_before_the_first_scan_of_the_walk_counts() -> None:
    # The board was empty in the scan before the walk began; nobody waits for another one.
    board = bench()
    assert board.calibrate()
    board.lay(())
    board.run(3)
    board.say(Walk(WALK_BEGIN), scans=1)
    board.lay([A1])
    assert faults.WALK_SEEN in board.codes(Walk(A1), LONGEST_WAIT_SCANS)


def test_after_the_verdict_no_disc_is_an_answer() -> None:
    board = bench()
    assert board.calibrate()
    board.say(Walk(WALK_BEGIN))
    board.say(Walk(A1))
    board.say(Walk(WALK_VERDICT))
    board.lay([A1])
    heard = len(board.faults)
    board.run(LONGEST_WAIT_SCANS)
    assert board.faults[heard:] == []


def test_a_board_without_touch_calibrates_walks_and_shows_moves() -> None:
    board = bench()
    board.hands = (255, 255)
    assert board.calibrate()
    assert board.walk() == [FaultReport(faults.WALK_PASSED, None, 0)]
    assert board.codes(SelfTest()) == [faults.NO_TOUCH, 9]
    board.lay([E5])
    board.run(400)
    shown = [message for message in board.others if isinstance(message, Snapshot)]
    assert shown[-1].position == Position(1 << E5, 0)
    assert not [fault for fault in board.faults if fault.code == 4], "what is not there does not fail"


def test_touch_that_stops_is_still_a_fault() -> None:
    board = bench(stored=calibration(BoardModel(seed=11)))
    board.run(20)
    board.hands = (255, 255)
    board.run(20)
    assert 4 in [fault.code for fault in board.faults]
    assert 4 in board.codes(SelfTest())


def test_the_walk_in_micropython(micropython: Path) -> None:
    model = BoardModel(seed=11, wiring=Wiring(strips=exchanged(0, 1, 8), powered=False))
    firmware = InMicroPython(micropython, IDENTITY, calibration(model))
    board = Bench(firmware, model)
    try:
        board.run(1)
        verdict = board.walk([A1, B1, 8, E5])
    finally:
        firmware.close()
    assert FaultReport(faults.WALK_ELSEWHERE, A1, 8) in board.faults
    assert FaultReport(faults.STRIPS_EXCHANGED, None, 1 << 8) in verdict
    assert verdict[-1] == FaultReport(faults.WALK_FAILED, None, 63)

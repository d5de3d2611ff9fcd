"""Calibration of the board, led by the table's screen: empty board, all discs black up, all white up; then the board
keeps the values.

A frozen value; instants are passed in. The board measures and judges (`firmware_py/calibrate.py`); this module asks and
listens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from flagfall.link.board.faults import FAULT_TEXTS, NOT_KEPT, STEP_DONE, STEP_REFUSED
from table_app.events import BoardFault

# One step takes the board half a second.
PATIENCE_NS = 3_000_000_000
# The most squares that a board names for one step; so many at once are a fault of the board, not of single
# squares.
EVERYWHERE = 24


class CalibrationStep(IntEnum):
    """Numbers as in the board's protocol; `DONE` is the table's own."""

    EMPTY = 0
    BLACK = 1
    WHITE = 2
    KEEP = 3
    DONE = 5


class CalibrationTrouble(IntEnum):
    """A reason for which a step failed without a wrong square."""

    NONE = 0
    SILENT = 1
    LOST = 2
    NOT_KEPT = 3


@dataclass(frozen=True, slots=True)
class Calibration:
    """The progress of a board's calibration."""

    # since when the board measures this step; None while people still move discs
    step: CalibrationStep = CalibrationStep.EMPTY
    asked_ns: int | None = None
    # (square, fault code) of the last try; square None means the whole board
    wrong: tuple[tuple[int | None, int], ...] = ()
    trouble: CalibrationTrouble = CalibrationTrouble.NONE

    def start_measuring(self, now_ns: int) -> Calibration:
        """Return the calibration while the board measures this step."""
        return Calibration(self.step, now_ns)

    def apply_report(self, fault: BoardFault) -> Calibration:
        """Return the calibration after a report of the board. Only the verdict on the measured step changes it."""
        if self.asked_ns is None:
            return self
        match fault.code:
            case code if code == STEP_DONE and fault.detail == self.step:
                return Calibration(_AFTER[self.step])
            case code if code == STEP_REFUSED and fault.detail == self.step:
                # Nothing is kept if the three steps do not fit together.
                step = CalibrationStep.EMPTY if self.step is CalibrationStep.KEEP else self.step
                return Calibration(step, wrong=_gathered(self.wrong))
            case code if code == NOT_KEPT:
                return Calibration(self.step, trouble=CalibrationTrouble.NOT_KEPT)
            case code if code in FAULT_TEXTS and fault.square is not None:
                return replace(self, wrong=(*self.wrong, (fault.square, fault.code)))
        return self

    def after_loss(self) -> Calibration:
        """Return the calibration after the board was lost, which has forgotten the steps so far."""
        return self if self.step is CalibrationStep.DONE else Calibration(trouble=CalibrationTrouble.LOST)

    def after_wait(self, now_ns: int) -> Calibration:
        if self.asked_ns is None or now_ns - self.asked_ns < PATIENCE_NS:
            return self
        return Calibration(self.step, trouble=CalibrationTrouble.SILENT)


_AFTER = {
    CalibrationStep.EMPTY: CalibrationStep.BLACK,
    CalibrationStep.BLACK: CalibrationStep.WHITE,
    CalibrationStep.WHITE: CalibrationStep.KEEP,
    CalibrationStep.KEEP: CalibrationStep.DONE,
}


def _gathered(wrong: tuple[tuple[int | None, int], ...]) -> tuple[tuple[int | None, int], ...]:
    """Return the faults; one fault on as many squares as a board can name becomes one of the whole board."""
    codes = {code for _, code in wrong}
    if len(wrong) >= EVERYWHERE and len(codes) == 1:
        return ((None, codes.pop()),)
    return wrong

"""Calibration of the board as its screen leads through it: empty, all black up, all white up, then it is kept.

A frozen value; instants come in. The board measures and judges (`firmware_py/calibrate.py`), this asks and listens.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from link.board.messages import FAULT_TEXTS, NOT_KEPT, STEP_DONE, STEP_REFUSED
from table_app.events import BoardFault

PATIENCE_NS = 3_000_000_000
"""A step takes the board half a second."""
EVERYWHERE = 24
"""As many squares as the board names for one step: then it is not the squares."""


class CalibrationStep(IntEnum):
    """As the cable numbers them. `DONE` is none of the board's."""

    EMPTY = 0
    BLACK = 1
    WHITE = 2
    KEEP = 3
    DONE = 5


class CalibrationTrouble(IntEnum):
    """Why a step failed though no square is wrong."""

    NONE = 0
    SILENT = 1
    LOST = 2
    NOT_KEPT = 3


@dataclass(frozen=True, slots=True)
class Calibration:
    """`asked_ns`: since when the board measures, None while the hands are at work. `wrong`: (square, fault code)
    of the last try; a square of None means everywhere.
    """

    step: CalibrationStep = CalibrationStep.EMPTY
    asked_ns: int | None = None
    wrong: tuple[tuple[int | None, int], ...] = ()
    trouble: CalibrationTrouble = CalibrationTrouble.NONE

    def asked(self, now_ns: int) -> Calibration:
        """The board has been told to measure this step."""
        return Calibration(self.step, now_ns)

    def heard(self, fault: BoardFault) -> Calibration:
        """After a word of the board; only the verdict on the step that it was asked for moves on."""
        if self.asked_ns is None:
            return self
        match fault.code:
            case code if code == STEP_DONE and fault.detail == self.step:
                return Calibration(_AFTER[self.step])
            case code if code == STEP_REFUSED and fault.detail == self.step:
                # Nothing is kept of three steps that do not fit together.
                step = CalibrationStep.EMPTY if self.step is CalibrationStep.KEEP else self.step
                return Calibration(step, wrong=_gathered(self.wrong))
            case code if code == NOT_KEPT:
                return Calibration(self.step, trouble=CalibrationTrouble.NOT_KEPT)
            case code if code in FAULT_TEXTS and fault.square is not None:
                return replace(self, wrong=(*self.wrong, (fault.square, fault.code)))
        return self

    def lost(self) -> Calibration:
        """The board went: it forgot the steps so far."""
        return self if self.step is CalibrationStep.DONE else Calibration(trouble=CalibrationTrouble.LOST)

    def waited(self, now_ns: int) -> Calibration:
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
    """The same fault on as many squares as are ever named is one fault."""
    codes = {code for _, code in wrong}
    if len(wrong) >= EVERYWHERE and len(codes) == 1:
        return ((None, codes.pop()),)
    return wrong

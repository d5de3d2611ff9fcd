"""The walk over a calibrated board: one disc goes from square to square, and the board names what reacts.

The board compares and suspects (`firmware_py/walk.py`); the table asks for the squares, again if nothing is heard.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum

from flagfall.link.board.faults import (
    NOT_CALIBRATED,
    NOT_KEPT,
    WALK_BEGUN,
    WALK_FAILED,
    WALK_PASSED,
    WALK_RESULTS,
    WALK_SEEN,
    WALK_SUSPECTS,
)
from flagfall.link.board.messages import WALK_BEGIN, WALK_SEES_NOTHING, WALK_VERDICT, Walk
from table_app.events import BoardFault

# A command whose answer may be lost is repeated after this long; the board answers a repeated one the same.
ASK_AGAIN_NS = 1_000_000_000
SQUARES = 64


class WalkVerdict(IntEnum):
    """The state of a walk as a whole."""

    NONE = 0  # people still move the disc
    PASSED = 1
    FAILED = 2
    LOST = 3
    UNCALIBRATED = 4
    NOT_KEPT = 5


@dataclass(frozen=True, slots=True)
class BoardWalk:
    """The progress of a walk; instants are passed in."""

    # the square that gets the disc next; `SQUARES` when all have had it or people have stopped
    square: int = 0
    begun: bool = False  # the board has begun anew
    asked_ns: int | None = None  # when the board was last told
    since_ns: int | None = None  # since when this square is asked for
    # (square, fault code, detail) of the squares that were not seen as their own
    wrong: tuple[tuple[int, int, int], ...] = ()
    # (fault code, detail) of the board's suspicions
    suspects: tuple[tuple[int, int], ...] = ()
    verdict: WalkVerdict = WalkVerdict.NONE

    @property
    def command(self) -> Walk | None:
        """The command that the board must have received by now, None after the verdict."""
        if self.verdict is not WalkVerdict.NONE:
            return None
        if not self.begun:
            return Walk(WALK_BEGIN)
        return Walk(self.square if self.square < SQUARES else WALK_VERDICT)

    def due(self, now_ns: int) -> bool:
        """Return True if the command is to be sent, for the first time or again."""
        return self.command is not None and (self.asked_ns is None or now_ns - self.asked_ns >= ASK_AGAIN_NS)

    def after_asking(self, now_ns: int) -> BoardWalk:
        """Return the walk after its command was sent."""
        return replace(self, asked_ns=now_ns, since_ns=now_ns if self.since_ns is None else self.since_ns)

    def may_see_nothing(self, now_ns: int) -> bool:
        """Return True if people may say that nothing reacts: a quick second touch would be meant for the square
        before."""
        asking = self.begun and self.square < SQUARES and self.verdict is WalkVerdict.NONE
        return asking and self.since_ns is not None and now_ns - self.since_ns >= ASK_AGAIN_NS

    def after_stop(self) -> BoardWalk:
        """Return the walk after people have stopped: the verdict on the squares so far comes next."""
        return replace(self, square=SQUARES, asked_ns=None, since_ns=None)

    def after_loss(self) -> BoardWalk:
        """Return the walk after the board was lost, which has forgotten it."""
        return self if self.verdict is not WalkVerdict.NONE else replace(self, verdict=WalkVerdict.LOST)

    def apply_report(self, fault: BoardFault) -> BoardWalk:
        """Return the walk after a report of the board."""
        if self.verdict is not WalkVerdict.NONE:
            return self
        match fault.code:
            case code if code == NOT_CALIBRATED:
                return replace(self, verdict=WalkVerdict.UNCALIBRATED)
            case code if code == WALK_BEGUN:
                return replace(self, begun=True, asked_ns=None, since_ns=None)
            case code if code in WALK_RESULTS and self.begun and fault.square == self.square:
                wrong = self.wrong
                if code != WALK_SEEN:
                    wrong = (*wrong, (self.square, code, fault.detail))
                return replace(self, square=self.square + 1, wrong=wrong, asked_ns=None, since_ns=None)
            case code if code in WALK_SUSPECTS and self.square == SQUARES:
                suspect = code, fault.detail
                return self if suspect in self.suspects else replace(self, suspects=(*self.suspects, suspect))
            case code if self.square == SQUARES and code in _VERDICTS:
                return replace(self, verdict=_VERDICTS[code])
        return self


SEES_NOTHING = Walk(WALK_SEES_NOTHING)
_VERDICTS = {WALK_PASSED: WalkVerdict.PASSED, WALK_FAILED: WalkVerdict.FAILED, NOT_KEPT: WalkVerdict.NOT_KEPT}

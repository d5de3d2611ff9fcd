"""The set-up of a board at its table: its orientation, its calibration and its walk. It runs in the loop.

The calibration has three steps, led by the screen: empty board, all discs black up, all white up; then the board keeps
the values. The board measures and judges (`firmware_py/calibrate.py`); the table asks and listens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum, StrEnum
from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct

from flagfall.base.private_file import read_json
from flagfall.base.trouble import trouble
from flagfall.link.board.eye_view import EyeView
from flagfall.link.board.faults import (
    EYE_FAULTS,
    FAULT_TEXTS,
    NOT_KEPT,
    STEP_DONE,
    STEP_REFUSED,
    STRIP_SILENT,
    WEAK_MAGNETS,
)
from flagfall.link.board.messages import (
    WALK_VERDICT,
    BoardKind,
    Calibrate,
    Corners,
    PlaceCorners,
    RawStream,
    Walk,
)
from flagfall.othello.game import Header
from table_app.board.port import BoardPort
from table_app.board.walk import SEES_NOTHING, BoardWalk, WalkVerdict
from table_app.events import BoardFault, BoardPresence, BoardTouched

A1, H8 = 0, 63
SHOW_AGAIN_NS = 1_000_000_000


class SetupTouch(StrEnum):
    """The touches of the board's set-up; `FIND` for an eye alone."""

    CORNER = "corner"
    TURNED = "turned"
    NOT_TURNED = "not_turned"
    CALIBRATE = "calibrate"
    MEASURE = "measure"
    WALK = "walk"
    NOTHING = "nothing"
    STOP = "stop"
    CLOSE = "close"
    FIND = "find"


class EyeShown(Struct, frozen=True):
    """The picture of an eye during its set-up, None before the first one; only the screen fills it in. `corners`: while
    a finger drags them."""

    view: EyeView | None = None
    corners: Corners = ()


class SetupView(Struct, frozen=True):
    """The request to the people at the board: its corner, a step of calibration, or the next square of a walk."""

    calibration: Calibration | None = None
    turned: bool | None = None  # the orientation that the last touched corner means
    eye: EyeShown | None = None  # the picture of an eye's board
    walk: BoardWalk | None = None


class BoardSetup:
    """The set-up of the connected board.

    Public attributes: `view` is the view for the screen, None while nothing is set up. `asks` is True while
    the orientation of the connected board is unknown, `missing` if the table's board is not connected,
    `uncalibrated` if the connected board is not calibrated. `trouble` is the board's fault. `kind` is
    "sensors", "eye" or "" without a board. `blind` is the reason for which an eye does not see the board,
    None otherwise. `flooded` is set while the board is shut out because it sends too much, None otherwise.
    """

    def __init__(self, board: BoardPort, orientations: Orientations, expected: bool = False) -> None:
        """Begin without a board; `expected` means that the table's settings name one."""
        self._board = board
        self._expected = expected or orientations.any
        self._orientations = orientations
        self._identity = ""
        self._present = False
        self._kind = 0
        self._calibrated = True
        self._blind = 0
        self._floods = False
        self._shown_ns: int | None = None
        self.view: SetupView | None = None
        self._work_out()

    def _work_out(self) -> None:
        """Compute the public attributes after a report of the board or a known orientation."""
        self.missing = self._expected and not self._present
        # The simulated board, without a name, has no orientation.
        self.asks = (
            self._present and self._identity != "" and self._orientations.turned(self._identity) is None
        )
        self.blind = trouble(EYE_FAULTS[self._blind]) if self._blind and not self._present else None
        self.flooded = trouble("board_floods") if self._floods and not self._present else None
        self.kind = ""
        if self._present or self._blind:
            self.kind = "eye" if self._kind == BoardKind.EYE else "sensors"
        self.uncalibrated = self._present and not self._calibrated
        self.trouble = trouble("not_calibrated") if self.uncalibrated else None
        if not self._present:
            self.trouble = self.blind or self.flooded or trouble("no_board")

    def with_orientation(self, header: Header) -> Header:
        """Return a game's header, completed with what is known of this board."""
        turned = self._orientations.turned(self._identity)
        return header if turned is None else replace(header, board_turned=turned)

    def apply_request(self, detail: str, now_ns: int) -> None:
        """Apply a touch, a `SetupTouch` by its value; another text changes nothing."""
        calibration = self.view.calibration if self.view is not None else None
        walk = self.view.walk if self.view is not None else None
        match detail:
            case SetupTouch.CORNER | SetupTouch.CALIBRATE if self._kind == BoardKind.EYE:
                self.view = SetupView(turned=self._orientations.turned(self._identity), eye=EyeShown())
                self._shown_ns = None
            case SetupTouch.FIND:
                self._board.say(PlaceCorners())
            case SetupTouch.CORNER:
                self.view = SetupView()
            case SetupTouch.TURNED | SetupTouch.NOT_TURNED if self._present:
                self._lies(detail == SetupTouch.TURNED)
            case SetupTouch.CALIBRATE:
                self.view = SetupView(Calibration())
            case SetupTouch.MEASURE if calibration is not None:
                self._measure(calibration, now_ns)
            case SetupTouch.WALK if self._kind != BoardKind.EYE:
                self.view = SetupView(walk=BoardWalk())
            case SetupTouch.NOTHING if walk is not None and walk.may_see_nothing(now_ns):
                self._board.say(SEES_NOTHING)
            case SetupTouch.STOP if walk is not None:
                self.view = SetupView(walk=walk.after_stop())
            case SetupTouch.CLOSE:
                self._close()

    def place_corners(self, corners: Corners) -> None:
        """Send the corners that a person has dragged to their places in the eye's picture."""
        self._board.say(PlaceCorners(corners))

    def presence(self, event: BoardPresence) -> None:
        self._present, self._calibrated = event.ok, event.calibrated
        self._kind, self._blind, self._floods = event.kind, 0, event.floods
        if event.ok:
            self._identity, self._expected = event.identity, True
        elif self.view is not None and self.view.calibration is not None:
            self.view = SetupView(self.view.calibration.after_loss())
        elif self.view is not None and self.view.walk is not None:
            self.view = SetupView(walk=self.view.walk.after_loss())
        self._work_out()

    def touched(self, event: BoardTouched) -> None:
        """While the corner is asked for, a touch of a1 or h8 gives the orientation; squares are named by the present
        one."""
        if self.view is None or self.view.calibration or self.view.walk or self.view.eye:
            return
        if event.square not in (A1, H8):
            return
        if self.view.turned is None:
            turned = bool(self._orientations.turned(self._identity))
            self._lies(turned != (event.square == H8))

    def fault(self, event: BoardFault, now_ns: int) -> None:
        if event.code in EYE_FAULTS:
            self._kind, self._blind = BoardKind.EYE, event.code
            self._work_out()
        if self.view is not None and self.view.walk is not None:
            self.view = SetupView(walk=self.view.walk.apply_report(event))
        if self.view is None or self.view.calibration is None:
            return
        calibration = self.view.calibration.apply_report(event)
        self.view = SetupView(calibration)
        if (
            calibration.step is CalibrationStep.KEEP
            and calibration.asked_ns is None
            and not calibration.trouble
        ):
            self._measure(calibration, now_ns)

    def pass_time(self, now_ns: int, playing: bool) -> None:
        """Let time pass at each turn. The set-up ends when a game begins."""
        if playing and self.view is not None:
            self._close()
        if self.view is not None and self.view.calibration is not None:
            self.view = SetupView(self.view.calibration.after_wait(now_ns))
        walk = self.view.walk if self.view is not None else None
        if walk is not None and walk.due(now_ns) and walk.command is not None:
            self._board.say(walk.command)
            self.view = SetupView(walk=walk.after_asking(now_ns))
        # An eye sends its pictures only while somebody looks; the request must be repeated.
        if self.view is None or self.view.eye is None:
            if self._shown_ns is not None:
                self._board.say(RawStream(False))
            self._shown_ns = None
        elif self._shown_ns is None or now_ns - self._shown_ns >= SHOW_AGAIN_NS:
            self._shown_ns = now_ns
            self._board.say(RawStream(True))

    def _close(self) -> None:
        """End the set-up. A board whose walk was broken off would take the next disc for its answer."""
        walk = self.view.walk if self.view is not None else None
        if walk is not None and walk.begun and walk.verdict is WalkVerdict.NONE:
            self._board.say(Walk(WALK_VERDICT))
        self.view = None

    def _measure(self, calibration: Calibration, now_ns: int) -> None:
        if calibration.step is not CalibrationStep.DONE and calibration.asked_ns is None:
            self._board.say(Calibrate(calibration.step))
            self.view = SetupView(calibration.start_measuring(now_ns))

    def _lies(self, turned: bool) -> None:
        self._orientations.keep(self._identity, turned)
        self._work_out()
        self.view = SetupView(turned=turned, eye=self.view.eye if self.view is not None else None)


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
    """The progress of a board's calibration; instants are passed in."""

    # since when the board measures this step; None while people still move discs
    step: CalibrationStep = CalibrationStep.EMPTY
    asked_ns: int | None = None
    # (square, fault code) of the last try; square None means the whole board
    wrong: tuple[tuple[int | None, int], ...] = ()
    # strips (from 0, as they are printed less 1) on which no square senses anything
    silent: tuple[int, ...] = ()
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
                return Calibration(step, wrong=_gathered(self.wrong), silent=self.silent)
            case code if code == NOT_KEPT:
                return Calibration(self.step, trouble=CalibrationTrouble.NOT_KEPT)
            case code if code == STRIP_SILENT:
                return replace(self, silent=(*self.silent, fault.detail & 7))
            case code if code == WEAK_MAGNETS or (code in FAULT_TEXTS and fault.square is not None):
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


# {"e661385283774f2b": {"turned": false}, ...}
ORIENTATIONS = "boards.json"
_Boards = dict[str, dict[Literal["turned"], bool]]


class Orientations:
    """The known orientations of boards, by identity. `turned` may be asked from any thread; `save` keeps the new
    content of the file."""

    def __init__(self, turned: Mapping[str, bool], save: Callable[[bytes], object] = lambda _: None) -> None:
        self._turned = dict(turned)
        self._save = save

    @property
    def any(self) -> bool:
        """Return True if this table ever had a board."""
        return bool(self._turned)

    def turned(self, identity: str) -> bool | None:
        """Return True if this board lies the other way round; None if unknown."""
        return self._turned.get(identity)

    def keep(self, identity: str, turned: bool) -> None:
        """Record this board's orientation."""
        # A new mapping: the board's thread may be reading the old one.
        self._turned = {**self._turned, identity: turned}
        boards = {board: {"turned": lies} for board, lies in sorted(self._turned.items())}
        self._save(msgspec.json.format(msgspec.json.encode(boards), indent=1) + b"\n")


def read_orientations(path: Path) -> dict[str, bool]:
    """Return the orientations on disk; empty if the file cannot be read, and the set-up then asks again."""
    return {identity: board["turned"] for identity, board in read_json(path, _Boards).items() if board}

"""The set-up of a board at its table: its orientation and its calibration. Runs in the loop, not in the screen."""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from flagfall.link.board.eye_view import EyeView
from flagfall.link.board.faults import EYE_FAULTS
from flagfall.link.board.messages import BoardKind, Calibrate, Corners, PlaceCorners, RawStream
from flagfall.link.trouble import trouble
from flagfall.othello.game import Header
from table_app.board.calibration import Calibration, CalibrationStep
from table_app.board.orientation import Orientations
from table_app.board.port import BoardPort
from table_app.events import BoardFault, BoardPresence, BoardTouched

A1, H8 = 0, 63
SHOW_AGAIN_NS = 1_000_000_000


class EyeShown(Struct, frozen=True):
    """The picture of an eye during its set-up, None before the first one; only the screen fills it in. `corners`: while
    a finger drags them."""

    view: EyeView | None = None
    corners: Corners = ()


class SetupView(Struct, frozen=True):
    """The request to the people at the board: its corner (`calibration` None) or a step of calibration."""

    calibration: Calibration | None = None
    turned: bool | None = None  # the orientation that the last touched corner means
    eye: EyeShown | None = None  # the picture of an eye's board


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
        """Apply a touch: "corner", "turned", "not_turned", "calibrate", "measure", "close", or "find" for an eye."""
        calibration = self.view.calibration if self.view is not None else None
        match detail:
            case "corner" | "calibrate" if self._kind == BoardKind.EYE:
                self.view = SetupView(turned=self._orientations.turned(self._identity), eye=EyeShown())
                self._shown_ns = None
            case "find":
                self._board.say(PlaceCorners())
            case "corner":
                self.view = SetupView()
            case "turned" | "not_turned" if self._present:
                self._lies(detail == "turned")
            case "calibrate":
                self.view = SetupView(Calibration())
            case "measure" if calibration is not None:
                self._measure(calibration, now_ns)
            case "close":
                self.view = None

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
        self._work_out()

    def touched(self, event: BoardTouched) -> None:
        """While the corner is asked for, a touch of a1 or h8 gives the orientation; squares are named by the present
        one."""
        if self.view is None or self.view.calibration or self.view.eye or event.square not in (A1, H8):
            return
        if self.view.turned is None:
            turned = bool(self._orientations.turned(self._identity))
            self._lies(turned != (event.square == H8))

    def fault(self, event: BoardFault, now_ns: int) -> None:
        if event.code in EYE_FAULTS:
            self._kind, self._blind = BoardKind.EYE, event.code
            self._work_out()
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
        if playing:
            self.view = None
        if self.view is not None and self.view.calibration is not None:
            self.view = SetupView(self.view.calibration.after_wait(now_ns))
        # An eye sends its pictures only while somebody looks; the request must be repeated.
        if self.view is None or self.view.eye is None:
            if self._shown_ns is not None:
                self._board.say(RawStream(False))
            self._shown_ns = None
        elif self._shown_ns is None or now_ns - self._shown_ns >= SHOW_AGAIN_NS:
            self._shown_ns = now_ns
            self._board.say(RawStream(True))

    def _measure(self, calibration: Calibration, now_ns: int) -> None:
        if calibration.step is not CalibrationStep.DONE and calibration.asked_ns is None:
            self._board.say(Calibrate(calibration.step))
            self.view = SetupView(calibration.start_measuring(now_ns))

    def _lies(self, turned: bool) -> None:
        self._orientations.keep(self._identity, turned)
        self._work_out()
        self.view = SetupView(turned=turned, eye=self.view.eye if self.view is not None else None)

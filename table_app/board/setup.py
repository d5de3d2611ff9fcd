"""Setting a board up at its table: which way round it lies, and its calibration. The loop's, not the screen's."""

from __future__ import annotations

from dataclasses import dataclass, replace

from link.board.messages import BoardKind
from othello.game import Header
from table_app.board.calibration import Calibration, CalibrationStep
from table_app.board.orientation import Orientations
from table_app.board.port import BoardPort
from table_app.events import BoardFault, BoardPresence, BoardTouched

A1, H8 = 0, 63


@dataclass(frozen=True, slots=True)
class SetupView:
    """What is being asked of the people at the board: its corner (`calibration` None), or the steps of calibration.

    `turned` is what the corner touched last has said.
    """

    calibration: Calibration | None = None
    turned: bool | None = None


class BoardSetup:
    """`view` is what the screen shows, None while nothing is set up."""

    def __init__(self, board: BoardPort, places: Orientations) -> None:
        self._board = board
        self._places = places
        self._identity = ""
        self._present = False
        self._kind = 0
        self._calibrated = True
        self.view: SetupView | None = None

    @property
    def asks(self) -> bool:
        """Whether the orientation of the connected board is unknown. The simulated board, without a name, has none."""
        return self._present and self._identity != "" and self._places.turned(self._identity) is None

    @property
    def uncalibrated(self) -> bool:
        """A board is there that cannot tell what lies on it."""
        return self._present and not self._calibrated

    @property
    def health(self) -> str:
        """ "ok", or in a few words what the board lacks."""
        if not self._present:
            return "no board"
        return "ok" if self._calibrated else "not calibrated"

    @property
    def kind(self) -> str:
        """What the board knows its squares by, "" while there is none."""
        if not self._present:
            return ""
        return "eye" if self._kind == BoardKind.EYE else "sensors"

    def as_it_lies(self, header: Header) -> Header:
        """A game's header with what is known of the board that lies here."""
        turned = self._places.turned(self._identity)
        return header if turned is None else replace(header, board_turned=turned)

    def requested(self, detail: str, now_ns: int) -> None:
        """What was touched: "corner", "turned", "not_turned", "calibrate", "measure" or "close"."""
        calibration = self.view.calibration if self.view is not None else None
        match detail:
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

    def presence(self, event: BoardPresence) -> None:
        self._present, self._calibrated = event.ok, event.calibrated
        self._kind = event.kind
        if event.ok:
            self._identity = event.identity
        elif self.view is not None and self.view.calibration is not None:
            self.view = SetupView(self.view.calibration.lost())

    def touched(self, event: BoardTouched) -> None:
        """While its corner is asked for, a1 or h8 says how the board lies; squares are named as it lies now."""
        if self.view is None or self.view.calibration is not None or event.square not in (A1, H8):
            return
        if self.view.turned is None:
            now = bool(self._places.turned(self._identity))
            self._lies(now != (event.square == H8))

    def fault(self, event: BoardFault, now_ns: int) -> None:
        if self.view is None or self.view.calibration is None:
            return
        calibration = self.view.calibration.heard(event)
        self.view = SetupView(calibration)
        if (
            calibration.step is CalibrationStep.KEEP
            and calibration.asked_ns is None
            and not calibration.trouble
        ):
            self._measure(calibration, now_ns)

    def passed(self, now_ns: int, playing: bool) -> None:
        """Time; and a game that has begun wants its screen."""
        if playing:
            self.view = None
        elif self.view is not None and self.view.calibration is not None:
            self.view = SetupView(self.view.calibration.waited(now_ns))

    def _measure(self, calibration: Calibration, now_ns: int) -> None:
        if calibration.step is not CalibrationStep.DONE and calibration.asked_ns is None:
            self._board.calibrate(calibration.step)
            self.view = SetupView(calibration.asked(now_ns))

    def _lies(self, turned: bool) -> None:
        self._places.lies(self._identity, turned)
        self.view = SetupView(turned=turned)

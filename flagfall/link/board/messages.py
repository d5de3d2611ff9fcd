"""The messages between board and table as values; `flagfall.link.board.frames` converts them to and from bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from flagfall.othello.board import Position

Corners = tuple[tuple[float, float], ...]

TOUCH_DISC, TOUCH_HAND, TOUCH_DROPPED = 1, 2, 3


class BoardKind(IntEnum):
    """The way in which a board senses its discs. An eye reports no touches."""

    SENSORS = 0
    EYE = 1


@dataclass(frozen=True, slots=True)
class Hello:
    """The board's identity: `identity` 16 hex digits, firmware `version`, whether every square is calibrated (an eye:
    whether it has found its board), uptime, its kind. `late_ms`: how much later than the truth the board may date a
    change; `patience_ms`: how long something may hide its squares (0: the table's own figures for a sensor board)."""

    identity: str
    version: tuple[int, int]
    calibrated: bool
    uptime_s: int
    kind: int = BoardKind.SENSORS
    late_ms: int = 0
    patience_ms: int = 0


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The settled position, the instant of its last change, and the instant up to which all changes are
    settled.

    Both instants are board time in microseconds (u32, wrapping), at most 2**30 before the frame's own.
    """

    position: Position
    changed_us: int
    settled_to_us: int


@dataclass(frozen=True, slots=True)
class Touched:
    """First contact with a square; None where the board cannot say which one of several it was.

    `contact` is TOUCH_DISC, TOUCH_HAND or TOUCH_DROPPED; `ambiguous` marks two hands over the board at once.
    """

    square: int | None
    contact: int
    ambiguous: bool = False


@dataclass(frozen=True, slots=True)
class Raw:
    """Every square's reading less its own zero, in ADC counts (12 bits), a1 to h8; black up is positive."""

    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FaultReport:
    """A fault that the board reports; codes in `flagfall.link.board.faults`, `square` None if it concerns no square."""

    code: int
    square: int | None
    detail: int = 0


@dataclass(frozen=True, slots=True)
class AskHello:
    pass


@dataclass(frozen=True, slots=True)
class AskSnapshot:
    pass


@dataclass(frozen=True, slots=True)
class RawStream:
    """Switches raw frames on or off; an eye then shows its pictures for a few seconds."""

    on: bool


@dataclass(frozen=True, slots=True)
class Calibrate:
    """One step of calibration: 0 the board is empty, 1 all discs black up, 2 all white up, 3 keep, 4
    forget.
    """

    step: int


@dataclass(frozen=True, slots=True)
class SelfTest:
    pass


# Commands of a walk beside the squares 0 to 63.
WALK_SEES_NOTHING, WALK_BEGIN, WALK_VERDICT = 64, 65, 66


@dataclass(frozen=True, slots=True)
class Walk:
    """A command of the walk: the square that gets the only disc, or one of the three commands above: no square reacts
    to the disc, begin, give the verdict."""

    command: int


@dataclass(frozen=True, slots=True)
class PlaceCorners:
    """An order to an eye: the corners of the playing surface in its picture, clockwise, as shares of its
    width and height. If they are empty, the eye looks for them itself."""

    corners: Corners = ()


@dataclass(frozen=True, slots=True)
class UnknownMessage:
    """A valid frame of an unknown type, from a newer firmware."""

    kind: int
    body: bytes


Message = (
    Hello
    | Snapshot
    | Touched
    | Raw
    | FaultReport
    | AskHello
    | AskSnapshot
    | RawStream
    | Calibrate
    | SelfTest
    | Walk
    | PlaceCorners
    | UnknownMessage
)

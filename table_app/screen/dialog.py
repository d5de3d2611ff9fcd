"""The sheet over the players' face and its touches so far, as a small frozen value.

Whatever cannot be taken back at once needs a second touch at the same place (`armed`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

from msgspec import Struct

from flagfall.othello.game import SECOND_NS, Game, Incident
from flagfall.othello.inputs import Input, Note, Ruling, Tick
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.side import Both, Side
from table_app.events import Event, ScreenInput
from table_app.judge_pin import Pins
from table_app.screen.kit.player_face import Face
from table_app.screen.kit.scene import Meaning, Rect, Scene
from table_app.screen.kit.widgets import Look
from table_app.settings import Settings
from table_app.table_view import TableView

ARMED_FOR_NS = 6 * SECOND_NS
PIN_SHEET_FOR_NS = 30 * SECOND_NS
RESIGN_HOLD_NS = 3 * SECOND_NS // 2
ACCEPT_HOLD_NS = RESIGN_HOLD_NS
# How long a resignation can be taken back by either player.
RESIGNING_FOR_NS = 10 * SECOND_NS


class Resigning(Struct, frozen=True):
    """A resignation that both players can still take back; then the referee is told."""

    side: Side
    at_ns: int
    game_id: str


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge or director who has entered a PIN for a game."""

    game_id: str
    who: str = "judge"  # goes into the rulings: "judge" or "director"
    director: bool = False  # may give the director's rulings too
    ruling: Ruling | None = None  # the last ruling
    counter: Ruling | None = None  # the ruling that would take `ruling` back


class Sheet(ABC):
    """A sheet over the players' face, one class in one file: the keys typed on it so far, its scene, and the effect of
    a touch. Without an answer of its own it fits everywhere, and a touch does nothing."""

    __slots__ = ()
    # How long it stays without a touch; None: until it is closed.
    fades_ns: ClassVar[int | None] = None

    @property
    def types_text(self) -> bool:
        """Return True while the keys of a keyboard are letters, not clock buttons."""
        return False

    @property
    def settles_ns(self) -> int | None:
        """The instant at which `settled` does something by itself."""
        return None

    def fits(self, view: TableView, another: bool) -> bool:
        """Return False if the sheet must go, because of what the table is at now; `another`: at another game."""
        return True

    @abstractmethod
    def scene(self, canvas: Canvas) -> Scene:
        """Return the sheet, () while it has nothing to show: then the players' face is shown."""

    def closed(self, dialog: Dialog, finger: Finger) -> Step:
        """Return the dialog after a touch of the cross."""
        return with_sheet(dialog, None), ()

    def touched(self, dialog: Dialog, finger: Finger) -> Step:
        """Return the dialog after any other touch, and the events for the inbox."""
        return dialog, ()

    def settled(self, dialog: Dialog, now_ns: int) -> Step:
        """Return the dialog after what time alone does to the sheet."""
        return dialog, ()


class OfPin(Sheet):
    """A sheet about the judge's PIN, which nobody leaves open."""

    __slots__ = ()
    fades_ns = PIN_SHEET_FOR_NS


@dataclass(frozen=True, slots=True)
class Dialog:
    """The state of the touchscreen: the open `sheet`, what waits for its second touch (`armed`), the instant of the
    last touch, the judge at the table. `signing`: when each player touched *Sign* for the first of two times;
    `resigning`: a resignation that can be taken back. `stopped_ns`: when the touch that asked for the PIN stopped the
    clocks, None if it did not, or the judge has taken the table since and decided."""

    sheet: Sheet | None = None
    armed: Meaning | None = None
    touched_ns: int = 0
    judge: Judge | None = None
    wrong_pins: int = 0
    locked_until_ns: int = 0
    signing: Both[int | None] = Both(None, None)
    resigning: Resigning | None = None
    stopped_ns: int | None = None

    @property
    def director(self) -> bool:
        """Return True if the director's rulings are open too."""
        return self.judge is not None and self.judge.director

    @property
    def who(self) -> str:
        """Return the judge's role, "" without a judge."""
        return "" if self.judge is None else self.judge.who


@dataclass(frozen=True, slots=True)
class Canvas:
    """The values that a sheet is drawn from, and its place."""

    view: TableView
    face: Face
    dialog: Dialog
    screen: Rect
    look: Look
    settings: Settings
    now_ns: int


@dataclass(frozen=True, slots=True)
class Finger:
    """A touch: its meaning, its instant, and what the table was at."""

    tap: Meaning
    view: TableView
    at_ns: int
    pins: Pins


Step = tuple[Dialog, tuple[Event, ...]]


def with_sheet(dialog: Dialog, sheet: Sheet | None) -> Dialog:
    """Return the dialog with another sheet, or none; the judge who has taken the table keeps it."""
    return replace(dialog, sheet=sheet, armed=None)


def has_table(dialog: Dialog, view: TableView) -> bool:
    """Return True if a judge or director has taken the table for its present game."""
    return dialog.judge is not None and dialog.judge.game_id == view.game_id


def faded(dialog: Dialog, now_ns: int) -> Dialog:
    """Forget touches that were not followed by others: the first of two touches, a half-typed PIN."""
    if dialog.armed is not None and now_ns - dialog.touched_ns >= ARMED_FOR_NS:
        dialog = replace(dialog, armed=None)
    for side in Side:
        since_ns = dialog.signing.of(side)
        if since_ns is not None and now_ns - since_ns >= ARMED_FOR_NS:
            dialog = replace(dialog, signing=dialog.signing.with_(side, None))
    fades_ns = None if dialog.sheet is None else dialog.sheet.fades_ns
    gone = fades_ns is not None and now_ns - dialog.touched_ns >= fades_ns
    return with_sheet(dialog, None) if gone else dialog


def settle_sheet(dialog: Dialog, now_ns: int) -> Step:
    """Let time do to the open sheet what it does: a move entered by hand is given to the referee."""
    return (dialog, ()) if dialog.sheet is None else dialog.sheet.settled(dialog, now_ns)


def ask_twice(dialog: Dialog, tap: Meaning, *events: Event) -> Step:
    """Return the step of a tap that is armed at the first touch and acts at the second."""
    if dialog.armed == tap:
        return replace(dialog, armed=None), events
    return replace(dialog, armed=tap), ()


def to_referee(*inputs: Input) -> tuple[Event, ...]:
    return tuple(ScreenInput(input) for input in inputs)


def to_record(at_ns: int, name: str, who: str = "", detail: str = "") -> tuple[Event, ...]:
    """Return a note for the game's record."""
    return to_referee(Tick(at_ns, Note(name, who, detail)))


def findings(game: Game | None) -> tuple[Incident, ...]:
    """Return the errors that the screen may tell: those that wait for the judge, and the one being put right.
    Where only players may name an error (usoa 7.1, 7.5) there are none before a player has named one: both
    look at this screen."""
    if game is None or (game.rules.corrected_by == "offender" and game.correction is None):
        return ()
    return game.unsettled


def open_finding(game: Game | None) -> bool:
    """Return True if an error in the last move waits for the judge, and the screen may tell it."""
    return game is not None and bool(open_errors(game)) and bool(findings(game))

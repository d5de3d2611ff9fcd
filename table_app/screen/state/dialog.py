"""What lies over the players' face and has been touched so far, as a small frozen value.

Whatever cannot be taken back at once needs a second touch at the same place (`armed`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from msgspec import Struct

from othello.board import Position
from othello.game import SECOND_NS, Game
from othello.inputs import ErrorKind, Input, Note, Ruling, Tick
from othello.judging.record import open_errors
from othello.side import Both, Side
from table_app.events import Event, ScreenInput
from table_app.loop.view import TableView
from table_app.screen.kit.scene import Tap
from table_app.screen.state.new_game import NewGame
from table_app.screen.state.transcripts import TranscriptView

ARMED_FOR_NS = 6 * SECOND_NS
PIN_SHEET_FOR_NS = 30 * SECOND_NS
WRONG_PINS_ALLOWED = 3
LOCKED_FOR_NS = 30 * SECOND_NS
RESIGN_HOLD_NS = 3 * SECOND_NS // 2
RESIGNING_FOR_NS = 10 * SECOND_NS
"""How long a resignation can be taken back by either player."""


class Sheet(StrEnum):
    """The sheets over the players' face."""

    NONE = "none"
    PIN = "pin"
    CHOOSE_PIN = "choose_pin"
    PIN_CHOSEN = "pin_chosen"
    PIN_LATER = "pin_later"
    NO_PIN = "no_pin"
    PANEL = "panel"
    NAME_ERROR = "name_error"
    STATE_SCORE = "state_score"
    NEW_GAME = "new_game"
    TRANSCRIPT = "transcript"


_PIN_SHEETS = frozenset({Sheet.PIN, Sheet.CHOOSE_PIN, Sheet.PIN_CHOSEN, Sheet.PIN_LATER, Sheet.NO_PIN})


class DialogPage(StrEnum):
    """Pages of the judge's panel."""

    JUDGE = "judge"
    CLOCK = "clock"
    BOARD = "board"
    RESULT = "result"
    TABLE = "table"
    SETTINGS = "settings"


@dataclass(frozen=True, slots=True)
class Pins:
    """The PINs of the table judge and the director, 4 to 8 digits each; "" for none. `alone`: a table without a hub,
    whose first PIN is chosen on its screen; since no director comes there, the judge's PIN then also opens what is the
    director's, unless there is a director's PIN."""

    judge: str = field(default="", repr=False)
    director: str = field(default="", repr=False)
    alone: bool = False


@dataclass(frozen=True, slots=True)
class Figures:
    """Two disc counts being typed, Black's and White's; `field` takes the next key."""

    black: str = ""
    white: str = ""
    field: int = 0

    def key(self, digit: str) -> Figures:
        if self.field == 0:
            black = (self.black + digit)[-2:]
            return Figures(black, self.white, 1 if len(black) == 2 else 0)
        return Figures(self.black, (self.white + digit)[-2:], 1)

    def erase(self) -> Figures:
        if self.field == 1 and self.white:
            return replace(self, white=self.white[:-1])
        return replace(self, black=self.black[:-1], field=0)

    def score(self) -> tuple[int, int] | None:
        """Both counts, if both are typed and possible on a board."""
        if not self.black or not self.white:
            return None
        score = int(self.black), int(self.white)
        return score if 1 <= sum(score) <= 64 else None


class Resigning(Struct, frozen=True):
    """A resignation that both players can still take back; then the referee is told."""

    side: Side
    at_ns: int
    game_id: str


@dataclass(frozen=True, slots=True)
class Dialog:
    """The state of the touchscreen.

    `taken`: the game whose judge has entered the PIN; `director`: with the director's; `who` ("judge", "director") goes
    into the rulings, "" where no PIN tells. `player`, `seconds`, `error`, `square`, `editing`, `to_move`, `pending` are
    the contents of the panel's page; `pending` is a move entered by hand that can still be undone, and its instant.
    `given` is the last ruling and `counter` the one that would take it back; `reason` goes with the next one, `typing`
    while the keyboard is open; `script` are the transcripts being compared. `first_pin` is a first PIN typed once.
    `signing`: when each player touched *Sign* for the first of two times; `resigning`: a resignation that can be taken
    back; `new_game`: the contents of the sheet of that name.
    """

    sheet: Sheet = Sheet.NONE
    by: Side | None = None
    armed: Tap | None = None
    touched_ns: int = 0
    typed: str = field(default="", repr=False)
    figures: Figures = Figures()
    page: DialogPage = DialogPage.JUDGE
    player: Side = Side.BLACK
    seconds: int = 0
    error: ErrorKind | None = None
    square: int | None = None
    editing: Position | None = None
    to_move: Side = Side.BLACK
    pending: tuple[Tap, int] | None = None
    taken: str | None = None
    director: bool = False
    who: str = ""
    given: Ruling | None = None
    counter: Ruling | None = None
    reason: str = ""
    typing: bool = False
    script: TranscriptView | None = None
    wrong_pins: int = 0
    locked_until_ns: int = 0
    first_pin: str = field(default="", repr=False)
    signing: Both[int | None] = Both(None, None)
    resigning: Resigning | None = None
    new_game: NewGame | None = None


Step = tuple[Dialog, tuple[Event, ...]]


def closed(dialog: Dialog) -> Dialog:
    """Closes every sheet; the judge who has taken the table keeps it."""
    return Dialog(
        taken=dialog.taken,
        director=dialog.director,
        who=dialog.who,
        given=dialog.given,
        counter=dialog.counter,
        wrong_pins=dialog.wrong_pins,
        locked_until_ns=dialog.locked_until_ns,
        signing=dialog.signing,
        resigning=dialog.resigning,
    )


def opened(dialog: Dialog, page: DialogPage) -> Dialog:
    return replace(closed(dialog), sheet=Sheet.PANEL, page=page)


def has_table(dialog: Dialog, view: TableView) -> bool:
    """Whether a judge or director has taken the table for its present game."""
    return dialog.taken is not None and dialog.taken == view.game_id


def faded(dialog: Dialog, now_ns: int) -> Dialog:
    """Forgets what was left untouched: the first of two touches, a half-typed PIN."""
    if dialog.armed is not None and now_ns - dialog.touched_ns >= ARMED_FOR_NS:
        dialog = replace(dialog, armed=None)
    for side in Side:
        since_ns = dialog.signing.of(side)
        if since_ns is not None and now_ns - since_ns >= ARMED_FOR_NS:
            dialog = replace(dialog, signing=dialog.signing.with_(side, None))
    if dialog.sheet in _PIN_SHEETS and now_ns - dialog.touched_ns >= PIN_SHEET_FOR_NS:
        return closed(dialog)
    return dialog


def ask_twice(dialog: Dialog, tap: Tap, *events: Event) -> Step:
    """Arms at the first touch, acts at the second."""
    if dialog.armed == tap:
        return replace(dialog, armed=None), events
    return replace(dialog, armed=tap), ()


def given(*inputs: Input) -> tuple[Event, ...]:
    return tuple(ScreenInput(one) for one in inputs)


def noted(at_ns: int, what: str, who: str = "", detail: str = "") -> tuple[Event, ...]:
    """A note for the game's record."""
    return given(Tick(at_ns, Note(what, who, detail)))


def typed_figures(figures: Figures, tap: Tap) -> Figures:
    """The two counts after a key, an erasure or a change of field."""
    match tap.what:
        case "key":
            return figures.key(tap.value)
        case "erase":
            return figures.erase()
        case "field":
            return replace(figures, field=int(tap.value))
    return figures


def open_finding(game: Game | None) -> bool:
    """The error in the last move that waits for the judge."""
    return game is not None and bool(open_errors(game))

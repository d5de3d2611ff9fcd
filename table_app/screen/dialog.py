"""The sheet over the players' face and its touches so far, as a small frozen value.

Whatever cannot be taken back at once needs a second touch at the same place (`armed`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from msgspec import Struct

from flagfall.othello.board import Position, TranscriptStage, format_transcript, gives, stages
from flagfall.othello.game import SECOND_NS, Game, Incident
from flagfall.othello.inputs import Called, ErrorKind, Input, Note, Ruling, Tick
from flagfall.othello.reading.last_move import open_errors
from flagfall.othello.side import Both, Side
from table_app.events import Event, GameChosen, ScreenInput
from table_app.local_game import LONGEST_NAME, MINUTES, LocalSetup, setup_of
from table_app.screen.kit.scene import Tap
from table_app.screen.kit.widgets import capital_at_word, text_after
from table_app.table_view import TableView

ARMED_FOR_NS = 6 * SECOND_NS
PIN_SHEET_FOR_NS = 30 * SECOND_NS
WRONG_PINS_ALLOWED = 3
LOCKED_FOR_NS = 30 * SECOND_NS
RESIGN_HOLD_NS = 3 * SECOND_NS // 2
ACCEPT_HOLD_NS = RESIGN_HOLD_NS
# How long a resignation can be taken back by either player.
RESIGNING_FOR_NS = 10 * SECOND_NS
MINUTES_OFFERED = (3, 5, 15, 20, 30)
SECONDS_OFFERED = (0, 2, 3, 5, 10)
# Of a count-down; 0: none.
COUNT_DOWNS_OFFERED = (0, 10, 20, 30, 60)


class DialogPage(StrEnum):
    """Pages of the judge's panel."""

    JUDGE = "judge"
    CLOCK = "clock"
    BOARD = "board"
    RESULT = "result"
    TABLE = "table"
    SETTINGS = "settings"


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
        """Return both counts if both are typed and possible on a board."""
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
class PinPad:
    """The PIN is being typed; `page` opens after it."""

    page: DialogPage = DialogPage.JUDGE
    typed: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class FirstPin:
    """The first PIN of a table without a hub is being typed, twice; `first` the first time, which `differed` from the
    second."""

    typed: str = field(default="", repr=False)
    first: str = field(default="", repr=False)
    differed: bool = False


class PinNews(StrEnum):
    """The reason for which there is no judge's PIN."""

    LATER = "later"
    NONE = "none"


class NamedError(Struct, frozen=True):
    """A player demands a correction and names the error; an illegal pass needs a square too."""

    by: Side
    error: ErrorKind | None = None


class StatedScore(Struct, frozen=True):
    """A player states the discs counted."""

    by: Side
    figures: Figures = Figures()


class NamedFlag(Struct, frozen=True):
    """A player speaks of a fallen flag: the opponent's, or their own."""

    by: Side


class HiddenDisc(Struct, frozen=True):
    """The draw of the colours so far. Sides are those of the header, which are not yet colours."""

    hider: Side | None = None
    called: Called | None = None
    shown: Side | None = None  # the colour on top
    draw_win_taken: bool = False  # the picker wins a draw, and the other player names a colour

    @property
    def chooser(self) -> Side | None:
        """The player who chooses next: the picker, and after a draw-win the other."""
        picker = self.picker
        return picker.other if picker is not None and self.draw_win_taken else picker

    @property
    def picker(self) -> Side | None:
        """The player who takes one of two rights, None where the call decides the colour."""
        if self.hider is None or self.called in (None, Called.TOP, Called.BOTTOM):
            return None
        return self.hider.other if self.called.value == self.shown else self.hider

    @property
    def colour_called(self) -> Side | None:
        """The colour of the face that was called."""
        if self.shown is None or self.called not in (Called.TOP, Called.BOTTOM):
            return None
        return self.shown if self.called is Called.TOP else self.shown.other


class Transcript(Struct, frozen=True):
    """The transcript of a signed game."""


class EventPage(Struct, frozen=True):
    """The event's page as a QR code, after a game."""


class Choosing(StrEnum):
    """The question of the sheet."""

    ALL = "all"
    NAME = "name"
    TYPED_NAME = "typed_name"
    MINUTES = "minutes"


@dataclass(frozen=True, slots=True)
class NewGame:
    """The sheet that chooses the next game of a table without a hub."""

    setup: LocalSetup
    choosing: Choosing = Choosing.ALL
    place: str = ""  # the player whose name is asked for, "left" or "right"
    typed: str = ""  # the typed part of a name or of minutes

    @property
    def minutes_typed(self) -> int | None:
        """Return the typed minutes, None while they are no valid time."""
        minutes = int(self.typed) if self.typed else 0
        return minutes if minutes in MINUTES else None


@dataclass(frozen=True, slots=True)
class TranscriptView:
    """The transcript in the judge's panel: the table's own, stepped through to the position, or one of the players',
    typed in when they disagree (woc-2019 IV.2, IV.5.3)."""

    owner: Side | None = None  # the player whose transcript is shown, None for the table's own
    step: int = 0  # how many of its moves are shown
    typed: Both[tuple[int, ...]] = Both((), ())

    def moves(self, game: Game) -> tuple[int, ...]:
        return game.moves if self.owner is None else self.typed.of(self.owner)

    def stage(self, game: Game) -> TranscriptStage:
        """Return the transcript that is shown now."""
        line = stages(self.moves(game))
        return line[min(self.step, len(line) - 1)]

    def impossible(self, game: Game) -> int | None:
        """Return the number of the first impossible move, None if all are possible."""
        moves = self.moves(game)
        line = stages(moves)
        return len(line) if len(line) <= len(moves) else None

    def to_move(self, game: Game) -> Side:
        """Return the player who would be to move in the position shown."""
        black = self.stage(game).black_to_move
        if black is None:
            return game.to_move
        return Side.BLACK if game.plays_black(Side.BLACK) == black else Side.WHITE


@dataclass(frozen=True, slots=True)
class Panel:
    """The judge's panel. `player` to `to_move` and `figures` are its page's contents; `pending` is a move entered by
    hand that can still be undone, and its instant. `reason` goes with the next ruling, `typing` while the keyboard is
    open; `script` are the transcripts being compared. `asks_flag`: a count was typed, and the judge is asked whether a
    flag fell before the last move was complete."""

    page: DialogPage = DialogPage.JUDGE
    player: Side = Side.BLACK
    seconds: int = 0
    error: ErrorKind | None = None
    square: int | None = None
    editing: Position | None = None
    to_move: Side = Side.BLACK
    pending: tuple[Tap, int] | None = None
    figures: Figures = Figures()
    reason: str = ""
    typing: bool = False
    script: TranscriptView | None = None
    asks_flag: bool = False

    def cleared(self) -> Panel:
        """Return the panel without the choices for a ruling."""
        return Panel(self.page, self.player, to_move=self.to_move, pending=self.pending)


# What can lie over the players' face.
Sheet = (
    PinPad
    | FirstPin
    | PinNews
    | HiddenDisc
    | NamedError
    | NamedFlag
    | StatedScore
    | NewGame
    | Transcript
    | EventPage
    | Panel
)


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge or director who has entered a PIN for a game."""

    game_id: str
    who: str = "judge"  # goes into the rulings: "judge" or "director"
    director: bool = False  # may give the director's rulings too
    ruling: Ruling | None = None  # the last ruling
    counter: Ruling | None = None  # the ruling that would take `ruling` back


@dataclass(frozen=True, slots=True)
class Dialog:
    """The state of the touchscreen: the open `sheet`, what waits for its second touch (`armed`), the instant of the
    last touch, the judge at the table. `signing`: when each player touched *Sign* for the first of two times;
    `resigning`: a resignation that can be taken back. `stopped_ns`: when the touch that asked for the PIN stopped the
    clocks, None if it did not, or the judge has taken the table since and decided."""

    sheet: Sheet | None = None
    armed: Tap | None = None
    touched_ns: int = 0
    judge: Judge | None = None
    wrong_pins: int = 0
    locked_until_ns: int = 0
    signing: Both[int | None] = Both(None, None)
    resigning: Resigning | None = None
    stopped_ns: int | None = None

    @property
    def panel(self) -> Panel:
        """The judge's panel, a new one if it is not open."""
        return self.sheet if isinstance(self.sheet, Panel) else Panel()

    @property
    def director(self) -> bool:
        """Return True if the director's rulings are open too."""
        return self.judge is not None and self.judge.director

    @property
    def who(self) -> str:
        """Return the judge's role, "" without a judge."""
        return "" if self.judge is None else self.judge.who


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
    of_pin = isinstance(dialog.sheet, PinPad | FirstPin | PinNews)
    return with_sheet(dialog, None) if of_pin and now_ns - dialog.touched_ns >= PIN_SHEET_FOR_NS else dialog


def ask_twice(dialog: Dialog, tap: Tap, *events: Event) -> Step:
    """Return the step of a tap that is armed at the first touch and acts at the second."""
    if dialog.armed == tap:
        return replace(dialog, armed=None), events
    return replace(dialog, armed=tap), ()


def to_referee(*inputs: Input) -> tuple[Event, ...]:
    return tuple(ScreenInput(input) for input in inputs)


def to_record(at_ns: int, name: str, who: str = "", detail: str = "") -> tuple[Event, ...]:
    """Return a note for the game's record."""
    return to_referee(Tick(at_ns, Note(name, who, detail)))


def typed_figures(figures: Figures, tap: Tap) -> Figures:
    """Return the two counts after a key, an erasure or a change of field."""
    match tap.action:
        case "key":
            return figures.key(tap.value)
        case "erase":
            return figures.erase()
        case "field":
            return replace(figures, field=int(tap.value))
    return figures


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


def proposed_game(game: Game | None, swapped: bool) -> NewGame | None:
    """Return a set-up like the last game's; None if there was none."""
    return None if game is None else NewGame(setup_of(game.header, swapped))


def new_game_touched(
    sheet: NewGame, tap: Tap, names: tuple[str, ...], at_ns: int
) -> tuple[NewGame | None, tuple[Event, ...]]:
    """Return the sheet after a touch, None once it is closed, and the chosen game. Without `names` to
    propose, the keyboard opens."""
    setup = sheet.setup
    match tap.action:
        case "close":
            return (None if sheet.choosing is Choosing.ALL else NewGame(setup)), ()
        case "play":
            return None, (GameChosen(at_ns, setup),)
        case "rulebook":
            setup = setup.by_rulebook(tap.value)
        case "minutes" if tap.value:
            setup = replace(setup, minutes=int(tap.value))
        case "minutes":
            return NewGame(setup, Choosing.MINUTES), ()
        case "per_move":
            setup = replace(setup, increment_s=int(tap.value))
        case "byoyomi":
            setup = replace(setup, byoyomi_s=int(tap.value))
        case "judged":
            setup = replace(setup, judged=tap.value == "yes")
        case "colours":
            setup = replace(setup, black_left=not setup.black_left)
        case "seats":
            setup = setup.seats_changed()
        case "name":
            return NewGame(setup, Choosing.NAME if names else Choosing.TYPED_NAME, tap.value), ()
        case _:
            return _typing_touched(sheet, tap), ()
    return NewGame(setup), ()


def _typing_touched(sheet: NewGame, tap: Tap) -> NewGame:
    """Return the sheet after a key for a typed name or time."""
    match tap.action:
        case "name_is":
            return NewGame(sheet.setup.named(sheet.place, tap.value))
        case "name_type":
            return replace(sheet, choosing=Choosing.TYPED_NAME, typed="")
        case "name_key" | "name_letter":
            # A keyboard has its own capitals: "van der Berg" stays as it is typed there.
            plain = sheet.typed and tap.action == "name_letter"
            key = tap.value if plain else capital_at_word(sheet.typed, tap.value)
            text = text_after(sheet.typed, key, LONGEST_NAME)
            return replace(sheet, choosing=Choosing.TYPED_NAME, typed=text)
        case "name_done":
            return NewGame(sheet.setup.named(sheet.place, sheet.typed.strip()))
        case "key":
            return replace(sheet, typed=(sheet.typed + tap.value)[-3:])
        case "erase":
            return replace(sheet, typed=sheet.typed[:-1])
        case "enter" if sheet.minutes_typed is not None:
            return NewGame(replace(sheet.setup, minutes=sheet.minutes_typed))
    return sheet


def open_transcript(game: Game) -> TranscriptView:
    """Return the table's own transcript at its end."""
    return TranscriptView(step=len(game.moves))


def show_transcript_of(script: TranscriptView, game: Game, owner: Side | None) -> TranscriptView:
    shown = replace(script, owner=owner)
    if owner is not None and not shown.typed.of(owner):  # nobody writes the opening down again
        shown = replace(shown, typed=shown.typed.with_(owner, game.header.opening))
    return replace(shown, step=len(shown.moves(game)))


def step_transcript(script: TranscriptView, game: Game, by: int) -> TranscriptView:
    last = len(stages(script.moves(game))) - 1
    return replace(script, step=max(0, min(last, script.step + by)))


def write_move(script: TranscriptView, square: int | None) -> TranscriptView:
    """Add a move to a player's transcript; None takes the last one back."""
    if script.owner is None:
        return script
    before = script.typed.of(script.owner)
    after = before[:-1] if square is None else (*before, square)[:60]
    return replace(script, typed=script.typed.with_(script.owner, after), step=len(after))


def decides(script: TranscriptView, position: Position) -> Side | None:
    """Return the player whose transcript alone gives the position (woc-2019 IV.2)."""
    right = [side for side in Side if script.typed.of(side) and gives(script.typed.of(side), position)]
    return right[0] if len(right) == 1 else None


def transcript_remark(script: TranscriptView, game: Game) -> str:
    """Return the record's remark on a position set from a transcript."""
    owner = "the table" if script.owner is None else str(script.owner)
    return f"transcript of {owner}: {format_transcript(script.moves(game)[: script.step])}"

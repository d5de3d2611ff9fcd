"""One game at one table as a frozen value: what the law knows of it at an instant.

`flagfall.othello.referee.judge(game, input)` makes the next value; nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from flagfall.othello.board import START, Position
from flagfall.othello.clock import Clock
from flagfall.othello.inputs import ColourDraw, ErrorKind, Rule, Tick
from flagfall.othello.message import Message
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Rulebook, Stage
from flagfall.othello.side import Both, Side
from flagfall.othello.value import Growing

MINUTE_NS = 60_000_000_000
SECOND_NS = 1_000_000_000


class State(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    STOPPED = "stopped"
    CORRECTING = "correcting"
    FINISHED = "finished"
    SIGNED = "signed"


class Phase(StrEnum):
    """A part of a state in which other inputs are allowed: a game that is over waits to be accepted (running or
    stopped); the winner by default chooses (stopped), or plays both colours alone (running)."""

    ACCEPTING = "accepting"
    CHOOSING = "choosing"
    ALONE = "alone"


class Awaits(StrEnum):
    """A decision that a game waits for."""

    ACCEPT_END = "accept_end"
    DEFAULT_CHOICE = "default_choice"


class IncidentType(StrEnum):
    MISFLIP = "misflip"
    ILLEGAL_MOVE = "illegal_move"
    WRONG_COLOUR = "wrong_colour"
    ILLEGAL_PASS = "illegal_pass"
    TOUCHED_ELSEWHERE = "touched_elsewhere"
    MOVED_ON_OPPONENTS_TIME = "moved_on_opponents_time"
    FLAG = "flag"
    UNREADABLE = "unreadable"
    DISTURBED = "disturbed"
    WRONG_START = "wrong_start"
    OUT_OF_DISCS = "out_of_discs"
    PRESS_OUT_OF_TURN = "press_out_of_turn"
    BOARD_LOST = "board_lost"
    POWER_LOST = "power_lost"
    REFUSED = "refused"
    RULING = "ruling"


class ErrorState(StrEnum):
    """What has become of an error in a move."""

    OPEN = "open"
    CORRECTING = "correcting"
    CORRECTED = "corrected"
    ACCEPTED = "accepted"
    DISMISSED = "dismissed"


@dataclass(frozen=True)
class Player:
    id: str = ""
    name: str = ""


@dataclass(frozen=True)
class Header:
    """The first line of a game file, defaults filled in (contracts, `flagfall-game/1`). Each press in play gives
    its player `increment_s`, and back what he used, at most `delay_s`, where the rulebook has them
    (`Rulebook.per_move`). With `byoyomi_s` a player whose time is up has so many seconds for each move."""

    rulebook: Rulebook
    minutes: float
    stage: Stage = Stage.QUALIFYING
    judged: bool = True
    sensors: bool = True
    black: Player = Player()
    white: Player = Player()
    draw_win: Side | None = None
    extra_minutes: Both[float] = Both(0, 0)
    hands_commit: Both[bool] = Both(True, True)
    board_turned: bool = False
    broadcast: bool = False
    increment_s: float = 0
    delay_s: float = 0
    byoyomi_s: float = 0

    def player(self, side: Side) -> Player:
        return self.black if side is Side.BLACK else self.white


@dataclass(frozen=True)
class Incident:
    """Something that happened and is on the record. `squares` is a set of squares; `state` belongs to errors."""

    at_ns: int
    type: IncidentType
    by: Side | None = None
    squares: int = 0
    state: ErrorState | None = None
    input: str | None = None
    rule: Rule | None = None
    why: Message | None = None
    fields: tuple[tuple[str, object], ...] = ()

    @property
    def error(self) -> ErrorKind | None:
        """The error in a move that this is; None for anything else."""
        return _ERRORS.get(self.type)


_ERRORS = {IncidentType(kind): kind for kind in ErrorKind}
_ON_THE_BOARD = frozenset(ErrorKind) - {ErrorKind.TOUCHED_ELSEWHERE}
_NOT_PUT_RIGHT = frozenset((ErrorState.OPEN, ErrorState.CORRECTING, ErrorState.ACCEPTED))


def is_error_on_the_board(incident: Mapping[str, object]) -> bool:
    """Tell whether an incident of a game that is over, as its JSON object, is an error left on the board: other discs
    lay there than the moves give."""
    return str(incident.get("type")) in _ON_THE_BOARD and str(incident.get("state")) in _NOT_PUT_RIGHT


@dataclass(frozen=True)
class Turn:
    """What the player to move has done since his turn began.

    What binds him: `touched` are the legal squares that he has touched, in order; before them `bound`, those of a move
    that was taken back. The first of all binds. `early_commit` binds the opponent, who may move before the press
    (usoa 5.9).

    Where discs came down: the mover's at `disc_down`, all new ones at `placed`, in order; `dropped` is the set of
    squares touched by dropped discs, `doubtful` that of discs of his colour that came down beside the opponent's move:
    they are held against nobody, unless somebody speaks of them. `lay_before` are new discs that came down in it too.

    How the board lay: `began` with the turn, if his touch has accepted another board; `lay` before the new discs came
    down, if not as the turn began; `lifted` with discs taken off where others lie now; `laid` with one new disc, with
    two, and so on, as far as they came down one by one. `while_stopped` is the set of squares that changed while the
    clocks stood. `unseen`: the board was lost in this turn and has shown nothing since.

    On record: `accepted` are the errors (indices of incidents) that his touch accepted, open again if it is ruled
    unintentional; `early_reported` says that the opponent moved on his time, `early_by_ns` by when that disc certainly
    lay there, if nothing else was read until then.
    """

    bound: tuple[int, ...] = ()
    touched: tuple[int, ...] = ()
    disc_down: int | None = None
    placed: tuple[int, ...] = ()
    lay: Position | None = None
    lifted: Position | None = None
    began: Position | None = None
    laid: tuple[Position, ...] = ()
    while_stopped: int = 0
    early_commit: int | None = None
    accepted: tuple[int, ...] = ()
    dropped: int = 0
    doubtful: int = 0
    lay_before: int = 0
    early_reported: bool = False
    early_by_ns: int | None = None
    unseen: bool = False

    @property
    def binding(self) -> tuple[int, ...]:
        """All squares that bind him, one after the other as the judge rules touches unintentional."""
        return (*self.bound, *self.touched)

    @property
    def commit(self) -> int | None:
        """The square that binds him."""
        return next(iter(self.binding), None)

    @property
    def in_question(self) -> int | None:
        """The touch that a judge can rule unintentional: the first of this turn, else of the move taken back."""
        return next(iter((*self.touched, *self.bound)), None)


@dataclass(frozen=True)
class Ply:
    """The move (or pass, `square` None) made last, open to challenge until the opponent's next commitment.

    `before` is the position it was made from, `right` the one it should have left, `errors` the indices of its
    incidents, `accepted` the types of those that it has accepted, `touched` the squares that bind its player, in order,
    if it has to be made again, `left` what the board showed at its press, `reversed_before` whether the colours were
    already reversed (usoa 7.3).
    """

    by: Side
    square: int | None
    before: Position
    right: Position
    errors: tuple[int, ...] = ()
    accepted: tuple[IncidentType, ...] = ()
    touched: tuple[int, ...] = ()
    left: Position | None = None
    reversed_before: bool = False
    wrong_colour: bool = False


@dataclass(frozen=True)
class Correction:
    """An error being put right on the offender's time."""

    kind: ErrorKind
    offender: Side
    incident: int


@dataclass(frozen=True)
class Outcome:
    """How the game ended: `winner` None is a draw, `score` discs (black, white)."""

    reason: Reason
    winner: Side | None
    score: tuple[int, int]


@dataclass(frozen=True)
class Game:
    """Everything the law knows at the instant `at_ns`.

    Positions: `board` is what the board showed last, `shown` what counts of it (after the end players clear the board),
    `before` what the turn began with, `astray` squares that lay wrong when the clocks began, and still do. `trays` are
    the discs left to each player beside the board, `counted` the discs entered, (black, white).

    Course: `start_ns` is the instant of the director's signal; `colour_draw` how the colours were drawn; `to_move`
    whose move the game awaits; `owed` how many presses wait for their moves to be read or entered (negative: moves
    entered ahead of their press). `absent` is the player whose clock the director has started, until somebody's clock
    is pressed. `resigned_from` is the game before a player resigned, and `taken_back` who takes that back.
    `charged_before_ns`: what the player whose clock runs was charged before his turn. `last_press`: the game at the
    last press, clocks stopped, as it may turn out to have ended there; the end of a correction and a confirmed default
    count as a press. `at_flag`: the game, clocks stopped, as the first flag of each player since that press left it.

    Flags: `unconfirmed` have fallen and wait for the director (usoa 6.5), or for a player to point them out; `noticed`:
    whether somebody has (usoa 6.4), False once the other player has moved on. `unclaimed`: the instants at which flags
    have fallen that no player has spoken of, where nothing else may tell of them; `claimed`: whose flag a player has
    claimed while a move was in hand, which is completed first. `annulled`: whose clock stands at zero without a flag,
    until it is given time. `in_byoyomi`: whose time is up, and whose clock counts down for each move.

    Ends by somebody's word: `awaits` is what the game waits for; `end_accepted` who has accepted the end. After a
    default that ends the play `self_play` is the winner who plays, or has played, both colours alone; `lost_by` why the
    other has lost; `default_from` the game before that.

    Record: `accepted` are the squares of accepted errors, by their type and player; `notes` the law does not weigh.
    """

    header: Header
    clock: Clock
    state: State = State.WAITING
    at_ns: int = 0
    start_ns: int | None = None
    colour_draw: ColourDraw | None = None
    board: Position = START
    shown: Position = START
    before: Position = START
    to_move: Side = Side.BLACK
    turn: Turn = Turn()
    last: Ply | None = None
    correction: Correction | None = None
    moves: tuple[int, ...] = ()
    incidents: Growing[Incident] = field(default_factory=Growing)
    astray: int = 0
    accepted: Mapping[tuple[IncidentType, Side | None], int] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()
    flags: Both[int] = Both(0, 0)
    unconfirmed: Both[bool] = Both(False, False)
    noticed: Both[bool | None] = Both(None, None)
    unclaimed: Both[int | None] = Both(None, None)
    claimed: Side | None = None
    in_byoyomi: Both[bool] = Both(False, False)
    annulled: Both[bool] = Both(False, False)
    defaulter: Side | None = None
    awaits: Awaits | None = None
    end_accepted: Both[bool] = Both(False, False)
    self_play: Side | None = None
    lost_by: Reason | None = None
    default_from: Game | None = None
    outcome: Outcome | None = None
    signed: Both[bool] = Both(False, False)
    ready: Both[bool] = Both(False, False)
    stated: Both[tuple[int, int] | None] = Both(None, None)
    counted: tuple[int, int] | None = None
    colours_reversed: bool = False
    board_ok: bool = True
    owed: int = 0
    trays: Both[int] = Both(30, 30)
    last_press: Game | None = None
    at_flag: Both[Game | None] = Both(None, None)
    absent: Side | None = None
    notes: Growing[Tick] = field(default_factory=Growing)
    charged_before_ns: Both[int] = Both(0, 0)
    resigned_from: Game | None = None
    outcome_before: Outcome | None = None
    taken_back: Both[bool] = Both(False, False)

    @property
    def rules(self) -> Rulebook:
        return self.header.rulebook

    def clock_running(self, side: Side | None) -> Clock:
        """The clocks, of which this player's runs from now on; None: neither. Who plays alone has only their own."""
        return self.clock.run(side and self.timed(side), self.at_ns)

    def in_new_period(self, clock: Clock, side: Side) -> Clock:
        """The clocks with a new period of the count-down for this player's next move, if they are in it."""
        if not self.in_byoyomi.of(side):
            return clock
        return clock.set(side, round(self.header.byoyomi_s * SECOND_NS), self.at_ns)

    def timed(self, side: Side) -> Side:
        """Return whose time a move of this colour takes."""
        return side if self.self_play is None else self.self_play

    @property
    def phase(self) -> State | Phase:
        """The state, or the part of it that decides what is allowed."""
        if self.awaits is not None:
            return Phase.CHOOSING if self.awaits is Awaits.DEFAULT_CHOICE else Phase.ACCEPTING
        return Phase.ALONE if self.self_play is not None and self.state is State.RUNNING else self.state

    @property
    def armed(self) -> bool:
        """The director has given the signal to start."""
        return self.start_ns is not None

    def plays_black(self, side: Side) -> bool:
        """Whether this player's discs are black now."""
        return (side is Side.BLACK) != self.colours_reversed

    def legal(self, side: Side) -> int:
        """Where this player may move in the position his turn began with."""
        return self.before.legal(self.plays_black(side))

    @property
    def lies(self) -> Position:
        """How the board lies for the player to move, before his disc is down."""
        return self.turn.lay or self.before

    @property
    def last_mover(self) -> Side:
        """Who made the last move, though nobody may have read it."""
        return self.last.by if self.last is not None else self.to_move.other

    @property
    def offender_ends_correction(self) -> bool:
        """Tell whether the offender's press ends a correction, not the judge's word."""
        return not self.header.judged or self.rules.correction_ends == "offender"

    @property
    def reads_board(self) -> bool:
        """Moves are read by sensors, not entered."""
        return self.header.sensors and self.board_ok

    @property
    def start_to_mend(self) -> int:
        """Squares of a wrong start that can still be put right: after a move, discs too many and missing ones."""
        begun = self.moves or self.last is not None
        return self.astray & (START.occupied ^ self.before.occupied) if begun else self.astray

    @property
    def awaits_confirmation(self) -> bool:
        """A default waits for the director, and presses only change the clocks (usoa 6.5)."""
        return self.rules.flag.takes_effect == "confirmed" and any(self.unconfirmed)

    @property
    def in_default(self) -> Side | None:
        """The player who has lost by default; one that waits for the director and that nobody noticed is none yet."""
        side = self.defaulter
        if side is not None and self.unconfirmed.of(side) and self.noticed.of(side) is False:
            return None
        return side

    @property
    def unsettled(self) -> tuple[Incident, ...]:
        """The errors that wait for a word, and the one being put right."""
        return tuple(one for one in self.incidents if one.state in (ErrorState.OPEN, ErrorState.CORRECTING))

    @property
    def over(self) -> bool:
        return self.state in (State.FINISHED, State.SIGNED)

    def ended_by(self, *reasons: Reason) -> bool:
        """Whether the game has ended, for one of these reasons."""
        return self.outcome is not None and self.outcome.reason in reasons

    @property
    def ended_by_board(self) -> bool:
        """The board has ended it, perhaps after a flag: an error of the last move still counts."""
        return self.ended_by(Reason.BOARD, Reason.DEFAULT)

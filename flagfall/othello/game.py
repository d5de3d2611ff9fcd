"""One game at one table as a frozen value: what the law knows of it at an instant.

`flagfall.othello.referee.judge(game, input)` makes the next value; nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from flagfall.base.message import Message
from flagfall.base.value import Growing, replace
from flagfall.othello.board import START, Position, stages
from flagfall.othello.clock import Clock
from flagfall.othello.flag import Flag, FlagState
from flagfall.othello.inputs import ColourDraw, ErrorKind, Rule, Tick
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Rulebook, Stage
from flagfall.othello.side import Both, Side

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
    """A decision that a game waits for, or a claimed flag that waits for a move in hand (`Game.waits_for` alone)."""

    ACCEPT_END = "accept_end"
    DEFAULT_CHOICE = "default_choice"
    CLAIM = "claim"


class IncidentType(StrEnum):
    MISFLIP = "misflip"
    ILLEGAL_MOVE = "illegal_move"
    WRONG_COLOUR = "wrong_colour"
    ILLEGAL_PASS = "illegal_pass"
    TOUCHED_ELSEWHERE = "touched_elsewhere"
    OUT_OF_TURN = "out_of_turn"
    MOVED_ON_OPPONENTS_TIME = "moved_on_opponents_time"
    FLAG = "flag"
    FLAG_CLAIMED = "flag_claimed"
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
    """The state of an error in a move."""

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
    """The first line of a game file, defaults filled in (contracts, `flagfall-game/1`)."""

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
    # Given to its player by each press in play, where the rulebook has it (`Rulebook.per_move`).
    increment_s: float = 0
    # Each press gives back the time used, at most this, where the rulebook has it.
    delay_s: float = 0
    # Seconds for each move of a player whose time is up.
    byoyomi_s: float = 0
    # Moves that lie on the board before the clocks start; Black moves next.
    opening: tuple[int, ...] = ()

    @cached_property
    def start(self) -> Position:
        """The position from which the clocks start."""
        return stages(self.opening)[-1].position

    def player(self, side: Side) -> Player:
        return self.black if side is Side.BLACK else self.white


@dataclass(frozen=True)
class Incident:
    """An event on the record."""

    at_ns: int
    type: IncidentType
    by: Side | None = None
    # A set of squares.
    squares: int = 0
    # Of errors only.
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
    """The actions of the player to move ("the mover") since the turn began."""

    # Legal squares touched in a move that was taken back, in order: the first one binds.
    bound: tuple[int, ...] = ()
    # Legal squares that the mover has touched, in order: the first one binds if nothing is `bound`.
    touched: tuple[int, ...] = ()
    # Square of the mover's new disc.
    disc_down: int | None = None
    # Squares of all new discs, in the order in which they came down.
    placed: tuple[int, ...] = ()
    # The board before the new discs came down, if not as the turn began.
    lay: Position | None = None
    # The board with discs taken off where others lie now.
    lifted: Position | None = None
    # The board at the beginning of the turn, if the mover's touch has accepted another one.
    began: Position | None = None
    # The board with one new disc, with two, and so on, as far as they came down one by one.
    laid: tuple[Position, ...] = ()
    # Squares that changed while the clocks stood.
    while_stopped: int = 0
    # The square that binds the opponent, who may move before the press (usoa 5.9).
    early_commit: int | None = None
    # Errors (indices of incidents) that the mover's touch accepted, open again if it is ruled unintentional.
    accepted: tuple[int, ...] = ()
    # Squares touched by dropped discs.
    dropped: int = 0
    # Discs of the mover's colour that came down beside the opponent's move: held against nobody unless somebody
    # speaks of them.
    doubtful: int = 0
    # New discs that came down in the opponent's turn.
    lay_before: int = 0
    # Squares of the opponent's moves on the mover's time that are on record.
    early_told: int = 0
    # The instant by which the next such disc certainly lay there, if nothing else was read until then.
    early_by_ns: int | None = None
    # The board as it lay when the player whose clock stood last pressed, to no effect.
    pressed_on: Position | None = None
    # The board was lost in this turn and has shown nothing since.
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
    """The move or pass made last, open to challenge until the opponent's next commitment."""

    by: Side
    # None: a pass.
    square: int | None
    # The position it was made from.
    before: Position
    # The position that it should have left.
    right: Position
    # Indices of its incidents.
    errors: tuple[int, ...] = ()
    # Types of the errors that it has accepted.
    accepted: tuple[IncidentType, ...] = ()
    # Squares that bind its player, in order, if it has to be made again.
    touched: tuple[int, ...] = ()
    # The board as shown at its press.
    left: Position | None = None
    # The colours were already reversed (usoa 7.3).
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
    """The end of a game."""

    reason: Reason
    # None: a draw.
    winner: Side | None
    # Discs (black, white).
    score: tuple[int, int]
    # It is that of the board on which the winner by default has played alone.
    played_alone: bool = False


@dataclass(frozen=True)
class Game:
    """The game as the law knows it at the instant `at_ns`."""

    header: Header
    clock: Clock
    state: State = State.WAITING
    at_ns: int = 0
    # The instant of the director's signal.
    start_ns: int | None = None
    # How the colours were drawn.
    colour_draw: ColourDraw | None = None
    # The board as shown last.
    board: Position = START
    # The part of it that counts (after the end players clear the board).
    shown: Position = START
    # The position that the turn began with.
    before: Position = START
    # The player whose move the game awaits.
    to_move: Side = Side.BLACK
    turn: Turn = Turn()
    last: Ply | None = None
    correction: Correction | None = None
    moves: tuple[int, ...] = ()
    incidents: Growing[Incident] = field(default_factory=Growing)
    # Squares that lay wrong when the clocks began, and still do.
    astray: int = 0
    # Squares of accepted errors, by type and player.
    accepted: Mapping[tuple[IncidentType, Side | None], int] = field(default_factory=dict)
    warnings: tuple[Message, ...] = ()
    flags: Both[Flag] = Both(Flag(), Flag())
    # The player in default by a flag, or who has lost without one (`lost_by`).
    defaulter: Side | None = None
    # The decision that the game waits for.
    awaits: Awaits | None = None
    # Players who have accepted the end.
    end_accepted: Both[bool] = Both(False, False)
    # The winner by default who plays, or has played, both colours alone.
    self_play: Side | None = None
    # The reason why the other has lost.
    lost_by: Reason | None = None
    # The game before that default.
    default_from: Game | None = None
    outcome: Outcome | None = None
    signed: Both[bool] = Both(False, False)
    ready: Both[bool] = Both(False, False)
    stated: Both[tuple[int, int] | None] = Both(None, None)
    # The discs entered, (black, white).
    counted: tuple[int, int] | None = None
    colours_reversed: bool = False
    board_ok: bool = True
    # Presses that wait for their moves to be read or entered (negative: moves entered ahead of their press).
    owed: int = 0
    # Discs left to each player beside the board.
    trays: Both[int] = Both(30, 30)
    # The game at the last press, clocks stopped, as it may turn out to have ended there; the end of a correction
    # and a confirmed default count as a press.
    last_press: Game | None = None
    # The game, clocks stopped, as the first flag of each player since that press left it.
    at_flag: Both[Game | None] = Both(None, None)
    # The player whose clock the director has started, until somebody presses.
    absent: Side | None = None
    # The player whose clock has run so, though they may have come since.
    late: Side | None = None
    # Remarks that the law does not weigh.
    notes: Growing[Tick] = field(default_factory=Growing)
    # Time charged to each player before the present turn.
    charged_before_ns: Both[int] = Both(0, 0)
    # The game before a player resigned.
    resigned_from: Game | None = None
    outcome_before: Outcome | None = None
    # Players who take that resignation back.
    taken_back: Both[bool] = Both(False, False)

    @property
    def rules(self) -> Rulebook:
        return self.header.rulebook

    def clock_running(self, side: Side | None) -> Clock:
        """Return the clocks with this player's running from now on, or neither. A player who plays alone has only
        their own."""
        return self.clock.run(side and self.timed(side), self.at_ns)

    def in_new_period(self, clock: Clock, side: Side) -> Clock:
        """Return the clocks with a new period of the count-down for this player's next move, if they are in it."""
        if not self.flags.of(side).counts_down:
            return clock
        return clock.set(side, round(self.header.byoyomi_s * SECOND_NS), self.at_ns)

    @property
    def start(self) -> Position:
        """The position to be set up before the start."""
        return self.header.start

    @property
    def has_moved(self) -> bool:
        """Return True if a move has been counted since the clocks started."""
        return len(self.moves) > len(self.header.opening)

    def timed(self, side: Side) -> Side:
        """Return whose time a move of this colour takes."""
        return side if self.self_play is None else self.self_play

    @property
    def phase(self) -> State | Phase:
        """The state, or the part of it that decides what is allowed."""
        if self.awaits is not None:
            return Phase.CHOOSING if self.awaits is Awaits.DEFAULT_CHOICE else Phase.ACCEPTING
        return Phase.ALONE if self.self_play is not None and self.state is State.RUNNING else self.state

    def with_flag(self, side: Side, flag: Flag) -> Game:
        """Return the game with another flag of this player."""
        return replace(self, flags=self.flags.with_(side, flag))

    @property
    def falls(self) -> Both[int]:
        """The falls of each flag on record."""
        return Both(self.flags.black.falls, self.flags.white.falls)

    @property
    def claimed(self) -> Side | None:
        """The player whose flag was claimed while a move was in hand, which is completed first (jof J15)."""
        if self.flags.black.state is FlagState.CLAIMED:
            return Side.BLACK
        return Side.WHITE if self.flags.white.state is FlagState.CLAIMED else None

    @property
    def waits_for(self) -> Awaits | None:
        """The decision or the move that the game waits for, as its report says."""
        return self.awaits or (None if self.claimed is None else Awaits.CLAIM)

    @property
    def armed(self) -> bool:
        """The director has given the signal to start."""
        return self.start_ns is not None

    def plays_black(self, side: Side) -> bool:
        """Return whether this player's discs are black now."""
        return (side is Side.BLACK) != self.colours_reversed

    def legal(self, side: Side) -> int:
        """Return the squares where this player may move in the position that their turn began with."""
        return self.before.legal(self.plays_black(side))

    @property
    def lies(self) -> Position:
        """The board as it lies for the player to move, before their disc is down."""
        return self.turn.lay or self.before

    @property
    def last_mover(self) -> Side:
        """The player who made the last move, though nobody may have read it."""
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
        begun = self.has_moved or self.last is not None
        return self.astray & (self.start.occupied ^ self.before.occupied) if begun else self.astray

    @property
    def awaits_confirmation(self) -> bool:
        """A default waits for the director, and presses only change the clocks (usoa 6.5)."""
        return self.flags.black.awaits_director or self.flags.white.awaits_director

    @property
    def in_default(self) -> Side | None:
        """The player who has lost by default; one that waits for the director and that nobody noticed is none yet."""
        side = self.defaulter
        if side is not None and self.flags.of(side).state is FlagState.UNNOTICED:
            return None
        return side

    @property
    def unsettled(self) -> tuple[Incident, ...]:
        """The errors that wait for a word, and the one being put right."""
        return tuple(
            incident
            for incident in self.incidents
            if incident.state in (ErrorState.OPEN, ErrorState.CORRECTING)
        )

    @property
    def over(self) -> bool:
        return self.state in (State.FINISHED, State.SIGNED)

    def ended_by(self, *reasons: Reason) -> bool:
        """Return whether the game has ended, for one of these reasons."""
        return self.outcome is not None and self.outcome.reason in reasons

    @property
    def ended_by_board(self) -> bool:
        """The board has ended it, perhaps after a flag or played alone: an error of the last move still counts."""
        alone = self.outcome is not None and self.outcome.played_alone
        return alone or self.ended_by(Reason.BOARD, Reason.DEFAULT)

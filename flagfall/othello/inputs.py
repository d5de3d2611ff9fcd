"""Everything that can happen at a table, as values: the lines of `flagfall-game/1` after the first.

`at_ns` is the instant on the table's own count (contracts, "Game file"). Squares are 0..63 (a1..h8).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from flagfall.othello.board import Position
from flagfall.othello.side import Side

# Minutes that a ruling may add for a player at most.
MOST_EXTRA_MINUTES = 600


class Contact(StrEnum):
    """The thing that touched a square first."""

    DISC = "disc"
    HAND = "hand"
    DROPPED = "dropped"


class ErrorKind(StrEnum):
    """Errors in a move that can be put right until the opponent's next commitment."""

    MISFLIP = "misflip"
    ILLEGAL_MOVE = "illegal_move"
    WRONG_COLOUR = "wrong_colour"
    ILLEGAL_PASS = "illegal_pass"
    TOUCHED_ELSEWHERE = "touched_elsewhere"
    OUT_OF_TURN = "out_of_turn"


class Rule(StrEnum):
    """The kinds of rulings of a judge or director."""

    CORRECT_ERROR = "correct_error"
    CORRECTED = "corrected"
    DISMISS_ERROR = "dismiss_error"
    UNINTENTIONAL_TOUCH = "unintentional_touch"
    STOP = "stop"
    RESUME = "resume"
    ADJUST_TIME = "adjust_time"
    START_CLOCK = "start_clock"
    CONFIRM_DEFAULT = "confirm_default"
    ANNUL_FLAG = "annul_flag"
    RESIGN = "resign"
    FORFEIT = "forfeit"
    BEYOND_REPAIR = "beyond_repair"
    AWARD = "award"
    DRAW = "draw"
    SET_SCORE = "set_score"
    SET_POSITION = "set_position"
    ENTER_MOVE = "enter_move"
    ENTER_SCORE = "enter_score"
    DISCS_MOVED = "discs_moved"
    RETRACT = "retract"


@dataclass(frozen=True, slots=True)
class Start:
    """The director's signal; White's press now starts Black's clock."""

    at_ns: int


class Called(StrEnum):
    """A call of the hidden disc: the colour of its top face, or the face whose colour they will play."""

    BLACK = "black"
    WHITE = "white"
    TOP = "top"
    BOTTOM = "bottom"


class Chosen(StrEnum):
    """A right that a player takes after the hidden disc was shown."""

    BLACK = "black"
    WHITE = "white"
    DRAW_WIN = "draw_win"


@dataclass(frozen=True, slots=True)
class ColourDraw:
    """A draw of the colours by a hidden disc."""

    at_ns: int
    # By their side in the header as it stands.
    hider: Side
    called: Called
    # The top face.
    shown: Side
    # None where the draw leaves no choice.
    chose: Chosen | None = None
    # The colour that the other player then takes, where the draw-win was chosen.
    plays: Side | None = None


@dataclass(frozen=True, slots=True)
class ByPlayer:
    """An input made by one of the players."""

    at_ns: int
    by: Side


class Press(ByPlayer):
    """A clock button went down."""


@dataclass(frozen=True, slots=True)
class Touch:
    """First contact with a square."""

    at_ns: int
    square: int
    contact: Contact


@dataclass(frozen=True, slots=True)
class Shown:
    """The settled board (type `position`). Its last change came at `at_ns`, or later by at most `uncertain_ns`."""

    at_ns: int
    position: Position
    uncertain_ns: int = 0


@dataclass(frozen=True, slots=True)
class Signal(ByPlayer):
    """A player points out an error in the last move; `error` "flag" points out a fallen flag."""

    error: str | None = None
    square: int | None = None


class Stop(ByPlayer):
    """A player stops the clocks to summon the director."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something for the record that the law does not weigh: `what` happened (a word), `who` did it, in `detail`."""

    text: str
    who: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """Time passed; a program that knows nothing of notes reads no more in it."""

    at_ns: int
    note: Note | None = None


class Late(ByPlayer):
    """A player who is there starts the clock of the other, who is late, on the judge's word."""


class ClaimFlag(ByPlayer):
    """A player claims that the opponent's flag has fallen."""


class AdmitFlag(ByPlayer):
    """A player says that their own flag has fallen."""


class DefaultOption(StrEnum):
    """A choice of the player who has won by the opponent's default."""

    TWO_DISCS = "two_discs"
    SELF_PLAY = "self_play"


@dataclass(frozen=True, slots=True)
class DefaultChoice(ByPlayer):
    """The winner by default chooses the score of a default, or to play both colours alone."""

    choice: DefaultOption


class StopSelfPlay(ByPlayer):
    """The winner by default, who plays both colours alone, stops."""


class AcceptEnd(ByPlayer):
    """A player accepts that the game is over, and the last move with it."""


class Ready(ByPlayer):
    """A player agrees to go on."""


class Resign(ByPlayer):
    """A player gives the game up."""


class Unresign(ByPlayer):
    """A player agrees that a resignation is taken back."""


@dataclass(frozen=True, slots=True)
class Agree(ByPlayer):
    """A player states the final score of a clock game without a judge, in discs."""

    black: int
    white: int


class Sign(ByPlayer):
    """A player signs the score sheet."""


@dataclass(frozen=True, slots=True)
class BoardState:
    """The sensor board came or went (type `board`, state "ok" or "lost")."""

    at_ns: int
    ok: bool


@dataclass(frozen=True, slots=True)
class Power:
    """A restart of the device."""

    # The last durable instant.
    at_ns: int
    # Time that nobody can vouch for.
    uncertain_ns: int = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A ruling of the judge or the director. `flagfall.othello.gamefile` says which fields a rule needs."""

    at_ns: int
    rule: Rule
    player: Side | None = None
    error: ErrorKind | None = None
    square: int | None = None
    # Perhaps with a fraction.
    seconds: int | float | None = None
    # Discs.
    score: tuple[int, int] | None = None
    position: Position | None = None
    to_move: Side | None = None
    # The pass of `enter_move` {"pass": true}.
    passes: bool = False
    # The player whose flag fell before the last move was complete, when its discs are counted.
    flag_before: Side | None = None
    count: int | None = None
    # For the record; the law does not weigh it.
    reason: str = ""
    # "judge" or "director", for the record.
    who: str = ""
    # The rule of the ruling that this one takes back, for the record.
    undoes: Rule | None = None


Input = (
    Start
    | ColourDraw
    | Press
    | Touch
    | Shown
    | Signal
    | Stop
    | Late
    | ClaimFlag
    | AdmitFlag
    | DefaultChoice
    | StopSelfPlay
    | AcceptEnd
    | Tick
    | Ready
    | Resign
    | Unresign
    | Agree
    | Sign
    | BoardState
    | Power
    | Ruling
)

# The `type` of each input in the game file.
TYPE_NAMES: dict[type, str] = {
    Start: "start",
    Press: "press",
    ColourDraw: "colour_draw",
    Touch: "touch",
    Shown: "position",
    Signal: "signal",
    Stop: "stop",
    Late: "late",
    ClaimFlag: "claim_flag",
    AdmitFlag: "admit_flag",
    DefaultChoice: "default_choice",
    StopSelfPlay: "stop_self_play",
    AcceptEnd: "accept_end",
    Tick: "tick",
    Ready: "ready",
    Resign: "resign",
    Unresign: "unresign",
    Agree: "agree",
    Sign: "sign",
    BoardState: "board",
    Power: "power",
    Ruling: "ruling",
}

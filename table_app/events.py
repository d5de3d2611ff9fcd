"""Everything that arrives in the table's one inbox: stamped facts, put there by any thread.

Every `at_ns` is on the table's count (`table_app.timebase`): the kernel's monotonic instant of the edge, or the board's
own time mapped to it, never the moment of arrival. Only the loop takes events out, and only the sequencer orders them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from queue import SimpleQueue

from msgspec import Struct

from flagfall.base.message import Message
from flagfall.link.board.messages import Corners
from flagfall.link.topics import Arrival
from flagfall.othello.board import Position
from flagfall.othello.inputs import Contact, Input
from flagfall.othello.side import Side
from table_app.local_game import LocalSetup
from table_app.settings import Settings

# The note by which the director closes a finished game that is not signed.
CLOSED_UNSIGNED = "closed_unsigned"


class Place(StrEnum):
    """The place of a button, as seen from in front of the clock. Black usually sits at the left one."""

    LEFT = "left"
    RIGHT = "right"


def player_at(place: Place, swapped: bool) -> Side:
    """Return the player who sits at a place. `swapped`: Black sits at the right one."""
    return Side.BLACK if (place is Place.LEFT) is not swapped else Side.WHITE


def place_of(side: Side, swapped: bool) -> Place:
    """Return the place at which a player sits. `swapped`: Black sits at the right one."""
    return Place.LEFT if (side is Side.BLACK) is not swapped else Place.RIGHT


class ButtonEdge(Struct, frozen=True):
    """A button went down (`pressed`) or up, with its contact bounce."""

    at_ns: int
    place: Place
    pressed: bool


class BoardShown(Struct, frozen=True):
    """A settled position at the instant of its last change (squares named from Black's a1, already turned).

    `unknown_since_ns`: frames of the board were lost since then; the positions in between are unknown.
    `hidden_since_ns`: an eye saw nothing between then and this; that matters if somebody pressed meanwhile.
    `early_ns`: how much later than `at_ns` it may have been, as far as the board's time is not known well.
    """

    at_ns: int
    position: Position
    unknown_since_ns: int | None = None
    hidden_since_ns: int | None = None
    early_ns: int = 0


class BoardTouched(Struct, frozen=True):
    at_ns: int
    square: int
    contact: Contact


class BoardStream(Struct, frozen=True):
    """The board has told everything that settled up to `settled_to_ns`: verdicts up to there may be given."""

    settled_to_ns: int


class BoardPresence(Struct, frozen=True):
    """The board is there (`ok`, with its `identity`) or not; `why` is for people.

    `calibrated`: every square is; the event is repeated when that changes. `kind` is one of `BoardKind`, `late_ns` how
    much later than the truth it may date a change, `patience_ns` how long something may hide it (0: a sensor board's
    usual). `floods`: it is left alone for a while, because it sent more than a board can.
    """

    at_ns: int
    ok: bool
    identity: str = ""
    why: str = ""
    calibrated: bool = True
    kind: int = 0
    late_ns: int = 0
    patience_ns: int = 0
    floods: bool = False


class BoardFault(Struct, frozen=True):
    """A fault that the board reports, or bytes that were no frame; `count` of this kind so far.

    `code`, `square` and `detail` are those of the board's report (`flagfall.link.board.messages`), 0 and None where
    the host itself found the fault.
    """

    at_ns: int
    text: str
    count: int
    code: int = 0
    square: int | None = None
    detail: int = 0


class ScreenInput(Struct, frozen=True):
    """A person used the touchscreen (or a key of `--simulate`): an input for the referee, stamped when touched."""

    input: Input


class ScreenRequest(Struct, frozen=True):
    """A person's request to the program, not to the referee: "call_director", "answer_call", "swap_sides",
    "quit", ..."""

    at_ns: int
    name: str
    detail: str = ""


class CornersPlaced(Struct, frozen=True):
    """A person has dragged the corners of the playing surface to their places in an eye's picture, as shares of its
    size."""

    corners: Corners


@dataclass(frozen=True, slots=True)
class PinChosen:
    """The first PIN of a table without a hub, typed twice on its screen."""

    at_ns: int
    pin: str = field(repr=False)


class GameChosen(Struct, frozen=True):
    """The next game of a table without a hub: its rules and players, chosen on the screen."""

    at_ns: int
    setup: LocalSetup


class SettingsChosen(Struct, frozen=True):
    """Settings were changed on the screen, by a person with a PIN."""

    at_ns: int
    settings: Settings


class LinkState(Struct, frozen=True):
    """The state of the connection to the hub's broker."""

    connected: bool
    address: str = ""  # the address of the broker
    foreign_at: str = ""  # the address of another hub's broker


Event = (
    ButtonEdge
    | BoardShown
    | BoardTouched
    | BoardStream
    | BoardPresence
    | BoardFault
    | ScreenInput
    | ScreenRequest
    | PinChosen
    | GameChosen
    | CornersPlaced
    | SettingsChosen
    | Arrival
    | LinkState
)


class Answered(Struct, frozen=True):
    """The decision on a ruling is durable, so the hub may be told."""

    ruling_id: str
    answer: Message | str


class Part(StrEnum):
    """A part of the device that may fail and work again."""

    DISK = "disk"
    OUTBOX = "outbox"
    CLOCK = "clock"
    POWER = "power"
    SCREEN = "screen"
    BUTTONS = "buttons"


class PartTrouble(Struct, frozen=True):
    """The reason for which a part fails; None when it works again."""

    part: Part
    why: Message | None


class ScreenFound(Struct, frozen=True):
    """The way of drawing that the drawing process has found."""

    drawn_by: str


class ButtonDown(Struct, frozen=True):
    """A button was down when the program began to watch it."""

    at_ns: int
    place: Place


class UpdateFetched(Struct, frozen=True):
    """Another version is unpacked beside this one, or `why` it is not."""

    name: str
    why: str = ""


class LetterSent(Struct, frozen=True):
    """The network took a result; its arrival is certain only with the hub's receipt."""

    id: str


class Close(Struct, frozen=True):
    """The program ends."""


AnyEvent = Event | Answered | PartTrouble | ScreenFound | ButtonDown | LetterSent | UpdateFetched | Close
Inbox = SimpleQueue[AnyEvent]

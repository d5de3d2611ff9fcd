"""What arrives in the table's one inbox: stamped facts from the edges of the program, put there by any thread.

Every `at_ns` is on the table's count (`table_app.timebase`): the kernel's monotonic instant of the edge itself, or
the board's own time mapped to it, never the moment of arrival. Only the loop takes events out, and only the
sequencer orders them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from queue import SimpleQueue

from link.board.messages import Corners
from othello.board import Position
from othello.inputs import Contact, Input
from othello.side import Side
from table_app.local_game import LocalSetup
from table_app.settings import Settings
from table_app.trouble import Trouble


@dataclass(frozen=True, slots=True)
class ButtonEdge:
    """A button went down (`pressed`) or up, with its contact bounce. `side` is the button's place; `player_at` tells
    whose it is."""

    at_ns: int
    side: Side
    pressed: bool


def player_at(place: Side, swapped: bool) -> Side:
    """The player who sits at a button, named after the colour that usually sits there; and the button of a player."""
    return place.other if swapped else place


@dataclass(frozen=True, slots=True)
class BoardShown:
    """A settled position at the instant of its last change (squares named from Black's a1, already turned).

    `unknown_since_ns`: words of the board were lost since then; what lay there in between is not known.
    `hidden_since_ns`: an eye saw nothing between then and this; that matters where somebody pressed meanwhile.
    """

    at_ns: int
    position: Position
    unknown_since_ns: int | None = None
    hidden_since_ns: int | None = None


@dataclass(frozen=True, slots=True)
class BoardTouched:
    at_ns: int
    square: int
    contact: Contact


@dataclass(frozen=True, slots=True)
class BoardStream:
    """Everything the board settled up to `settled_to_ns` has been told: verdicts up to there may be given."""

    settled_to_ns: int


@dataclass(frozen=True, slots=True)
class BoardPresence:
    """The board answered (`ok`, with who it is) or went away; `why` is for people. `calibrated`: every square is; told
    again when that changes. `kind` is one of `BoardKind`, `late_ns` how much later than it happened it may
    say that a change happened, `patience_ns` how long it may be kept from seeing (0: a sensor board's usual).
    """

    at_ns: int
    ok: bool
    identity: str = ""
    why: str = ""
    calibrated: bool = True
    kind: int = 0
    late_ns: int = 0
    patience_ns: int = 0


@dataclass(frozen=True, slots=True)
class BoardFault:
    """Something the board reports of itself, or bytes that were no frame; `count` of the kind so far.

    `code`, `square` and `detail` are those of the board's report (`link.board.messages`), 0 and None where the
    host itself found the fault.
    """

    at_ns: int
    what: str
    count: int
    code: int = 0
    square: int | None = None
    detail: int = 0


@dataclass(frozen=True, slots=True)
class ScreenInput:
    """A person used the touchscreen (or a key of `--simulate`): an input for the referee, stamped when touched."""

    input: Input


@dataclass(frozen=True, slots=True)
class ScreenRequest:
    """A person asked the program, not the referee: "call_director", "answer_call", "swap_sides", "quit", ..."""

    at_ns: int
    what: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class CornersPlaced:
    """Somebody has dragged the corners of the playing surface to their places in an eye's picture, as shares of it."""

    corners: Corners


@dataclass(frozen=True, slots=True)
class PinChosen:
    """At a table without a hub: its first PIN, typed twice on its screen."""

    at_ns: int
    pin: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class GameChosen:
    """At a table without a hub: how the next game is played, and by whom."""

    at_ns: int
    setup: LocalSetup


@dataclass(frozen=True, slots=True)
class SettingsChosen:
    """Somebody with a PIN has set the screen otherwise."""

    at_ns: int
    settings: Settings


@dataclass(frozen=True, slots=True)
class LinkMessage:
    """Bytes from the broker, unjudged."""

    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class LinkState:
    connected: bool


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
    | LinkMessage
    | LinkState
)


@dataclass(frozen=True, slots=True)
class Answered:
    """What was decided on a ruling is durable: the hub may know."""

    ruling_id: str
    answer: str


@dataclass(frozen=True, slots=True)
class DiskTrouble:
    """Why the disk fails; None when it works again."""

    why: Trouble | None


@dataclass(frozen=True, slots=True)
class ScreenTrouble:
    """Why nothing can be drawn; None when it can again."""

    why: Trouble | None


@dataclass(frozen=True, slots=True)
class ScreenFound:
    """How the screen is drawn, as it was found out by drawing."""

    what: str


@dataclass(frozen=True, slots=True)
class PinTrouble:
    """Why the buttons' pins cannot be reached; None when they can."""

    why: Trouble | None


@dataclass(frozen=True, slots=True)
class ButtonDown:
    """This button (by place) was down before anything was seen of it."""

    at_ns: int
    side: Side


@dataclass(frozen=True, slots=True)
class UpdateFetched:
    """Another version lies beside this one, unpacked; or `why` it does not."""

    name: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class LetterSent:
    """The network took a result; only the hub's receipt says that it arrived."""

    id: str


@dataclass(frozen=True, slots=True)
class OutboxTrouble:
    """The outbox cannot be written (`why`), or can again (None)."""

    why: Trouble | None


@dataclass(frozen=True, slots=True)
class Close:
    """The program ends."""


AnyEvent = (
    Event
    | Answered
    | DiskTrouble
    | ScreenTrouble
    | ScreenFound
    | PinTrouble
    | ButtonDown
    | LetterSent
    | OutboxTrouble
    | UpdateFetched
    | Close
)
Inbox = SimpleQueue[AnyEvent]

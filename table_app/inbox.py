"""The table's one inbox: everything that any thread has to tell the loop."""

from __future__ import annotations

from dataclasses import dataclass
from queue import SimpleQueue

from othello.side import Side
from table_app.courier import LetterSent, OutboxTrouble
from table_app.events import Event
from table_app.trouble import Trouble


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

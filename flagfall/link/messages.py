"""The messages over MQTT, one class for each kind of topic, and their JSON.

`decode` takes any bytes: it returns a checked message or raises `BadMessage`, nothing else. Unknown fields are ignored.
Times are nanoseconds of the table's own count, lifetimes seconds after arrival.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from flagfall.base.errors import FlagfallError
from flagfall.base.fields import LAST_NS
from flagfall.base.foreign_text import check_json
from flagfall.link.topics import Kind, Topic
from flagfall.othello.colour_choice import May
from flagfall.othello.game import State
from flagfall.othello.reason import Reason
from flagfall.othello.side import Both

LARGEST_PAYLOAD_BYTES: Final = 1 << 20
# With topic and head: of what the broker takes, and of what is kept until all of it has come.
LARGEST_PACKET_BYTES: Final = LARGEST_PAYLOAD_BYTES + 1024
LARGEST_UPDATE_BYTES: Final = 32 << 20
# The id of a receipt without a result, which only tells the record's head.
RECORD_ALONE: Final = "record"
_LONGEST_LINE = 240

Colour: TypeAlias = Literal["black", "white"]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=LAST_NS)]
Number: TypeAlias = Annotated[int, Meta(ge=1, le=LAST_NS)]
Discs: TypeAlias = Annotated[int, Meta(ge=0, le=64)]
HostName: TypeAlias = Annotated[str, Meta(max_length=253, pattern=r"^[A-Za-z0-9.-]*\Z")]
PageAddress: TypeAlias = Annotated[str, Meta(max_length=400, pattern=r"^(?:https?://[!-~]+)?\Z")]
Name: TypeAlias = Annotated[str, Meta(max_length=128, pattern=r"^[^\x00-\x1f\x7f]+\Z")]
Text: TypeAlias = Annotated[str, Meta(max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*\Z")]
Transcript: TypeAlias = Annotated[str, Meta(max_length=1000, pattern=r"^(?:[a-h][1-8])*+\Z")]
Position: TypeAlias = Annotated[str, Meta(pattern=r"^[XO?-]{64}\Z")]
Start: TypeAlias = Annotated[str, Meta(pattern=r"^[0-9a-f]{0,32}\Z")]
# The root of a record's tree, as it stands in a checkpoint.
Root: TypeAlias = Annotated[str, Meta(pattern=r"^(?:[A-Za-z0-9+/]{43}=)?\Z")]
Digest: TypeAlias = Annotated[str, Meta(pattern=r"^(?:[0-9a-f]{64})?\Z")]
# Base64 of 64 bytes, in its one form.
Signature: TypeAlias = Annotated[str, Meta(pattern=r"^(?:[A-Za-z0-9+/]{85}[AQgw]==)?\Z")]


class BadMessage(FlagfallError):
    """A payload that is not a message of its topic's kind, or not one for whom it reached."""

    def __init__(self, topic: str, expected: str) -> None:
        super().__init__(f"{topic}: {expected}"[:_LONGEST_LINE])


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """The common field of all messages: the version of the contract."""

    kind: ClassVar[Kind]
    VERSION: ClassVar[int] = 1
    v: Literal[1] = 1


class SignedMessage(Message, frozen=True, kw_only=True):
    """A message that its sender signs (`flagfall.link.signature`)."""

    VERSION: ClassVar[int] = 2
    v: Literal[2] = 2  # type: ignore[assignment]  # a message of version 1 was signed otherwise
    signature: Signature = ""


class Order(SignedMessage, frozen=True, kw_only=True):
    """A message of the hub to the device that it names, so that it cannot pass for one to another device."""

    device: Text = ""


class Health(msgspec.Struct, frozen=True):
    """ "ok", or in a few words what is wrong. `board_kind`: "sensors", "eye" or "" without a board. `power` may be
    "unknown"; it is "" in tables before 0.3.0."""

    board: Text = "ok"
    clock: Text = "ok"
    storage: Text = "ok"
    board_kind: Text = ""
    power: Text = ""


class ColourChosen(msgspec.Struct, frozen=True):
    """The choices of the players of `game` at the table: who plays black, and who wins a draw, by their ids."""

    game: Name
    black: Name
    draw_win: Name | None = None


class RecordHead(msgspec.Struct, frozen=True):
    """The record of `tournament` had this many entries, and the last one's hash was `head`. `root`: of its tree at that
    size, as in the checkpoint; "" in what a table says."""

    tournament: Name
    entries: Number
    head: Digest
    root: Root = ""


class Status(SignedMessage, frozen=True, kw_only=True):
    """A device, online or (its last will) offline. `answers`: ruling id -> "applied", "refused: <why>" or "expired";
    `refusals`: ruling id -> the key and places of that <why> (`flagfall.othello.refusals`), absent in tables before
    0.2.0. `fit`: whether play may start on it. `receipts`: the results of this tournament that it keeps, each with the
    ledger's head in its receipt, "" while it waits for one; a hub that lacks one requests it. `record`: the longest
    record of this tournament that the hub ever told. `choice`: of the colours of its game, until the hub's assignment
    contains it. `update`: the state of the last `Update`, if it matters.
    `troubles`: part of the device -> each of its faults by key and places (`flagfall.base.trouble`), beside the
    English of `health` and `update`; absent in tables before 0.2.0. `start`: the random token of this start of the
    program, "" in tables before 0.2.1; `disputed`: the hub has told this start that another one has the same
    identity."""

    kind: ClassVar[Kind] = Kind.STATUS
    online: bool
    version: Text = ""
    health: Health = Health()
    fit: bool = False
    answers: dict[str, Text] = {}
    refusals: dict[str, Any] = {}
    game: Name | None = None
    seat: Count | None = None
    receipts: dict[Name, Digest] = {}
    record: RecordHead | None = None
    choice: ColourChosen | None = None
    update: Text = ""
    troubles: dict[str, Any] = {}
    start: Start = ""
    disputed: bool = False


class Sessions(msgspec.Struct, frozen=True):
    """The starts of a device of which the hub knows more than one at a time, by their tokens.

    None of the `disputed` may sign; each of those `aside` leaves the broker. The one with the highest `seq` counts.
    """

    seq: Count
    disputed: tuple[Start, ...] = ()
    aside: tuple[Start, ...] = ()


def session_code(start: str) -> str:
    """Return the first letters of a start's token, which people compare on the screens of tables and console."""
    return start[:4].upper()


class Assignment(Order, frozen=True, kw_only=True):
    """The order of what a device is to play. The one with the highest `seq` counts."""

    kind: ClassVar[Kind] = Kind.ASSIGNMENT
    seq: Count
    tournament: Name | None = None
    game: Name | None = None  # null: nothing to play
    seat: Count | None = None
    header: dict[str, Any] | None = None  # the whole first line of the game file
    # The id of the player who chooses at the table before the game; colours and `draw_win` in `header` are
    # then open.
    chooses: Name | None = None
    may: May | None = None  # the choices (as in `finals --json`)
    hides: Name | None = None  # the id of the player who is proposed to hide a disc for the colours
    scored: bool = False  # the hub has a result of this game, whoever brought it
    hub_host: HostName = ""  # the hub's name in its network, which stays when its address changes
    page: PageAddress = ""  # the event's page for phones, "" if none is to be shown here
    sessions: Sessions | None = None  # set if the device runs twice, or has


class ClockShown(Message, frozen=True, kw_only=True):
    """The public state of a running game. `at_ns` is the table's own count then."""

    kind: ClassVar[Kind] = Kind.CLOCK
    game: Name
    state: State
    running: Colour | None
    clocks_ns: Both[Count]
    flags: Both[Count]
    to_move: Colour | None
    moves: Count
    position: Position
    transcript: Transcript
    at_ns: Count | None = None
    black: Text = ""  # the id of the player with Black, who may have drawn it at the table; "" before 0.3.0


class Move(Message, frozen=True, kw_only=True):
    """The game so far, for a broadcast."""

    kind: ClassVar[Kind] = Kind.MOVE
    game: Name
    transcript: Transcript


class Call(Message, frozen=True, kw_only=True):
    """The call for the director, with its reason."""

    kind: ClassVar[Kind] = Kind.CALL
    wanted: bool
    why: Text = ""
    game: Name | None = None


class Result(SignedMessage, frozen=True, kw_only=True):
    """The end of a game. `id` is `<game>.<revision>`, revisions count from 1. `file` is the whole game file
    (`flagfall.link.packed_file`), `sha256` that of the unpacked file; `incidents` are those of `replay --json`;
    `signatures` says who signed the score sheet; `closed`: the director has closed the game at the table without both
    of them; `no_show`: nobody had moved when it was forfeited or lost on time (absent in tables before 0.2.0);
    `players` are their ids, `hub` is the hub's public key in hex digits: what is signed says itself which game it was,
    and cannot pass for one of another event. The file is not signed, its `sha256` is."""

    kind: ClassVar[Kind] = Kind.RESULT
    id: Name
    game: Name
    revision: Number
    device: Name
    score: Both[Discs]
    winner: Colour | None
    reason: Reason
    transcript: Transcript
    clocks_ns: Both[Count]
    flags: Both[Count]
    incidents: list[dict[str, Any]]
    signatures: Both[bool]
    closed: bool = False
    no_show: bool | None = None
    hub: Digest = ""
    tournament: Text = ""
    players: Both[Text] = Both("", "")
    file: str
    sha256: Digest


class Receipt(Order, frozen=True, kw_only=True):
    """The receipt of the result `id`, which needs no more sending. Accepted: it is in the ledger, whose head is `head`.
    Not accepted: it is in quarantine, `why` says why; or, with `again`, the hub has lost it (a ledger restored from an
    old backup) and wants it sent again. `record`: how long the ledger is, for the table to remember; with the id
    "record" the receipt says nothing else."""

    kind: ClassVar[Kind] = Kind.RECEIPT
    id: Name
    accepted: bool
    head: Digest = ""
    why: Text = ""
    again: bool = False
    record: RecordHead | None = None


class RulingMessage(Order, frozen=True, kw_only=True):
    """The director's ruling `rule` (also "start") with its `fields`, as in a line of the game file.

    Applied once by `id`; only to the game it names; and, if `at_ns` is given, not later than `expires_s` after it. That
    is the table's own count when the ruling was sent, computed by the hub from the last clock: so no wall clock
    decides, and nobody can hold a ruling back and release it later.
    """

    kind: ClassVar[Kind] = Kind.RULING
    id: Name
    game: Name
    expires_s: Annotated[int, Meta(ge=1, le=86_400)]
    rule: Name
    fields: dict[str, Any] = {}
    at_ns: Count | None = None


class Update(Order, frozen=True, kw_only=True):
    """The programs that a device shall run from its next pause on: one wheel, to be fetched from the hub's page at
    `port` of `host` ("": the broker's host) under `path`. The one with the highest `seq` counts."""

    kind: ClassVar[Kind] = Kind.UPDATE
    seq: Count
    version: Annotated[str, Meta(pattern=r"^[0-9][0-9A-Za-z.+]{0,40}\Z")]
    size_bytes: Annotated[int, Meta(ge=1, le=LARGEST_UPDATE_BYTES)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
    host: Annotated[str, Meta(max_length=255, pattern=r"^[0-9A-Za-z.:-]*\Z")] = ""
    port: Annotated[int, Meta(ge=1, le=65_535)]

    @property
    def path(self) -> str:
        return f"/update/{self.sha256}"


AnyMessage: TypeAlias = (
    Status | Assignment | ClockShown | Move | Call | Result | Receipt | RulingMessage | Update
)

MESSAGES: Final[Mapping[Kind, type[AnyMessage]]] = {
    Kind.STATUS: Status,
    Kind.ASSIGNMENT: Assignment,
    Kind.CLOCK: ClockShown,
    Kind.MOVE: Move,
    Kind.CALL: Call,
    Kind.RESULT: Result,
    Kind.RECEIPT: Receipt,
    Kind.RULING: RulingMessage,
    Kind.UPDATE: Update,
}


class _Versioned(msgspec.Struct, frozen=True):
    v: int


_VERSION: Final = msgspec.json.Decoder(_Versioned)
_DECODERS: Final[Mapping[Kind, msgspec.json.Decoder[AnyMessage]]] = {
    kind: msgspec.json.Decoder(message) for kind, message in MESSAGES.items()
}


def encode(message: AnyMessage) -> bytes:
    """Return the payload of `message`, with every field written out. BadMessage if it is larger than any receiver
    accepts."""
    payload = msgspec.json.encode(message)
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise BadMessage(message.kind, f"{len(payload)} bytes, expected {LARGEST_PAYLOAD_BYTES} at most")
    return payload


def decode(topic: Topic, payload: bytes) -> AnyMessage:
    """Return the message in `payload`, of the class that `topic.kind` has in `MESSAGES`. Raises only BadMessage."""
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise BadMessage(str(topic), f"{len(payload)} bytes, expected {LARGEST_PAYLOAD_BYTES} at most")
    try:
        check_json(payload)
    except ValueError as bad:
        raise BadMessage(str(topic), f"expected a {topic.kind} as JSON: {bad}") from bad
    try:
        version, expected = _VERSION.decode(payload).v, MESSAGES[topic.kind].VERSION
        if version != expected:
            raise BadMessage(str(topic), f"version {version}, expected {expected}")
        return _DECODERS[topic.kind].decode(payload)
    except msgspec.MsgspecError as bad:
        raise BadMessage(str(topic), f"expected a {topic.kind} as JSON: {bad}") from bad
    except UnicodeError as bad:
        raise BadMessage(str(topic), "expected UTF-8") from bad

"""The kinds of entries in a tournament's chain that are no acts (`hub.record.acts`): messages of tables, what players
report, rounds and results. One frozen type each, with its version; `hub.record.codec` writes and reads them.

The fold of these entries is the tournament (`hub.record.fold`). A body holds everything that the fold needs, so the
same ledger gives the same standings on any machine. Scores are discs, black first.
"""

from __future__ import annotations

from typing import Any

import msgspec

from flagfall.base.message import Message
from flagfall.othello.colour_choice import May
from hub.model.games import Conditions, OfTwo
from hub.record.corrections import AnyChange
from hub.record.happening import Happening

# How a game may have ended by the report of its players; `Reason` has the other ends.
REPORTED_ENDS = ("board", "default", "resigned")


class PublishedGame(OfTwo, msgspec.Struct, frozen=True, kw_only=True):
    """One game of a round."""

    # The id that the hub made.
    game: str
    # The seat at which it is played.
    table: int
    black: str
    white: str


class PublishedFinal(PublishedGame, frozen=True, kw_only=True):
    """A game of playoffs or finals."""

    # As in the tournament file, as `stage` is.
    title: str
    stage: str
    minutes: float | None = None
    # A player's id.
    draw_win: str | None = None
    # The player who chooses at the table, and the kind of choice; colours and draw-win then wait for the choice.
    chooses: str | None = None
    may: May | None = None


class TournamentCreated(Happening, frozen=True, kw_only=True):
    """A new event."""

    TYPE = "tournament_created"
    CAN_BE_UNDONE = False
    # A `flagfall-tournament/1` object as it was given.
    file: dict[str, Any]
    # The devices by seat number.
    seats: dict[int, str] = msgspec.field(default_factory=dict)
    seq: int = 0


class ResultClaimed(Happening, frozen=True, kw_only=True):
    """A player's report of the score at a table without a device. It counts once the other player has reported the
    same."""

    TYPE = "result_claimed"
    CAN_BE_UNDONE = False
    LATER = ("reason", "position", "from_a1")
    MUST_KNOW = ("black", "at_tablet", "counts", *LATER)
    game: str
    player: str
    score: tuple[int, int]
    # The id of the player who had Black by this report, where the colours were drawn at the table; the score is then
    # theirs first.
    black: str | None = None
    # It was made at the tablet at the door, where anybody can say to be this player.
    at_tablet: bool = False
    # If the other player has reported the same, the score counts from now on (`PlayersPagesSet.confirm` at the time).
    counts: bool = True
    # One of `REPORTED_ENDS`.
    reason: str = "board"
    # The board at the end as it was photographed: 64 characters, a1 b1 ... h8 if it is known where a1 lies
    # (`from_a1`), else from a corner that nobody knows; "" for a score that was counted by hand.
    position: str = ""
    from_a1: bool = False


class ResultObjected(Happening, frozen=True, kw_only=True):
    """A player has said from their own page, in their `words`, that the result of their game is wrong."""

    TYPE = "result_objected"
    CAN_BE_UNDONE = False
    game: str
    player: str
    words: str


class PairingPublished(Happening, frozen=True, kw_only=True):
    """The games of the next round. `cost` and `warnings` come from the pairing."""

    TYPE = "pairing_published"
    VERSION = 2
    MUST_KNOW = ("conditions.byoyomi_s",)
    round: int
    games: tuple[PublishedGame, ...]
    byes: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    seq: int
    cost: dict[str, int] | None = None
    warnings: tuple[Message, ...] = ()
    # The director changed the pairing; `best` is then the cost of the best one.
    by_hand: bool = False
    best: dict[str, int] | None = None


class GameAdded(Happening, frozen=True, kw_only=True):
    """One more game of the round at the tables, of players without one: a latecomer and the player with the bye."""

    TYPE = "game_added"
    MUST_KNOW = ("conditions.byoyomi_s",)
    round: int
    game: PublishedGame
    conditions: Conditions = Conditions()
    seq: int


class FinalsPublished(Happening, frozen=True, kw_only=True):
    """The next games of playoffs or finals; each must be due. `increment_s`, `delay_s` and `byoyomi_s` are as in
    `Conditions`."""

    TYPE = "finals_published"
    MUST_KNOW = ("byoyomi_s",)
    games: tuple[PublishedFinal, ...]
    # Moves that are set up before the clocks start.
    opening: str = ""
    increment_s: float = 0
    delay_s: float = 0
    byoyomi_s: float = 0
    judged: bool = True
    sensors: bool = True
    broadcast: bool = False
    seq: int


class ColoursChosen(Happening, frozen=True, kw_only=True):
    """The player with Black in a game of the finals, and the winner of a draw (None: nobody), as its players have
    chosen."""

    TYPE = "colours_chosen"
    CAN_BE_UNDONE = False
    game: str
    black: str
    draw_win: str | None
    seq: int


class RulingSent(Happening, frozen=True, kw_only=True):
    """A ruling for the games named, by one id."""

    TYPE = "ruling_sent"
    CAN_BE_UNDONE = False
    ruling: str
    # "start" is the director's signal.
    rule: str
    games: tuple[str, ...]
    # Those of the game file's ruling.
    fields: dict[str, Any] = msgspec.field(default_factory=dict)
    # Seconds from the sending.
    lifetime_s: int = 60


class ResultReceived(Happening, frozen=True, kw_only=True):
    """A table's result, its signature verified."""

    TYPE = "result_received"
    VERSION = 2
    CAN_BE_UNDONE = False
    game: str
    revision: int
    device: str
    score: tuple[int, int]
    reason: str
    winner: str | None = None
    black: str | None = (
        None  # the id of the player with Black, who may have drawn it at the table; None in old ledgers
    )
    transcript: str = ""
    signed: tuple[bool, bool] = (False, False)
    # The director has closed the game at the table without both signatures.
    closed: bool = False
    # Nobody had moved when it was forfeited or lost on time; None if the table does not say it.
    no_show: bool | None = None
    # The table's record has an error that was not put right, so its moves do not show its boards.
    error_stands: bool = False
    # For ledgers of the time when results were judged first; now `ResultJudged` has them.
    differences: tuple[str, ...] = ()
    signature: str
    # What the table signed: the message's canonical JSON without signature and game file. In version 1 the whole text
    # that came, whose signature others cannot check.
    message: str


class GameFileReceived(Happening, frozen=True, kw_only=True):
    """The game file of a table's result, packed (`flagfall.link.packed_file`); the result names its SHA-256."""

    TYPE = "game_file_received"
    CAN_BE_UNDONE = False
    game: str
    revision: int
    sha256: str
    file: str


class ResultJudged(Happening, frozen=True, kw_only=True):
    """The hub's own referee has judged this revision's game file and differs from the table.

    There is no such entry if they agree.
    """

    TYPE = "result_judged"
    VERSION = 2
    CAN_BE_UNDONE = False
    game: str
    revision: int
    # One line each.
    differences: tuple[Message, ...]


class ResultEntered(Happening, frozen=True, kw_only=True):
    """The operator typed a score in. A score equal to the table's confirms it, a different one makes a conflict."""

    TYPE = "result_entered"
    LATER = ("position", "from_a1")
    MUST_KNOW = ("black", *LATER)
    game: str
    score: tuple[int, int]
    reason: str = "board"
    # The id of the player who wins this draw, "" for nobody, None if nobody has said.
    draw_win: str | None = None
    # The id of the player who had Black, where the colours were drawn at the table; the score is then theirs first.
    # "" if no colours were drawn: somebody never came. None if nobody has said.
    black: str | None = None
    # The board that the operator has photographed, as in `ResultClaimed`.
    position: str = ""
    from_a1: bool = False


class TranscriptEntered(Happening, frozen=True, kw_only=True):
    """The moves of a game whose table gave none, as the operator typed them or a player tapped them."""

    TYPE = "transcript_entered"
    LATER = ("player",)
    MUST_KNOW = LATER
    game: str
    # "": none after all.
    transcript: str
    # The id of the player who tapped or typed them on their own page, "" for an operator.
    player: str = ""


class ConflictResolved(Happening, frozen=True, kw_only=True):
    """The operator decided which of two scores stands."""

    TYPE = "conflict_resolved"
    MUST_KNOW = ("black",)
    game: str
    score: tuple[int, int]
    reason: str = "board"
    why: str = ""
    draw_win: str | None = None  # as of a typed result
    black: str | None = None  # as of a typed result


class MatterSettled(Happening, frozen=True, kw_only=True):
    """The director has dealt with `matters` of the list "Needs you", for the reason `why`: it shows them no more.

    A matter is named by its kind, its game and its facts, so that something new of the same game is shown.
    """

    TYPE = "matter_settled"
    matters: tuple[str, ...]
    # The game concerned, "" for none.
    game: str = ""
    why: str


class CorrectionMade(Happening, frozen=True, kw_only=True):
    """The director changed a round already paired (`hub.record.corrections`), for the reason `why`."""

    TYPE = "correction_made"
    MUST_KNOW = ("turns", "change.black")
    change: AnyChange
    why: str
    seq: int
    # An exchange takes along what was said of the game (`hub.record.exchange`). False in ledgers up to 0.3.0, where it
    # stayed: later entries may build on that.
    turns: bool = False


class EntryUndone(Happening, frozen=True, kw_only=True):
    """The entry with this id no longer counts; it may itself be undone. Assignments get the new `seq`."""

    TYPE = "entry_undone"
    entry: str
    seq: int


class RecordGap(Happening, frozen=True, kw_only=True):
    """Entries are missing before this one: the hub remembered the head `known_head` at entry `known_entries`."""

    TYPE = "record_gap"
    CAN_BE_UNDONE = False
    known_entries: int
    known_head: str
    # "restored" from an older backup, or "as_it_is": the director went on with the entries that were there.
    why: str

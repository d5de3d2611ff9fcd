"""The kinds of entries in a tournament's chain: one frozen type each, with its version.

The fold of these entries is the tournament (`hub.record.fold`). A body holds everything that the fold needs, so the
same ledger gives the same standings on any machine. `hub.record.codec` writes and reads it.
Scores are discs, black first.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, TypeAlias, get_args

import msgspec

from hub.model.games import Conditions, OfTwo
from hub.record.corrections import AnyChange
from othello.colour_choice import May
from othello.message import Message

ConductKind: TypeAlias = Literal["warning", "consultation", "devices", "conduct", "room", "let_in"]
# What can be noted of somebody: a warning, an abuse, an expulsion from the room, and the end of that.
CONDUCT: tuple[str, ...] = get_args(ConductKind)

# What games in play were begun under.
BEFORE_THE_START = ("rulebook", "rulebook_text", "system")
_ALWAYS = (
    *("name", "date", "end_date", "time_zone", "country", "sender"),
    *("rounds_planned", "bq_constant", "tie_break"),
)
# Fields of the tournament file that can be changed after its creation; the last three before the first start only.
CHANGEABLE = (*_ALWAYS, "team_matches", "line_ups", *BEFORE_THE_START)


class Happening(msgspec.Struct, frozen=True, kw_only=True):
    """Base of all: `TYPE` and `VERSION` name the form of the body in the ledger. An operator may take back what
    `CAN_BE_UNDONE`; what a table said, or was told, has happened, and what is shown is simply set again."""

    TYPE: ClassVar[str]
    VERSION: ClassVar[int] = 1
    CAN_BE_UNDONE: ClassVar[bool] = True


class PublishedGame(OfTwo, msgspec.Struct, frozen=True, kw_only=True):
    """One game of a round; `game` is the id that the hub made, `table` the seat at which it is played."""

    game: str
    table: int
    black: str
    white: str


class PublishedFinal(PublishedGame, frozen=True, kw_only=True):
    """A game of playoffs or finals; `title` and `stage` as in the tournament file, `draw_win` a player's id.

    `chooses`: the player who chooses at the table, and `may` what; colours and draw-win then wait for his word.
    """

    title: str
    stage: str
    minutes: float | None = None
    draw_win: str | None = None
    chooses: str | None = None
    may: May | None = None


class TournamentCreated(Happening, frozen=True, kw_only=True):
    """`file` is a `flagfall-tournament/1` object as it was given; `seats` the devices by seat number."""

    TYPE = "tournament_created"
    CAN_BE_UNDONE = False
    file: dict[str, Any]
    seats: dict[int, str] = {}
    seq: int = 0


class EventChanged(Happening, frozen=True, kw_only=True):
    """Fields of the tournament file, anew: of `CHANGEABLE`, null where there is to be none."""

    TYPE = "event_changed"
    fields: dict[str, Any]
    seq: int


class EventPutAway(Happening, frozen=True, kw_only=True):
    """Nobody but the console sees the event any more, and no table plays it; `away` false: it is back."""

    TYPE = "event_put_away"
    away: bool
    seq: int


class PlayerAdded(Happening, frozen=True, kw_only=True):
    """`player` is one object of the tournament file's `players`."""

    TYPE = "player_added"
    player: dict[str, Any]


class PlayerChanged(Happening, frozen=True, kw_only=True):
    """What is known of a player, anew: `player` is one object of the tournament file's `players`, its id known."""

    TYPE = "player_changed"
    player: dict[str, Any]


class PlayerRemoved(Happening, frozen=True, kw_only=True):
    """Entered by mistake: whoever has been paired withdraws instead. `name`: for the log."""

    TYPE = "player_removed"
    player: str
    name: str = ""


class PlayerWithdrawn(Happening, frozen=True, kw_only=True):
    """`expelled`: by the director, which counts as a withdrawal (`woc-2019` V.2.e); `why` then says for what."""

    TYPE = "player_withdrawn"
    player: str
    after_round: int
    expelled: bool = False
    why: str = ""


class PlayerAbsent(Happening, frozen=True, kw_only=True):
    """`half_point`: asked for in time, where the rulebook leaves it to the director."""

    TYPE = "player_absent"
    player: str
    round: int
    half_point: bool = False


class PlayerReturned(Happening, frozen=True, kw_only=True):
    """Who withdrew plays again from the next round on, where the rulebook leaves it to the director."""

    TYPE = "player_returned"
    player: str


class SeatAssigned(Happening, frozen=True, kw_only=True):
    """This device now stands at this seat (a spare takes over); None empties it."""

    TYPE = "seat_assigned"
    CAN_BE_UNDONE = False
    seat: int
    device: str | None
    seq: int


class BansSet(Happening, frozen=True, kw_only=True):
    """All pairs that are not to meet from now on."""

    TYPE = "bans_set"
    bans: tuple[tuple[str, str], ...]


class CategoriesSet(Happening, frozen=True, kw_only=True):
    """Categories of `cc-2024` II.6.1: which are merged into which (from: into), and which are allowed though small."""

    TYPE = "categories_set"
    merged: dict[str, str]
    allowed: tuple[str, ...] = ()


class ConductNoted(Happening, frozen=True, kw_only=True):
    """The director's note of somebody's conduct: of a `player` by his id, else of a `person` by name.

    `kind`: of `CONDUCT`. "room": he is expelled from the tournament room (`woc-2019` V.2.d) `until` then, "" for good.
    """

    TYPE = "conduct_noted"
    kind: str
    player: str | None = None
    person: str = ""
    clause: str = ""
    why: str
    until: str = ""
    after_round: int = 0


class WorldPlacesSet(Happening, frozen=True, kw_only=True):
    """How many players of this event qualify for the world championship (`cc-2024` V.1)."""

    TYPE = "world_places_set"
    places: int


class JudgesSet(Happening, frozen=True, kw_only=True):
    """Who judges at which seat: all of them, by seat number."""

    TYPE = "judges_set"
    judges: dict[int, str]


class PairingPublished(Happening, frozen=True, kw_only=True):
    """The games of the next round. `cost` and `warnings` come from the pairing.

    `by_hand`: the director changed the pairing; `best` is then what the best one would have cost.
    """

    TYPE = "pairing_published"
    VERSION = 2
    round: int
    games: tuple[PublishedGame, ...]
    byes: tuple[str, ...] = ()
    conditions: Conditions = Conditions()
    seq: int
    cost: dict[str, int] | None = None
    warnings: tuple[Message, ...] = ()
    by_hand: bool = False
    best: dict[str, int] | None = None


class GameAdded(Happening, frozen=True, kw_only=True):
    """One more game of the round at the tables, of players without one: a latecomer and who had the bye."""

    TYPE = "game_added"
    round: int
    game: PublishedGame
    conditions: Conditions = Conditions()
    seq: int


class FinalsPublished(Happening, frozen=True, kw_only=True):
    """The next games of playoffs or finals; each must be due. `increment_s`, `delay_s` as in `Conditions`."""

    TYPE = "finals_published"
    games: tuple[PublishedFinal, ...]
    increment_s: float = 0
    delay_s: float = 0
    judged: bool = True
    sensors: bool = True
    broadcast: bool = False
    seq: int


class ColoursChosen(Happening, frozen=True, kw_only=True):
    """Who plays black in a game of the finals, and who wins a draw (None: nobody), as its players have chosen."""

    TYPE = "colours_chosen"
    CAN_BE_UNDONE = False
    game: str
    black: str
    draw_win: str | None
    seq: int


class ShowingSet(Happening, frozen=True, kw_only=True):
    """What the projector and the world outside are shown. `starts_at`: when the next round begins, a label (ISO 8601
    with its offset); `boards`: the tables whose boards the projector shows, None for the first of them;
    `delay_s`: how much later the world outside sees what happens."""

    TYPE = "showing_set"
    CAN_BE_UNDONE = False
    starts_at: str | None = None
    boards: tuple[int, ...] | None = None
    delay_s: int = 0


class RulingSent(Happening, frozen=True, kw_only=True):
    """A ruling for the games named, by one id; `rule` "start" is the director's signal.

    `fields` are those of the game file's ruling. `lifetime_s` counts from the sending.
    """

    TYPE = "ruling_sent"
    CAN_BE_UNDONE = False
    ruling: str
    rule: str
    games: tuple[str, ...]
    fields: dict[str, Any] = {}
    lifetime_s: int = 60


class ResultReceived(Happening, frozen=True, kw_only=True):
    """A table's result, its signature verified. `message` is the text that came, with the game file in it.

    `closed`: the director has closed the game at the table without both signatures; `no_show`: nobody had moved when
    it was forfeited or lost on time, None where the table does not say it.
    `error_stands`: the table's record has an error that was not put right, so its moves do not show its boards.
    `differences` is for ledgers of the time when results were judged first; now `ResultJudged` tells them.
    """

    TYPE = "result_received"
    CAN_BE_UNDONE = False
    game: str
    revision: int
    device: str
    score: tuple[int, int]
    reason: str
    winner: str | None = None
    transcript: str = ""
    signed: tuple[bool, bool] = (False, False)
    closed: bool = False
    no_show: bool | None = None
    error_stands: bool = False
    differences: tuple[str, ...] = ()
    signature: str
    message: str


class ResultJudged(Happening, frozen=True, kw_only=True):
    """The hub's own referee has judged this revision's game file again and found it otherwise than the table said.

    `differences`: one line each. There is no such entry where they agree.
    """

    TYPE = "result_judged"
    VERSION = 2
    CAN_BE_UNDONE = False
    game: str
    revision: int
    differences: tuple[Message, ...]


class ResultEntered(Happening, frozen=True, kw_only=True):
    """The operator typed a score in. Equal to the table's it confirms, different it is a conflict."""

    TYPE = "result_entered"
    game: str
    score: tuple[int, int]
    reason: str = "board"


class TranscriptEntered(Happening, frozen=True, kw_only=True):
    """The moves of a game whose table gave none, as the operator typed them; "": none after all."""

    TYPE = "transcript_entered"
    game: str
    transcript: str


class ConflictResolved(Happening, frozen=True, kw_only=True):
    """The operator decided which score of two stands."""

    TYPE = "conflict_resolved"
    game: str
    score: tuple[int, int]
    reason: str = "board"
    why: str = ""


class MatterSettled(Happening, frozen=True, kw_only=True):
    """The director has dealt with `matters` of the list "Needs you", for the reason `why`: it shows them no more.

    A matter is named by its kind, the game and what was seen of it, so that something new of the same game is shown.
    `game`: the game concerned, "" for none.
    """

    TYPE = "matter_settled"
    matters: tuple[str, ...]
    game: str = ""
    why: str


class CorrectionMade(Happening, frozen=True, kw_only=True):
    """The director changed a round already paired (`hub.record.corrections`), for the reason `why`."""

    TYPE = "correction_made"
    change: AnyChange
    why: str
    seq: int


class EntryUndone(Happening, frozen=True, kw_only=True):
    """The entry with this id no longer counts; it may itself be undone. Assignments get the new `seq`."""

    TYPE = "entry_undone"
    entry: str
    seq: int


class RecordGap(Happening, frozen=True, kw_only=True):
    """Entries are missing before this one: the hub remembered the head `known_head` at entry `known_entries`.

    `why`: "restored" from an older backup, or "as_it_is": the director went on with what was there.
    """

    TYPE = "record_gap"
    CAN_BE_UNDONE = False
    known_entries: int
    known_head: str
    why: str


class TournamentClosed(Happening, frozen=True, kw_only=True):
    """The event is over; tables may drop their own records."""

    TYPE = "tournament_closed"


ALL: tuple[type[Happening], ...] = tuple(Happening.__subclasses__())
UNDOABLE = frozenset(kind.TYPE for kind in ALL if kind.CAN_BE_UNDONE)

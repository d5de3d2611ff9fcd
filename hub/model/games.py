"""Games of rounds and of finals, the rounds that hold them, and pairings that are fixed beforehand.

Scores are discs, black first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import TypeAlias

import msgspec

from flagfall.base.message import Message
from flagfall.othello.colour_choice import May
from flagfall.othello.reason import Reason
from flagfall.othello.rulebook import Stage

# The titles of finals; a division's name follows the last one.
OPEN, WOMEN, YOUNG, DIVISION = "open", "women", "young", "division:"


class EventStage(StrEnum):
    """The stage of an event to which a game belongs: its rounds, or a match of its playoffs and finals."""

    QUALIFYING = "qualifying"
    PLAYOFF = "playoff"
    SEMI_FINAL = "semi-final"
    THIRD_PLACE = "third-place"
    FINAL = "final"
    # Of a knockout after leagues.
    ROUND_OF_32 = "round-of-32"
    ROUND_OF_16 = "round-of-16"
    QUARTER_FINAL = "quarter-final"
    PLACES_5_8 = "places-5-8"
    FIFTH_PLACE = "fifth-place"
    SEVENTH_PLACE = "seventh-place"


def stage_at_table(stage: str) -> str:
    """Return the stage of a game file for a stage of the event: a playoff for those that only the event knows."""
    return stage if stage in tuple(Stage) else Stage.PLAYOFF


_WITHOUT_MOVES = frozenset((Reason.FORFEIT, Reason.SECOND_FLAG))


class OfTwo:
    """A base for pairings of two players: `black` and `white` are their ids."""

    __slots__ = ()
    black: str
    white: str

    @property
    def players(self) -> tuple[str, str]:
        """The ids of Black and White."""
        return self.black, self.white


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """The conditions of the games of a round: the game file's header without the players."""

    stage: str = "qualifying"
    # None: the rulebook's for that stage.
    minutes: float | None = None
    # Seconds per move, if the rulebook has them.
    increment_s: float = 0
    delay_s: float = 0
    # Seconds for each move of a player whose time is up, if the rulebook has a count-down.
    byoyomi_s: float = 0
    judged: bool = True
    sensors: bool = True
    broadcast: bool = False
    # Moves that are set up before the clocks start.
    opening: str = ""


@dataclass(frozen=True)
class Reported:
    """The latest result that a table sent."""

    device: str
    revision: int
    score: tuple[int, int]
    reason: str
    winner: str | None
    transcript: str
    signed: tuple[bool, bool]
    differences: tuple[Message, ...]
    # The label of the entry.
    at: str
    # The ids of Black and White as the table has signed them; the director may have exchanged them since.
    players: tuple[str, str]
    # The director has closed the game at the table without both signatures.
    closed: bool = False
    # None if the table does not say whether anybody has moved.
    no_show: bool | None = None


Score: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Said:
    """A result as somebody says it: the score in the order of the game's players, and who had Black."""

    score: Score
    # A player's id; "" where nobody was asked: the colours were known, or no colours were drawn.
    black: str = ""


@dataclass(frozen=True, slots=True)
class BoardSeen:
    """A board at the end of a game, as it was photographed."""

    # 64 characters: `X` black, `O` white, `-` empty.
    squares: str
    # They begin at a1. Else the board may lie any way round, and no file that means a1 has it.
    from_a1: bool = False


@dataclass(frozen=True, slots=True)
class TappedMoves:
    """Moves of a game as a player has tapped them."""

    # As `f5d6c3`.
    moves: str
    # The player's id; "" if they are none of the game's any more.
    player: str


@dataclass(frozen=True, slots=True)
class Claim:
    """The players' reports of the score at a table without a device. Their scores are in the order of `Game.players`,
    also while the colours are open."""

    # The score that was reported first.
    score: Score
    # Black and White have reported it.
    by: tuple[bool, bool]
    # The number of reports of this game.
    number: int = 1
    # The other player's score if it is another one, or another player had Black by their report.
    other: Score | None = None
    # The id of the player who had Black by the first report, and by the other; "" where the colours were known.
    black: str = ""
    other_black: str = ""
    # The report of Black, and of White, was made at the tablet at the door: anybody may have made it.
    at_tablet: tuple[bool, bool] = (False, False)
    # How the game ended by the first report.
    reason: str = "board"
    # The board as the first report has it, or the other's of the same score; and as the other player's of another score
    # has it. What lay there was black or white whoever sat there: an exchange of colours does not turn it.
    board: BoardSeen | None = None
    other_board: BoardSeen | None = None

    @property
    def agreed(self) -> bool:
        """Return True if both players have reported the same score."""
        return all(self.by)


@dataclass(frozen=True, slots=True)
class ScribeLink:
    """The state of the address at which a scribe taps the moves of a game (`hub.desk.player_links`)."""

    number: int
    active: bool


@dataclass(frozen=True)
class FinalPlace:
    """The place of a game in playoffs or finals.

    The fields below `stage` are of the record, as in `Game`.
    """

    title: str
    stage: str
    _: KW_ONLY
    # The player who chooses at the table, and the kind of choice.
    chooses: str | None = field(default=None, compare=False)
    may: May | None = field(default=None, compare=False)
    # The choice has been made.
    chosen: bool = field(default=False, compare=False)
    # The label of the entry that published the game.
    asked_at: str = field(default="", compare=False)

    @property
    def awaits_choice(self) -> bool:
        """Return True if a player is to choose at the table and has not yet."""
        return self.chooses is not None and not self.chosen


@dataclass(frozen=True)
class Game(OfTwo):
    """A game of a round, or of playoffs and finals (`final`).

    The fields down to `extra` are those of the tournament file: pairing and ranking depend on them, and two games with
    the same are equal. The fields below are of the record alone, and no file has them.
    """

    black: str
    white: str
    # The score that counts, None while the game is being played.
    score: tuple[int, int] | None = None
    reason: str = "board"
    # 0 if nobody names one.
    table: int = 0
    _: KW_ONLY
    transcript: str = ""
    error_stands: bool = False  # its table's record has an error that was not put right
    no_show: bool | None = None  # its table's report, of a game without moves: True if nobody has moved
    discs: str = ""  # "unknown": a file says who has won, and not by how many
    draw_win: str | None = None  # the id of the player who wins a draw, None if nobody does
    final: FinalPlace | None = None
    # Unknown fields of the file.
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    id: str = field(default="", compare=False)
    # Of a final: the last round before it.
    round: int = field(default=0, compare=False)
    table_is_its_place: bool = field(default=False, compare=False)  # in the round: its file names none
    # None: the tournament's file brought the game along, and it is not played at a table of this hub.
    conditions: Conditions | None = field(default=None, compare=False)
    # The last device to which it was assigned.
    device: str | None = field(default=None, compare=False)
    # Devices to which it was assigned before.
    left_devices: frozenset[str] = field(default=frozenset(), compare=False)
    # The device's result.
    reported: Reported | None = field(default=None, compare=False)
    # What its players report, without a device at the table.
    claim: Claim | None = field(default=None, compare=False)
    # Revision -> its signature, for all results that came.
    revisions: Mapping[int, str] = field(default_factory=dict, compare=False)
    # Scores that counted before.
    replaced: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    # The operator's score.
    entered: tuple[int, int] | None = field(default=None, compare=False)
    # Table and operator differ, and nobody has decided yet.
    conflict: bool = field(default=False, compare=False)
    # The operator has decided such a conflict.
    decided: bool = field(default=False, compare=False)
    # A transcript that an operator typed, or a player tapped, when the table gave none.
    typed_moves: str = field(default="", compare=False)
    # The id of the player who tapped it, "" for an operator.
    typed_by: str = field(default="", compare=False)
    # Moves of a player that end otherwise than the result: they count once the other player has kept the same.
    tapped: TappedMoves | None = field(default=None, compare=False)
    # Matters of this game that the director has settled (`MatterSettled`).
    settled: frozenset[str] = field(default=frozenset(), compare=False)
    # It joined a published round, and waits for a start of its own.
    added: bool = field(default=False, compare=False)
    # The players draw the colours at the table (jof J1): those of the pairing say nothing until its result.
    draws_colours: bool = field(default=False, compare=False)
    # They drew the other colours than those of the assignment.
    exchanged: bool = field(default=False, compare=False)
    # The result names who had Black (True), or says that no colours were drawn: somebody never came (False).
    drawn: bool | None = field(default=None, compare=False)
    # Who had Black by the operator's `entered`, while players' reports differ from it.
    entered_black: str = field(default="", compare=False)
    # The board that the operator has photographed for `entered`.
    entered_board: BoardSeen | None = field(default=None, compare=False)
    # The link of its scribe; None: it never had one.
    scribe: ScribeLink | None = field(default=None, compare=False)

    @property
    def title(self) -> str:
        """The title of a game of the finals; "" of a round's."""
        return self.final.title if self.final is not None else ""

    @property
    def stage(self) -> str:
        """The stage of a game of the finals; "" of a round's."""
        return self.final.stage if self.final is not None else ""

    @property
    def table_of_file(self) -> int:
        """The table as a file of the tournament names it, or 0 if it does not."""
        return 0 if self.table_is_its_place else self.table

    @property
    def where(self) -> Message:
        """The place of the game in the event, in a director's words."""
        if self.final is None:
            return Message.of("round {round}, table {table}", round=self.round, table=self.table)
        return Message.of(
            "{title} {stage}, table {table}", title=self.title, stage=self.stage, table=self.table
        )

    @property
    def is_no_show(self) -> bool:
        """Return True if one or both never came: the game was forfeited or lost on time, and nobody moved.

        Without a table's report a forfeit without moves on record is a no-show.
        """
        if self.reason == Reason.WALKOVER:
            return True
        if self.reason not in _WITHOUT_MOVES or self.transcript:
            return False
        return self.reason == Reason.FORFEIT if self.no_show is None else self.no_show

    @property
    def table_moves(self) -> str:
        """The transcript as the table gave it, or "" if it has no move beyond the opening that was set up."""
        moves = "" if self.reported is None else self.reported.transcript
        return "" if self.conditions is not None and moves == self.conditions.opening else moves

    @property
    def known_moves(self) -> str:
        """The transcript as the table or the operator gave it, or "" if neither did."""
        return self.table_moves or self.typed_moves

    @property
    def finished_moves(self) -> str:
        """The transcript of a finished game, from its table, the operator or the tournament's file; "" without one."""
        return self.transcript if self.score is not None else ""

    @property
    def has_replay(self) -> bool:
        """Return True if there is anything to step through: moves, or a table's record. A game on paper has neither."""
        if self.score is None:
            return self.device is not None or self.has_scribe
        return self.reported is not None or bool(self.transcript)

    @property
    def has_scribe(self) -> bool:
        """Return True if somebody beside the board has a link to tap its moves."""
        return self.scribe is not None and self.scribe.active

    @property
    def colours_open(self) -> bool:
        """Return True if the colours or the draw-win are still to be chosen: black and white say nothing yet."""
        waits = self.final is not None and self.final.awaits_choice
        return (self.score is None or self.drawn is False) and (waits or self.draws_colours)

    @property
    def asks_black(self) -> bool:
        """Return True if a typed result says who had Black: the colours are open, or were drawn at the table."""
        return self.draws_colours or self.colours_open

    def in_seats(self, score: Score, black: str | None) -> Score:
        """Return the score in the order of `players`; it is given with the discs of the player `black` first."""
        return score[::-1] if black == self.white else score

    @property
    def seats(self) -> tuple[str, ...]:
        """The ids of Black and White, for forms that name a side. Where the colours are drawn at the table, their order
        says nothing yet."""
        return tuple(sorted(self.players)) if self.draws_colours else self.players

    @property
    def assigned_players(self) -> tuple[str, str]:
        """The ids of Black and White as the game was assigned, before a draw of colours at the table."""
        return (self.white, self.black) if self.exchanged else self.players

    @property
    def broadcast(self) -> bool:
        """Return True if the director lets board and clocks be shown while it is played."""
        return self.conditions is not None and self.conditions.broadcast

    @property
    def confirmed(self) -> bool:
        """Return True if table and operator have given the same score, or both players have."""
        if self.reported is None and self.claim is not None and self.claim.agreed:
            return self.claim.score == self.score
        return self.score_from_table is not None and self.entered == self.score_from_table

    @property
    def score_from_table(self) -> tuple[int, int] | None:
        """The score that the table's device has sent, or else the one that a player reported first."""
        if self.reported is not None:
            return self.reported.score
        return None if self.claim is None else self.claim.score

    @property
    def confirmed_at_tablet(self) -> bool:
        """Return True if this result rests on the tablet at the door: one of its two reports was made there, and no
        operator has typed the same score."""
        if self.reported is not None or self.claim is None or not self.claim.agreed or self.decided:
            return False
        return any(self.claim.at_tablet) and self.claim.score == self.score != self.entered

    @property
    def results_in_conflict(self) -> tuple[Said, ...]:
        """The results between which the director decides: the table's or the players', then the operator's."""
        if not self.conflict:
            return ()
        results = []
        if self.reported is not None:
            results.append(Said(self.reported.score))
        elif self.claim is not None:
            results.append(Said(self.claim.score, self.claim.black))
            if self.claim.other is not None:
                results.append(Said(self.claim.other, self.claim.other_black))
        elif self.score is not None:  # its players have been exchanged since: a score may stand of that time
            results.append(Said(self.score))
        if self.entered is not None:
            results.append(Said(self.entered, self.entered_black))
        return tuple(dict.fromkeys(results))

    @property
    def signed(self) -> bool:
        """Return True if both players have signed at the table."""
        return self.reported is not None and all(self.reported.signed)

    @property
    def in_question(self) -> bool:
        """Return True if a doubt about the result is open.

        Table and operator differ, or the hub's referee finds otherwise or could not judge; and nobody has ruled or
        settled it.
        """
        if self.conflict:
            return True
        doubted = self.reported is not None and bool(self.reported.differences)
        return doubted and not self.decided and self.entered is None and self.doubt not in self.settled

    @property
    def doubt(self) -> str:
        """The name of the matter to be settled if the hub's referee finds otherwise, else ""."""
        if self.reported is None or not self.reported.differences:
            return ""
        return matter("doubt", self.id, self.reported.revision, *self.reported.differences)


def players_results(game: Game) -> dict[str, Said]:
    """Return what each player reports of the game, by id, Black's report first."""
    claim = game.claim
    if claim is None:
        return {}
    first = Said(claim.score, claim.black)
    other = first if claim.agreed else None if claim.other is None else Said(claim.other, claim.other_black)
    reports = (first, other) if claim.by[0] else (other, first)
    return {player: said for player, said in zip(game.players, reports, strict=True) if said is not None}


def matter(kind: str, *parts: object) -> str:
    """Return the name of a matter that the director may settle: its kind, then a digest of its facts.

    The same facts give the same name on any machine; other facts give another one.
    """
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:12]
    return f"{kind}-{digest}"


@dataclass(frozen=True)
class Round:
    games: tuple[Game, ...] = ()
    byes: tuple[str, ...] = ()
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    @property
    def players(self) -> tuple[str, ...]:
        """Everybody with a place in it: game by game, then the byes."""
        return (*(player for game in self.games for player in game.players), *self.byes)


@dataclass(frozen=True, slots=True)
class Pin(OfTwo):
    """A pairing of the next round that the director has fixed."""

    black: str
    white: str
    # None: any table.
    table: int | None = None

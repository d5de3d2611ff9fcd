"""Games of rounds and of finals, the rounds that hold them, and pairings that are fixed beforehand.

Scores are discs, black first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field

import msgspec

from othello.colour_choice import May
from othello.message import Message
from othello.reason import Reason

# The titles of finals; a division's name follows the last.
OPEN, WOMEN, YOUNG, DIVISION = "open", "women", "young", "division:"

_WITHOUT_MOVES = frozenset((Reason.FORFEIT, Reason.SECOND_FLAG))


class OfTwo:
    """What two players meet in: `black` and `white` are their ids."""

    __slots__ = ()
    black: str
    white: str

    @property
    def players(self) -> tuple[str, str]:
        """Black's id, and White's."""
        return self.black, self.white


class Conditions(msgspec.Struct, frozen=True, kw_only=True):
    """How the games of a round are played: what the game file's header says beyond the players.

    `minutes` None: the rulebook's for that stage. `increment_s`, `delay_s`: of each move, where the rulebook has them.
    """

    stage: str = "qualifying"
    minutes: float | None = None
    increment_s: float = 0
    delay_s: float = 0
    judged: bool = True
    sensors: bool = True
    broadcast: bool = False


@dataclass(frozen=True)
class Reported:
    """The latest result that a table sent; `at` is the label of the entry. `closed`: the director has closed the game
    at the table without both signatures; `no_show` is None where it does not say whether anybody has moved."""

    device: str
    revision: int
    score: tuple[int, int]
    reason: str
    winner: str | None
    transcript: str
    signed: tuple[bool, bool]
    differences: tuple[Message, ...]
    at: str
    closed: bool = False
    no_show: bool | None = None


@dataclass(frozen=True)
class FinalPlace:
    """The place of a game in playoffs or finals; `draw_win` is the id of the player who wins a draw.

    `chooses`: who chooses at the table, and `may` what; `chosen`: it has been said. `asked_at`: the label of the entry
    that published the game. These four are of the record, as in `Game`.
    """

    title: str
    stage: str
    draw_win: str | None = None
    _: KW_ONLY
    chooses: str | None = field(default=None, compare=False)
    may: May | None = field(default=None, compare=False)
    chosen: bool = field(default=False, compare=False)
    asked_at: str = field(default="", compare=False)

    @property
    def awaits_choice(self) -> bool:
        """Tell whether a player is to choose at the table and has not yet."""
        return self.chooses is not None and not self.chosen


@dataclass(frozen=True)
class Game(OfTwo):
    """A game of a round, or of playoffs and finals (`final`).

    The fields down to `extra` are those of the tournament file: pairing and ranking depend on them, and two games with
    the same are equal. `score` is the one that counts, None while it is being played; `table` is 0 where nobody names
    one; `extra` keeps unknown fields of the file.

    The fields below are of the record alone, and no file has them. `round` of a final is the last one before it.
    `conditions` None: the tournament's file brought the game along, it is not played at a table of this hub.
    `device` is the last one it was assigned to; `reported` came from it, `entered` from the operator; `revisions` are
    the signatures of all that came, `replaced` the scores that counted before. `conflict`: they differ and nobody has
    decided yet; `decided`: the operator has. `typed_moves`: a transcript that an operator typed, where the table gave
    none. `settled`: matters of this game that the director has settled (`MatterSettled`); `added`: it joined a round
    that was published, and waits for a start of its own.
    """

    black: str
    white: str
    score: tuple[int, int] | None = None
    reason: str = "board"
    table: int = 0
    _: KW_ONLY
    transcript: str = ""
    error_stands: bool = False  # its table's record has an error that was not put right
    no_show: bool | None = None  # its table's report, of a game without moves: True if nobody has moved
    discs: str = ""  # "unknown": a file says who has won, and not by how many
    final: FinalPlace | None = None
    extra: Mapping[str, object] = field(default_factory=dict, hash=False)

    id: str = field(default="", compare=False)
    round: int = field(default=0, compare=False)
    table_is_its_place: bool = field(default=False, compare=False)  # in the round: its file names none
    conditions: Conditions | None = field(default=None, compare=False)
    device: str | None = field(default=None, compare=False)
    reported: Reported | None = field(default=None, compare=False)
    revisions: Mapping[int, str] = field(default_factory=dict, compare=False)
    replaced: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    entered: tuple[int, int] | None = field(default=None, compare=False)
    conflict: bool = field(default=False, compare=False)
    decided: bool = field(default=False, compare=False)
    typed_moves: str = field(default="", compare=False)
    settled: frozenset[str] = field(default=frozenset(), compare=False)
    added: bool = field(default=False, compare=False)

    @property
    def title(self) -> str:
        """The title of a game of the finals; "" of a round's."""
        return self.final.title if self.final is not None else ""

    @property
    def stage(self) -> str:
        """The stage of a game of the finals; "" of a round's."""
        return self.final.stage if self.final is not None else ""

    @property
    def draw_win(self) -> str | None:
        """The id of the player who wins a draw, or None if nobody does."""
        return self.final.draw_win if self.final is not None else None

    @property
    def table_of_file(self) -> int:
        """The table as a file of the tournament names it, or 0 if it does not."""
        return 0 if self.table_is_its_place else self.table

    @property
    def where(self) -> Message:
        """The place of the game in the event, as a director says it."""
        if self.final is None:
            return Message.of("round {round}, table {table}", round=self.round, table=self.table)
        return Message.of(
            "{title} {stage}, table {table}", title=self.title, stage=self.stage, table=self.table
        )

    @property
    def is_no_show(self) -> bool:
        """One or both never came: forfeited, or lost on time, and nobody moved. Without a table's report a forfeit
        without moves on record is one."""
        if self.reason not in _WITHOUT_MOVES or self.transcript:
            return False
        return self.reason == Reason.FORFEIT if self.no_show is None else self.no_show

    @property
    def told_moves(self) -> str:
        """The transcript as the table or the operator gave it, or "" if neither did."""
        return (self.reported.transcript if self.reported is not None else "") or self.typed_moves

    @property
    def finished_moves(self) -> str:
        """The transcript of a finished game, from its table, the operator or the tournament's file; "" without one."""
        return self.transcript if self.score is not None else ""

    @property
    def has_replay(self) -> bool:
        """Tell whether there is anything to step through: moves, or a table's record. A game on paper has neither."""
        if self.score is None:
            return self.device is not None
        return self.reported is not None or bool(self.transcript)

    @property
    def colours_open(self) -> bool:
        """The players' colours, or who wins a draw, are still to be chosen: black and white say nothing yet."""
        return self.final is not None and self.score is None and self.final.awaits_choice

    @property
    def broadcast(self) -> bool:
        """Tell whether the director lets board and clocks be told while it is played."""
        return self.conditions is not None and self.conditions.broadcast

    @property
    def confirmed(self) -> bool:
        """Table and operator have told the same score."""
        return self.reported is not None and self.entered == self.reported.score

    @property
    def signed(self) -> bool:
        """Both players have signed at the table."""
        return self.reported is not None and all(self.reported.signed)

    @property
    def in_question(self) -> bool:
        """Table and operator differ, or the hub's referee finds otherwise or could not judge, and nobody has ruled or
        settled it."""
        if self.conflict:
            return True
        doubted = self.reported is not None and bool(self.reported.differences)
        return doubted and not self.decided and self.entered is None and self.doubt not in self.settled

    @property
    def doubt(self) -> str:
        """The name of what the hub's referee finds otherwise, as a matter to be settled; "" without such."""
        if self.reported is None or not self.reported.differences:
            return ""
        return matter("doubt", self.id, self.reported.revision, *self.reported.differences)


def matter(kind: str, *parts: object) -> str:
    """Return the name of a matter that the director may settle: its kind, then all of what it is told by.

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
    """A pairing of the next round that the director has fixed; `table` None: any."""

    black: str
    white: str
    table: int | None = None

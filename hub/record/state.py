"""A tournament and its room as a frozen value: what the entries of its chain have come to (`hub.record.fold`).

A `Mapping` is made once with its value; that nobody changes it afterwards is the type checker's to see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter

from hub.model.games import FinalGame, Game, OfTwo
from hub.model.tournament import Tournament
from hub.record.events import Conditions, ConductNoted, PublishedGame, ShowingSet
from othello.colour_choice import May
from othello.message import Message
from othello.value import replace


@dataclass(frozen=True)
class Reported:
    """What a table's latest result says; `at` is the label of the entry. `closed`: the director has closed the game
    at the table without both signatures; `no_show` is None where it does not say whether anybody has moved;
    `error_stands`: an error stands in its moves."""

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
    error_stands: bool = False


@dataclass(frozen=True, slots=True)
class FinalPlace:
    """Game number `number` (from 0) of the tournament's finals; `draw_win` is the id of who wins a draw.

    `chooses`: who chooses at the table, and `may` what; `chosen`: it has been said. `asked_at`: the label of the entry
    that published the game.
    """

    number: int
    title: str
    stage: str
    draw_win: str | None = None
    chooses: str | None = None
    may: May | None = None
    chosen: bool = False
    asked_at: str = ""

    @property
    def awaits_choice(self) -> bool:
        return self.chooses is not None and not self.chosen


@dataclass(frozen=True)
class GameRecord(OfTwo):
    """One game of a round, or of the finals (`final`; `round` is then the last one before).

    `score` is the one that counts; None while it is being played.
    `conditions` None: a game that the tournament's file brought along; it is not played at a table of this hub.

    `device` is the last one it was assigned to. `reported` came from it, `entered` from the operator;
    `revisions` are the signatures of all that came, `replaced` the scores that counted before.
    `conflict`: they differ and nobody has decided yet; `decided`: the operator has.
    `typed_moves`: a transcript that an operator typed, where the table gave none.
    `settled`: matters of this game that the director has settled (`MatterSettled`); `added`: it joined a round that was
    published, and waits for a start of its own.
    """

    game: str
    round: int
    table: int
    black: str
    white: str
    conditions: Conditions | None = None
    device: str | None = None
    score: tuple[int, int] | None = None
    reason: str = "board"
    reported: Reported | None = None
    revisions: Mapping[int, str] = field(default_factory=dict)
    replaced: tuple[tuple[int, int], ...] = ()
    entered: tuple[int, int] | None = None
    conflict: bool = False
    decided: bool = False
    final: FinalPlace | None = None
    typed_moves: str = ""
    settled: frozenset[str] = frozenset()
    added: bool = False

    @classmethod
    def of(
        cls, paired: PublishedGame, round_: int, conditions: Conditions, final: FinalPlace | None = None
    ) -> GameRecord:
        """The record of a game that is published, before anybody has played it."""
        return cls(paired.game, round_, paired.table, *paired.players, conditions=conditions, final=final)

    @classmethod
    def of_file(
        cls, game_id: str, round_: int, table: int, game: Game | FinalGame, final: FinalPlace | None = None
    ) -> GameRecord:
        """The record of a game that the tournament's file brought along."""
        new = cls(game_id, round_, table, *game.players, final=final)
        return replace(new, score=game.score, reason=game.reason, entered=game.score)

    @property
    def where(self) -> Message:
        """The place of the game in the event, as a director says it."""
        if self.final is None:
            return Message.of("round {round}, table {table}", round=self.round, table=self.table)
        title, stage = self.final.title, self.final.stage
        return Message.of("{title} {stage}, table {table}", title=title, stage=stage, table=self.table)

    @property
    def colours_open(self) -> bool:
        """The players' colours, or who wins a draw, are still to be chosen: black and white say nothing yet."""
        return self.final is not None and self.score is None and self.final.awaits_choice

    @property
    def broadcast(self) -> bool:
        """Whether the director lets board and clocks be told while it is played."""
        return self.conditions is not None and self.conditions.broadcast

    @property
    def confirmed(self) -> bool:
        """Table and operator have told the same score."""
        return self.reported is not None and self.entered == self.reported.score

    @property
    def transcript(self) -> str:
        """As the table or the operator gave it; "" where neither did."""
        return (self.reported.transcript if self.reported is not None else "") or self.typed_moves

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
        return matter("doubt", self.game, self.reported.revision, *self.reported.differences)

    @property
    def signed(self) -> bool:
        return self.reported is not None and all(self.reported.signed)


def matter(kind: str, *parts: object) -> str:
    """The name of a matter that the director may settle: its kind, then all of what it is told by.

    The same facts give the same name on any machine; other facts give another one.
    """
    digest = hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()[:12]
    return f"{kind}-{digest}"


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """What a device is to show: its seat, and the game to be played there (None: nothing to play)."""

    seq: int
    seat: int | None
    game: str | None


@dataclass(frozen=True, slots=True)
class SentRuling:
    ruling: str
    rule: str
    games: tuple[str, ...]
    fields: Mapping[str, object]
    lifetime_s: int
    at: str = ""
    who: str = ""


@dataclass(frozen=True, slots=True)
class Conduct:
    """A note of somebody's conduct, with the label of its entry and who made it."""

    said: ConductNoted
    at: str
    who: str

    @property
    def about(self) -> tuple[str | None, str]:
        """The player's id; the name of somebody who does not play."""
        return self.said.player, self.said.person


@dataclass(frozen=True)
class TournamentState:
    """A tournament and its room. `tournament.rounds` is kept in step with `games`.

    `former_games`: ids of games whose round was taken back; rulings of that time still name them.
    `present`: games that stand at the tables now, of the last round or the finals. `judges`: by seat.
    `scored`: games in the order in which their score last changed. `away`: put away, for nobody but the console.
    `removed`: numbers of players who were entered by mistake: what is on record of them is of nobody else.
    `settled`: matters that need the director no more, by name.
    """

    id: str
    tournament: Tournament
    games: Mapping[str, GameRecord] = field(default_factory=dict)
    seats: Mapping[int, str] = field(default_factory=dict)
    assigned: Mapping[str, SeatAssignment] = field(default_factory=dict)
    rulings: tuple[SentRuling, ...] = ()
    started: frozenset[int] = frozenset()
    pairing_warnings: tuple[Message, ...] = ()
    scored: tuple[str, ...] = ()
    present: tuple[str, ...] = ()
    judges: Mapping[int, str] = field(default_factory=dict)
    former_games: frozenset[str] = frozenset()
    removed: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()
    conduct: tuple[Conduct, ...] = ()
    showing: ShowingSet = field(default_factory=ShowingSet)
    seq: int = 0
    closed: bool = False
    away: bool = False

    def with_record(self, record: GameRecord, rescored: bool) -> TournamentState:
        """Another record of one game, which is then the last one in `scored` if it was `rescored`."""
        games = {**self.games, record.game: record}
        scored = (
            (*(one for one in self.scored if one != record.game), record.game) if rescored else self.scored
        )
        return replace(self, games=games, scored=scored)

    @property
    def on_paper(self) -> bool:
        """Whether it is played without devices: none has a seat, and none had one of its games."""
        return not self.seats and all(game.device is None for game in self.games.values())

    @property
    def title(self) -> str:
        """Its name, or its id where it has none."""
        return self.tournament.name or self.id

    @property
    def round(self) -> int:
        """The number of the last published round, 0 before the first."""
        return len(self.tournament.rounds)

    @property
    def in_question(self) -> frozenset[str]:
        """Players with a game whose result is in question."""
        doubted = [game for game in self.games.values() if game.in_question]
        return frozenset(player for game in doubted for player in game.players)

    @property
    def complete(self) -> bool:
        """Every game so far has a score that nobody disputes: the next round can be paired."""
        return all(game.score is not None and not game.conflict for game in self.games.values())

    def games_of(self, round_: int) -> tuple[GameRecord, ...]:
        """The games of a round by table."""
        games = [game for game in self.games.values() if game.round == round_ and game.final is None]
        return tuple(sorted(games, key=attrgetter("table")))

    @property
    def present_games(self) -> tuple[GameRecord, ...]:
        """The games at the tables now, by table."""
        return tuple(sorted((self.games[game] for game in self.present), key=attrgetter("table")))

    @property
    def open_games(self) -> tuple[GameRecord, ...]:
        """The games at the tables that have no score yet, by table."""
        return tuple(game for game in self.present_games if game.score is None)

    @property
    def disputed(self) -> tuple[GameRecord, ...]:
        """Games with two scores of which nobody has chosen one."""
        return tuple(game for game in self.games.values() if game.conflict)

    @property
    def present_byes(self) -> tuple[str, ...]:
        """Players who sit out the round at the tables; beside games of the finals nobody does."""
        in_a_round = any(self.games[game].final is None for game in self.present)
        return self.tournament.rounds[-1].byes if in_a_round else ()

    def is_started(self, game: str) -> bool:
        """Whether the director has given this game's start."""
        record = self.games[game]
        if record.final is None and record.round in self.started and not record.added:
            return True
        return any(ruling.rule == "start" and game in ruling.games for ruling in self.rulings)

    @property
    def not_started(self) -> tuple[GameRecord, ...]:
        """Games at the tables that wait for the director's start."""
        return tuple(game for game in self.open_games if not self.is_started(game.game))

    def game_of(self, device: str) -> GameRecord | None:
        """The game assigned to a device."""
        assigned = self.assigned.get(device)
        return self.games.get(assigned.game) if assigned is not None and assigned.game is not None else None

    def device_of(self, game: str) -> str | None:
        """The device to which a game is assigned now."""
        for device, assigned in self.assigned.items():
            if assigned.game == game:
                return device
        return None

    def seats_device(self, device: str) -> bool:
        """Whether the event is under way and the device at one of its seats."""
        at = self.assigned.get(device)
        return at is not None and at.seat is not None and not (self.closed or self.away)


def seated(states: Iterable[TournamentState], but: str = "") -> dict[str, TournamentState]:
    """Device -> the open event in which it has a seat; seats in the event `but` are left out."""
    others = [state for state in states if state.id != but]
    return {device: state for state in others for device in state.assigned if state.seats_device(device)}

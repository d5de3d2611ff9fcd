"""A tournament and its room as a frozen value: the state after the entries of its chain (`hub.record.fold`).

A `Mapping` is made once with its value; the type checker sees that nobody changes it afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Annotated, Any, Literal, TypeAlias, get_args

import msgspec

from flagfall.base.message import Message
from flagfall.base.value import replace
from hub.fields import InstantOrNull, ShortText, Tables, Whole
from hub.model.games import Game, matter
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.record.doors import AtDoor, Hubs, PlayerId
from hub.rulebook import rules_of
from hub.text import Refused, UnknownGame

# Which reports of both players make a result count.
Confirmation: TypeAlias = Literal["tablet", "phones", "desk"]
ConductKind: TypeAlias = Literal["warning", "consultation", "devices", "conduct", "room", "let_in"]
# Kinds of notes about somebody: a warning, an abuse, an expulsion from the room, and the end of that.
CONDUCT: tuple[str, ...] = get_args(ConductKind)


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    """The display of a device: its seat, and the game to be played there (None: nothing to play)."""

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
    # Games for which it waits no longer: their colours or players were exchanged since.
    void: frozenset[str] = frozenset()


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """The director's note of the conduct of a `player` (an id), or else of a `person` (a name)."""

    # One of `CONDUCT`. "room": expelled from the tournament room (`woc-2019` V.2.d) `until` then, "" for good.
    kind: Annotated[str, AtDoor(ConductKind, words="conduct")]
    player: PlayerId | None = None
    person: Annotated[str, AtDoor(ShortText)] = ""
    clause: Hubs[str] = ""
    why: Annotated[str, AtDoor(ShortText)]
    until: str = ""
    after_round: Hubs[int] = 0


class Showing(msgspec.Struct, frozen=True, kw_only=True):
    """The showing on the projector and to the world outside."""

    # The begin of the next round: a label (ISO 8601 with its offset).
    starts_at: Annotated[str | None, AtDoor(InstantOrNull)] = None
    # The tables whose boards the projector shows, None for the first of them.
    boards: Annotated[tuple[int, ...] | None, AtDoor(Tables | None)] = None
    # Seconds by which the world outside sees everything later.
    delay_s: Annotated[int, AtDoor(Whole | None)] = 0


@dataclass(frozen=True, slots=True)
class Conduct:
    """A note of somebody's conduct, with the label of its entry and its author."""

    body: Note
    at: str
    who: str

    @property
    def about(self) -> tuple[str | None, str]:
        """The player's id, and the name of somebody who does not play."""
        return self.body.player, self.body.person


@dataclass(frozen=True, slots=True)
class PlayerLink:
    """The state of the address of a player's own page (`hub.desk.player_links`)."""

    number: int = 0
    active: bool = True


@dataclass(frozen=True, slots=True)
class Arrival:
    """The list of arrivals for a round."""

    open: bool = False
    # Of the tablet's link; 0: there has been no list.
    number: int = 0
    round: int = 0
    # Who is here, with the label of the entry.
    here: Mapping[str, str] = field(default_factory=dict)
    # Who came when the round was paired, or they were noted absent.
    late: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Objection:
    """A player's objection to the result of their game, and the director's answer."""

    game: str
    player: str
    number: int  # of this player's objections to this game, from 1
    words: str
    at: str  # the label of its entry
    # "" while it is open; "answered", or "corrected" once the result is another one.
    outcome: str = ""
    answer: str = ""  # the director's words

    @property
    def matter(self) -> str:
        """The name under which the director settles it."""
        return matter("objection", self.game, self.player, self.number)


@dataclass(frozen=True)
class TournamentState:
    """A tournament and its room."""

    id: str
    tournament: Tournament
    seats: Mapping[int, str] = field(default_factory=dict)
    assigned: Mapping[str, SeatAssignment] = field(default_factory=dict)
    # The public keys of the devices that may sign, in hex digits.
    enrolled: Mapping[str, str] = field(default_factory=dict)
    # The ids of the entries that enrolled each device, in their order.
    enrolments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rulings: tuple[SentRuling, ...] = ()
    started: frozenset[int] = frozenset()
    pairing_warnings: tuple[Message, ...] = ()
    # Games in the order in which their score last changed.
    scored: tuple[str, ...] = ()
    # Games that stand at the tables now, of the last round or the finals.
    present: tuple[str, ...] = ()
    # By seat.
    judges: Mapping[int, str] = field(default_factory=dict)
    # Ids of games whose round was taken back; rulings of that time still name them.
    former_games: frozenset[str] = frozenset()
    # Ids of players who were entered by mistake: no other player may get their record.
    removed: frozenset[str] = frozenset()
    # Matters that need the director no more, by name.
    settled: frozenset[str] = frozenset()
    conduct: tuple[Conduct, ...] = ()
    showing: Showing = field(default_factory=Showing)
    # Players may open their own pages; None: as the rulebook has it.
    players_pages: bool | None = None
    # Players may report the results of tables without a device.
    players_results: bool = False
    # Which reports of both players make a result count.
    confirm: Confirmation = "tablet"
    # Boards may be photographed, where the hub has an eye.
    photographs: bool = True
    # The addresses of players' own pages that were renewed or revoked, by player.
    links: Mapping[str, PlayerLink] = field(default_factory=dict)
    arrival: Arrival = field(default_factory=Arrival)
    # Players' objections to results, in the order of the record.
    objections: tuple[Objection, ...] = ()
    seq: int = 0
    closed: bool = False
    # Put away: only the console shows it.
    away: bool = False

    @property
    def games(self) -> Mapping[str, Game]:
        """Every game by its id."""
        return self.tournament.games

    def player(self, player: str) -> Player:
        """Return the player of the event, UnknownGame without one."""
        try:
            return self.tournament.player(player)
        except KeyError:
            raise UnknownGame(
                "expected a player of this event, got {player_id!r}", field="player", player_id=player[:40]
            ) from None

    def expect_player(self, player: str) -> None:
        """Raise Refused if no player of the tournament has this id."""
        if player not in self.tournament.by_id:
            raise Refused("expected the id of a player, got {player!r}", field="player", player=player)

    def with_tournament(self, **changes: Any) -> TournamentState:
        """Return the state with other values of these fields of its tournament."""
        return replace(self, tournament=replace(self.tournament, **changes))

    def with_game(self, game: Game, rescored: bool = False) -> TournamentState:
        """Return the state with another value of one game. A `rescored` game becomes the last one in `scored`."""
        scored = self.scored
        if rescored and game.id in scored:
            scored = tuple(played for played in scored if played != game.id)
        scored = (*scored, game.id) if rescored else scored
        return replace(self, tournament=self.tournament.with_games((game,)), scored=scored)

    @property
    def on_paper(self) -> bool:
        """Return True if the event is played without devices: none has a seat, and none had one of its games."""
        return not self.seats and all(game.device is None for game in self.games.values())

    @property
    def has_players_pages(self) -> bool:
        """Return True if players may open their own pages."""
        chosen = self.players_pages
        return rules_of(self.tournament).players_pages if chosen is None else chosen

    @property
    def missing(self) -> tuple[Player, ...]:
        """The players of the arrivals' round who are not here, in the order of the tournament."""
        expected = self.tournament.players_in(self.arrival.round) if self.arrival.number else ()
        return tuple(player for player in expected if player.id not in self.arrival.here)

    @property
    def title(self) -> str:
        """The event's name, or its id if it has none."""
        return self.tournament.name or self.id

    @property
    def round(self) -> int:
        """The number of the last published round, 0 before the first."""
        return len(self.tournament.rounds)

    @property
    def in_question(self) -> frozenset[str]:
        """The players with a game whose result is in question."""
        doubted = [game for game in self.games.values() if game.in_question]
        return frozenset(player for game in doubted for player in game.players)

    @property
    def complete(self) -> bool:
        """Return True if every game so far has a score that nobody disputes: the next round can be paired."""
        return all(game.score is not None and not game.conflict for game in self.games.values())

    @property
    def outcome(self) -> tuple[object, ...]:
        """The results and the rounds planned: what an event that is closed was decided by."""
        results = ((game.id, game.score, bool(game.conflict)) for game in self.games.values())
        return self.tournament.rounds_planned, *results

    def games_of(self, round_: int) -> tuple[Game, ...]:
        """Return the games of a round by table."""
        games = self.tournament.rounds[round_ - 1].games if 1 <= round_ <= self.round else ()
        return tuple(sorted(games, key=attrgetter("table")))

    @property
    def present_games(self) -> tuple[Game, ...]:
        """The games at the tables now, by table."""
        return tuple(sorted((self.games[game] for game in self.present), key=attrgetter("table")))

    @property
    def present_seats(self) -> tuple[tuple[str, ...], ...]:
        """The games at the tables now and who sits there, for forms that name a table's side."""
        return tuple((game.id, *game.seats) for game in self.present_games)

    @property
    def open_games(self) -> tuple[Game, ...]:
        """The games at the tables that have no score yet, by table."""
        return tuple(game for game in self.present_games if game.score is None)

    @property
    def disputed(self) -> tuple[Game, ...]:
        """The games with two scores of which nobody has chosen one."""
        return tuple(game for game in self.games.values() if game.conflict)

    @property
    def present_byes(self) -> tuple[str, ...]:
        """The players who sit out the round at the tables; beside games of the finals nobody does."""
        in_a_round = any(self.games[game].final is None for game in self.present)
        return self.tournament.rounds[-1].byes if in_a_round else ()

    def is_started(self, game: str) -> bool:
        """Return True if the director has given this game's start."""
        published = self.games[game]
        if published.final is None and published.round in self.started and not published.added:
            return True
        return any(ruling.rule == "start" and game in ruling.games for ruling in self.rulings)

    @property
    def not_started(self) -> tuple[Game, ...]:
        """The games at the tables that wait for the director's start."""
        return tuple(game for game in self.open_games if not self.is_started(game.id))

    def game_of(self, device: str) -> Game | None:
        """Return the game assigned to a device."""
        assigned = self.assigned.get(device)
        return self.games.get(assigned.game) if assigned is not None and assigned.game is not None else None

    def device_of(self, game: str) -> str | None:
        """Return the device to which a game is assigned now."""
        for device, assigned in self.assigned.items():
            if assigned.game == game:
                return device
        return None

    def seats_device(self, device: str) -> bool:
        """Return True if the event is under way and the device at one of its seats."""
        assignment = self.assigned.get(device)
        return assignment is not None and assignment.seat is not None and not (self.closed or self.away)


def seated(states: Iterable[TournamentState], but: str = "") -> dict[str, TournamentState]:
    """Return device -> the open event in which it has a seat, without the event `but`."""
    others = [state for state in states if state.id != but]
    return {device: state for state in others for device in state.assigned if state.seats_device(device)}

"""The view of a tournament for the hall and the public: a pure projection of the record and the tables' present
messages.

It never shows an error that nobody has pointed out, nor positions that are not broadcast. The public part of it hides
unstarted pairings, and a game in play shows only "playing" unless the director lets it be broadcast: players are in the
room without their devices (`woc-2019` I.5), so that a pairing is first on paper and on the projector. Broadcasting is
at the director's discretion (`cc-2024` I.3.6, `woc-2019` I.5): people in the hall see the clocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

import msgspec

from flagfall.link.messages import ClockShown
from flagfall.othello.side import Side
from hub.event_words import own_title
from hub.model.games import Game
from hub.model.players import sorted_as
from hub.ranking.scores import half_points_of_game
from hub.ranking.standings import Standing, standings
from hub.ranking.teams import belongs_to
from hub.record.exchange import with_other_colours_drawn
from hub.record.state import TournamentState
from hub.rulebook import by_difference
from hub.slices import apart
from hub.tables.live import ClockHeard, Live
from hub.tables.live_board import is_by_scribe, live_board


class TableState(StrEnum):
    """The state of a table in one word."""

    WAITING = "waiting"
    PLAYING = "playing"
    STOPPED = "stopped"
    ERROR = "error"
    DEFAULT = "default"
    FINISHED = "finished"
    SIGNED = "signed"
    OFFLINE = "offline"
    BY_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class PlayerAtTable:
    """One player at a table."""

    id: str
    name: str
    country: str
    points: int | float
    left_ms: int | None = None  # the time left at the card's `at_ns`, None without a clock
    runs: bool = False
    flags: int = 0
    discs: int | None = None
    wins: bool = False


@dataclass(frozen=True, slots=True)
class TableCard:
    """One table of the present round or the finals."""

    table: int
    game: str
    state: TableState
    black: PlayerAtTable
    white: PlayerAtTable
    moves: int = 0
    reason: str = ""  # the reason of the game file unless the board decided
    note: str = ""  # IN_QUESTION or nothing
    position: str | None = None
    by_scribe: bool = False  # somebody beside the board taps its moves
    at_ns: int = 0  # the hub's monotonic instant of the clocks
    final: tuple[str, str] | None = None  # title and stage
    colours_open: bool = False  # as of the game
    # There is something to step through.
    replay: bool = True


class StandingRow(msgspec.Struct, frozen=True):
    """One line of the standings."""

    standing: Standing
    name: str
    country: str
    moved: int | None  # how many places it rose since the previous round, None: unknown
    withdrawn: bool
    in_question: bool = False  # one of the player's results is in question
    grade: str = ""  # "3dan", "2kyu"


@dataclass(frozen=True, slots=True)
class Heading:
    """The top of the page."""

    name: str
    rulebook: str
    round: int
    rounds_planned: int
    finished: int
    games: int
    started: bool
    closed: bool
    held: int | None = None  # a round that is published but not public yet
    by_difference: bool = False  # players level on points are ranked by the difference of discs, not by BQ
    own_rules: str = ""  # the title of a director's own rulebook
    finals: bool = False
    # The players have places.
    ranked: bool = False
    # The moves that are set up before the clocks of the present round start.
    opening: str = ""

    @property
    def phase(self) -> str:
        """Return "before" the first round, "after" the last game of the rounds or finals so far, or "during"."""
        if not self.round and self.held is None:
            return "before"
        over = self.closed or (self.round >= self.rounds_planned and self.finished == self.games)
        return "after" if over else "during"


class LatestResult(msgspec.Struct, frozen=True):
    """A finished game."""

    game: str
    round: int
    table: int
    black: str
    white: str
    score: tuple[int, int]
    signed: bool
    confirmed: bool
    note: str  # IN_QUESTION, CHANGED or nothing
    final: tuple[str, str] | None = None
    # There is something to step through.
    replay: bool = True
    colours_open: bool = False  # as of the game


@dataclass(frozen=True, slots=True)
class Hall:
    """The contents of the whole page."""

    tournament: str
    heading: Heading
    cards: tuple[TableCard, ...]
    byes: tuple[str, ...]
    lines: tuple[StandingRow, ...]
    results: tuple[LatestResult, ...]


IN_QUESTION = "in_question"
CHANGED = "changed"
_LATEST = 10
_OF_PLAY = (TableState.STOPPED, TableState.ERROR, TableState.DEFAULT)


class Halls:
    """The views of all tournaments; standings are computed again only after a change of the record.

    For the public `states` are a `PublicStates` of the tournaments in `posted`.
    """

    def __init__(
        self,
        states: Mapping[str, TournamentState],
        live: Live,
        posted: Mapping[str, TournamentState] | None = None,
    ) -> None:
        self._states = states
        self._live = live
        self._posted = posted
        self._ranked: dict[str, tuple[TournamentState, tuple[StandingRow, ...]]] = {}

    def of(self, tournament: str) -> Hall | None:
        """Return the present view; None if there is no such tournament."""
        state = self._states.get(tournament)
        if state is None:
            return None
        posted = self._posted[tournament] if self._posted is not None else None
        return hall_of(state, self._live, self._lines(state), posted)

    async def computed(self, state: TournamentState) -> Hall:
        """Return the view of one of the states; the loop goes on while its standings are computed."""
        posted = self._posted[state.id] if self._posted is not None else None
        lines = await apart(self._lines, state)
        return hall_of(state, self._live, lines, posted)

    def card(self, state: TournamentState, game: Game) -> TableCard:
        """Return the view of one game of a present state, also of an earlier round, with what `of` shows of it."""
        points = {line.standing.player: line.standing.points for line in self._lines(state)}
        return _card(
            state,
            self._live,
            game,
            points,
            hides_play=self._posted is not None and not is_replay_public(game),
        )

    def _lines(self, state: TournamentState) -> tuple[StandingRow, ...]:
        ranked = self._ranked.get(state.id)
        if ranked is None or ranked[0] is not state:
            ranked = self._ranked[state.id] = (state, lines_of(state))
        return ranked[1]


def hall_of(
    state: TournamentState,
    live: Live,
    lines: tuple[StandingRow, ...] | None = None,
    posted: TournamentState | None = None,
) -> Hall:
    """Return the view of a state; `lines` are its standings, if they are known already.

    For the public `state` is `public_state(posted)`, and the view has no clocks, flags and progress of the games in
    play that are not broadcast.
    """
    games = state.present_games
    lines = lines_of(state) if lines is None else lines
    points = {line.standing.player: line.standing.points for line in lines}
    in_public = posted is not None
    cards = tuple(
        _card(state, live, game, points, hides_play=in_public and not is_replay_public(game))
        for game in games
    )
    tournament = state.tournament
    heading = Heading(
        state.title,
        tournament.rulebook,
        state.round,
        rounds_planned=tournament.rounds_planned,
        finished=sum(game.score is not None for game in games),
        games=len(games),
        started=not state.not_started,
        closed=state.closed,
        held=held_back_round(posted, state) if posted is not None else None,
        by_difference=by_difference(tournament),
        own_rules=own_title(tournament),
        finals=any(game.final is not None for game in games),
        ranked=tournament.ranked,
        opening=next((game.conditions.opening for game in games if game.conditions is not None), ""),
    )
    byes = tuple(tournament.name_of(player) for player in state.present_byes)
    return Hall(state.id, heading, cards, byes=byes, lines=lines, results=_results(state))


def _results(state: TournamentState) -> tuple[LatestResult, ...]:
    latest, tournament = [state.games[game] for game in reversed(state.scored[-_LATEST:])], state.tournament
    return tuple(
        LatestResult(
            game.id,
            game.round,
            game.table,
            black=tournament.name_of(game.black),
            white=tournament.name_of(game.white),
            score=game.score,
            signed=game.signed,
            confirmed=game.confirmed,
            note=IN_QUESTION if game.in_question else CHANGED if game.replaced else "",
            final=final_of(game),
            replay=game.has_replay,
            colours_open=game.colours_open,
        )
        for game in latest
        if game.score is not None
    )


def final_of(record: Game) -> tuple[str, str] | None:
    """Return (title, stage) of a game of the finals."""
    return None if record.final is None else (record.final.title, record.final.stage)


def lines_of(state: TournamentState) -> tuple[StandingRow, ...]:
    """Return the standings, with names."""
    tournament = state.tournament
    lines = standings(tournament)
    before = {}
    if len(tournament.rounds) > 1:
        before = {
            line.player: line.place for line in standings(replace(tournament, rounds=tournament.rounds[:-1]))
        }
    players = tournament.by_id
    doubted = state.in_question
    gone = tournament.withdrawn
    if not tournament.ranked:  # no player has a place yet
        lines = tuple(sorted(lines, key=lambda line: (sorted_as(players[line.player].name), line.player)))
    return tuple(
        StandingRow(
            line,
            tournament.name_of(line.player),
            belongs_to(tournament, players[line.player]),
            moved=before[line.player] - line.place if line.player in before else None,
            withdrawn=line.player in gone,
            in_question=line.player in doubted,
            grade=players[line.player].grade,
        )
        for line in lines
    )


def _card(
    state: TournamentState, live: Live, record: Game, points: dict[str, int | float], hides_play: bool
) -> TableCard:
    heard = live.clock_of(record.device, record.id)
    board = live_board(live, state.id, record)
    table_state = _table_state(live, record, heard)
    if hides_play:
        heard, board, table_state = None, None, TableState.PLAYING if table_state in _OF_PLAY else table_state
    over = record.score is not None
    clock = heard.clock if heard is not None else None
    running = live.running(record.device, clock) if clock is not None and not over else None
    shown = as_drawn(record, clock)
    seats = []
    for side, player_id in zip(Side, shown.players, strict=True):
        player = state.tournament.player(player_id)
        seat = PlayerAtTable(
            player_id,
            state.tournament.name_of(player_id),
            belongs_to(state.tournament, player),
            points[player_id],
        )
        if clock is not None:
            seat = replace(
                seat,
                left_ms=clock.clocks_ns.of(side) // 1_000_000,
                flags=clock.flags.of(side),
                runs=running is side,
            )
        if record.score is not None:
            discs = record.score[side is Side.WHITE]
            won = half_points_of_game(record)[side is Side.WHITE] == 2
            seat = replace(seat, discs=discs, wins=won)
        seats.append(seat)
    return TableCard(
        record.table,
        record.id,
        table_state,
        seats[0],
        seats[1],
        moves=board.moves if board is not None else 0,
        reason=record.reason if over and record.reason != "board" else "",
        note=IN_QUESTION if record.in_question else "",
        final=final_of(record),
        colours_open=shown.colours_open,
        replay=record.has_replay,
        position=board.position if board is not None and record.broadcast else None,
        by_scribe=is_by_scribe(board),
        at_ns=heard.at_ns if heard is not None else 0,
    )


def as_drawn(game: Game, clock: ClockShown | None) -> Game:
    """Return a game in play with the colours that its players have drawn at its table, as far as the table tells them;
    the record has them with the result."""
    if game.score is not None or not game.draws_colours or clock is None or clock.state == "waiting":
        return game
    turned = with_other_colours_drawn(game) if clock.black == game.white else game
    return replace(turned, draws_colours=False)


def _table_state(live: Live, record: Game, heard: ClockHeard | None) -> TableState:
    if record.score is not None:
        return TableState.SIGNED if record.signed else TableState.FINISHED
    if record.device is None:
        return TableState.BY_HAND
    if not live.online(record.device):
        return TableState.OFFLINE
    if heard is None or heard.clock.state == "waiting":
        return TableState.WAITING
    clock = heard.clock
    if clock.state == "correcting":
        return TableState.ERROR
    if clock.state in ("finished", "signed"):
        return TableState.FINISHED
    if clock.flags.black or clock.flags.white:
        return TableState.DEFAULT
    return TableState.STOPPED if clock.state == "stopped" else TableState.PLAYING


def held_back_games(state: TournamentState) -> frozenset[str]:
    """Return the games that phones do not show yet.

    The last round is hidden until its start (or until all of it is scored), and so is each game of the finals. A round
    appears whole or not at all.
    """
    games = state.present_games
    held = {game.id for game in games if game.final is not None and not _is_announced(state, game)}
    of_round = [game for game in state.games_of(state.round) if game.conditions is not None]
    if state.round not in state.started and any(not _is_announced(state, game) for game in of_round):
        held |= {game.id for game in of_round}
    return frozenset(held)


def held_back_round(state: TournamentState, seen: TournamentState) -> int | None:
    """Return the round that is posted in the hall and not public yet, or None. `seen` is `public_state(state)`."""
    return state.round if seen.round < state.round else None


def public_state(state: TournamentState) -> TournamentState:
    """Return the public tournament: the same object if nothing is hidden.

    Otherwise its standings are those before the hidden round. If all present games are hidden, those of the last public
    round take their place.
    """
    held = held_back_games(state)
    if not held:
        return state
    tournament = state.tournament
    of_round = any(state.games[name].final is None for name in held)
    rounds = tournament.rounds[:-1] if of_round else tournament.rounds
    finals = tuple(game for game in tournament.finals if game.id not in held)
    present = tuple(game for game in state.present if game not in held)
    if not present:
        present = tuple(game.id for game in rounds[-1].games) if rounds else ()
    return replace(
        state,
        tournament=replace(tournament, rounds=rounds, finals=finals),
        present=present,
        scored=tuple(game for game in state.scored if game not in held),
    )


def is_replay_public(game: Game) -> bool:
    """Return whether board and transcript are public: the game is over, or the director lets it be broadcast."""
    return game.score is not None or game.broadcast


def _is_announced(state: TournamentState, game: Game) -> bool:
    return game.conditions is None or game.score is not None or state.is_started(game.id)


class PublicStates(Mapping[str, TournamentState]):
    """The public view of `states`, without events that were put away. The same record gives the same object."""

    def __init__(self, states: Mapping[str, TournamentState]) -> None:
        self._states = states
        self._seen: dict[str, tuple[TournamentState, TournamentState]] = {}

    def __getitem__(self, tournament: str) -> TournamentState:
        state = self._states[tournament]
        if state.away:
            raise KeyError(tournament)
        known = self._seen.get(tournament)
        if known is None or known[0] is not state:
            known = self._seen[tournament] = (state, public_state(state))
        return known[1]

    def __iter__(self) -> Iterator[str]:
        return (name for name, state in self._states.items() if not state.away)

    def __len__(self) -> int:
        return sum(not state.away for state in self._states.values())

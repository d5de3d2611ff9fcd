"""The public facts as JSON for other programs (docs/broadcast.md): the structs, how they are made, and the feed of live
games.

The feed begins with every present game, then sends an event for each game that has changed: a move, a press, a flag, a
result, a new round. Clocks show the time left at the event's `at_ms`; the client counts the running one down from
there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import asdict, replace

from flagfall.othello.game import State
from flagfall.othello.reason import Reason
from flagfall.othello.side import Both, Side
from hub.fields import Score
from hub.model import games
from hub.overview import as_drawn, is_replay_public
from hub.public.games.replay import ReplayIncident, ReplayStep, Story
from hub.ranking import cross_table as cross
from hub.ranking.reports import Standing, standing_value
from hub.record.state import TournamentState
from hub.tables.live import ClockHeard, Live
from hub.tables.live_board import live_board
from hub.web.stream import event

DiscScore = Annotated[Score, Meta(description="discs, black first")]


class PublicAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of the public API, or a part of one."""


class Refusal(PublicAnswer, frozen=True, kw_only=True):
    error: Annotated[str, Meta(description="one line: field and what was expected")]


class Player(PublicAnswer, frozen=True, kw_only=True):
    id: str
    name: str
    country: str


class Players(PublicAnswer, frozen=True, kw_only=True):
    players: list[Player]


class Tournament(PublicAnswer, frozen=True, kw_only=True):
    id: str
    name: str
    date: str | None
    rulebook: str
    system: str
    round: int
    rounds_planned: int
    held_back: Annotated[
        int | None, Meta(description="a round that hangs in the hall, told here at its start")
    ]
    closed: bool
    players: int


class Tournaments(PublicAnswer, frozen=True, kw_only=True):
    tournaments: list[Tournament]


class Game(PublicAnswer, frozen=True, kw_only=True):
    game: str
    round: int | None
    title: Annotated[str | None, Meta(description="open, women, young or division:NAME")]
    stage: games.EventStage
    table: int
    black: Player
    white: Player
    colours: (
        Annotated[
            Literal["open"],
            Meta(description="the colours are drawn or chosen at the table: black and white say nothing yet"),
        ]
        | UnsetType
    ) = UNSET
    score: DiscScore | None
    reason: Reason | None
    signed: bool
    in_question: Annotated[bool, Meta(description="two scores differ, and the director has not decided")]
    open: Annotated[bool, Meta(description="board, moves and clocks are told: the game is over or broadcast")]


class Games(PublicAnswer, frozen=True, kw_only=True):
    games: list[Game]


class _Shown(Game, frozen=True, kw_only=True):
    state: State | None
    running: Side | None
    transcript: Annotated[str, Meta(pattern="^([a-h][1-8])*$")] | None
    position: (
        Annotated[
            str,
            Meta(pattern="^[XO?-]{64}$", description="a1 b1 ... h8: X black, O white, - empty, ? not known"),
        ]
        | None
    )
    scribe: (
        Annotated[bool, Meta(description="true: somebody beside the board taps transcript and position")]
        | UnsetType
    ) = UNSET
    clocks_ms: Both[int] | None
    at_ms: (
        Annotated[
            int, Meta(description="in the feed: the hub's own count at which clocks_ms were so, as in `beat`")
        ]
        | UnsetType
    ) = UNSET
    flags: Both[int] | UnsetType = UNSET


class GameAtTable(_Shown, frozen=True, kw_only=True):
    """A game at a table, also in an event of the feed."""

    moves: Annotated[int, Meta(description="how many")] | UnsetType = UNSET


class Incident(PublicAnswer, frozen=True, kw_only=True):
    after_move: int
    type: str
    by: Side | None
    squares: tuple[str, ...]
    state: str | None
    rule: str | None


class GameMoveByMove(_Shown, frozen=True, kw_only=True):
    """A game with its moves and incidents, if `open` is true. `spent_ms` is null if nobody measured it."""

    moves: tuple[ReplayStep, ...] | UnsetType = UNSET
    incidents: list[Incident] | UnsetType = UNSET


class TournamentNow(Tournament, frozen=True, kw_only=True):
    tables: list[GameAtTable]


class CrossTableRow(Standing, frozen=True, kw_only=True):
    rounds: tuple[cross.Cell, ...]


class CrossTable(PublicAnswer, frozen=True, kw_only=True):
    rows: list[CrossTableRow]


def tournament_view(state: TournamentState, held: int | None) -> Tournament:
    tournament = state.tournament
    return Tournament(
        id=state.id,
        name=tournament.name,
        date=tournament.date,
        rulebook=tournament.rulebook,
        system=tournament.system,
        round=state.round,
        rounds_planned=tournament.rounds_planned,
        held_back=held,
        closed=state.closed,
        players=len(tournament.players),
    )


def player_view(state: TournamentState, player_id: str) -> Player:
    player = state.tournament.player(player_id)
    return Player(id=player.id, name=state.tournament.name_of(player_id), country=player.country)


def game_view(state: TournamentState, game: games.Game) -> Game:
    """Return a game's place, players and end."""
    final = game.final
    return Game(
        game=game.id,
        round=game.round if final is None else None,
        title=None if final is None else final.title,
        stage=games.EventStage.QUALIFYING if final is None else games.EventStage(final.stage),
        table=game.table,
        black=player_view(state, game.black),
        white=player_view(state, game.white),
        colours="open" if game.colours_open else UNSET,
        score=game.score,
        reason=Reason(game.reason) if game.score is not None else None,
        signed=game.signed,
        in_question=game.in_question,
        open=is_replay_public(game),
    )


def live_game_view(state: TournamentState, game: games.Game, live: Live, now_ns: int) -> GameAtTable:
    """Return a game with its board and clocks at `now_ns`. A game that is not broadcast has neither."""
    heard = live.clock_of(game.device, game.id)
    if heard is not None and is_replay_public(game):
        game = as_drawn(game, heard.clock)
    facts = game_view(state, game)
    over = game.score is not None
    board = live_board(live, state.id, game) if facts.open else None
    if board is None:
        return GameAtTable(
            **asdict(facts),
            state=None if not over else State.SIGNED if game.signed else State.FINISHED,
            running=None,
            transcript=game.table_moves if over and game.reported is not None else None,
            position=None,
            clocks_ms=None,
        )
    shown = GameAtTable(
        **asdict(facts),
        state=None if not over else State.SIGNED if game.signed else State.FINISHED,
        running=None,
        transcript=board.transcript,
        position=board.position,
        scribe=True if board.by_scribe else UNSET,
        moves=board.moves,
        clocks_ms=None,
    )
    if heard is None:  # a scribe alone tells of it
        return shown
    clock = heard.clock
    running = None if over else live.running(game.device, clock)
    return replace(
        shown,
        state=State(clock.state),
        running=running,
        clocks_ms=Both(*(_left_ms(heard, side, now_ns, runs=running is side) for side in Side)),
        flags=clock.flags,
    )


def move_by_move_view(game: GameAtTable, story: Story | None) -> GameMoveByMove:
    """Return the game with its moves. `story` is None if the game is not public."""
    facts = asdict(game) | {"moves": UNSET}
    if story is not None:
        facts |= {
            "transcript": "".join(step.square for step in story.steps),
            "moves": story.steps,
            "incidents": [_incident(incident) for incident in story.happened],
        }
    return GameMoveByMove(**facts)


def cross_table_view(rows: tuple[cross.CrossTableRow, ...]) -> CrossTable:
    return CrossTable(
        rows=[CrossTableRow(**asdict(standing_value(row.standing)), rounds=row.cells) for row in rows]
    )


def _incident(incident: ReplayIncident) -> Incident:
    return Incident(
        after_move=incident.move,
        type=incident.type,
        by=None if incident.by is None else Side(incident.by),
        squares=incident.squares,
        state=incident.state,
        rule=incident.why or None,
    )


def _left_ms(heard: ClockHeard, side: Side, now_ns: int, *, runs: bool) -> int:
    left_ns = heard.clock.clocks_ns.of(side)
    if runs:
        left_ns -= max(0, now_ns - heard.at_ns)
    return max(0, left_ns) // 1_000_000


# Every game at the tables by its id.
Facts = dict[str, GameAtTable]


class FeedFacts:
    """The events of the feed: all games, or those that have changed. `states` are the publicly visible ones."""

    def __init__(self, states: Mapping[str, TournamentState], live: Live, now_ns: Callable[[], int]) -> None:
        self._states = states
        self._live = live
        self._now_ns = now_ns

    def present(self, tournament: str) -> Facts | None:
        state = self._states.get(tournament)
        if state is None:
            return None
        now_ns = self._now_ns()
        at_ms = now_ns // 1_000_000
        return {
            game.id: replace(live_game_view(state, game, self._live, now_ns), at_ms=at_ms)
            for game in state.present_games
        }

    def whole_events(self, shown: Facts) -> str:
        return "".join(map(_game_event, shown.values())) or ": nothing at the tables\n\n"

    def changed_events(self, shown: Facts, now: Facts) -> tuple[Facts, str]:
        changes = [event("gone", _json({"game": game})) for game in shown if game not in now]
        changes += [
            _game_event(facts)
            for game, facts in now.items()
            if game not in shown or _without_time(shown[game]) != _without_time(facts)
        ]
        return now, "".join(changes)


def _without_time(facts: GameAtTable) -> GameAtTable:
    """Return the event with its count and running clock set to 0, because these change by time alone."""
    facts = replace(facts, at_ms=0)
    if facts.clocks_ms is None or facts.running is None:
        return facts
    return replace(facts, clocks_ms=facts.clocks_ms.with_(facts.running, 0))


def _game_event(facts: GameAtTable) -> str:
    return event("game", _json(facts))


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()

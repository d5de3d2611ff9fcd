"""The operator's API of the tournaments: one line of `OPERATIONS` for each of its operations.

Its function gets the hub's parts, the name in the address ("" without one) and the body; it returns the answer, or the
tournament whose present round is the answer. Scores are [black, white] in discs.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from msgspec.structs import asdict

from hub.api import bodies
from hub.api.table_operations import OF_TABLES, OPERATOR
from hub.entries.check import finding_to_json, findings
from hub.formats.tournament_json import tournament_to_json
from hub.model.games import Game
from hub.ranking.finals_played import finals_of
from hub.ranking.finals_report import Finals, finals_told
from hub.ranking.rank_report import Standings, standings_told
from hub.record.state import TournamentState
from hub.rounds.event_operations import EventOperations
from hub.rounds.questions import typed_score
from hub.running import Hub
from hub.text import Refused, UnknownGame
from hub.web.operation import Operation

_T = "/api/1/tournaments/{tournament}"

Json = dict[str, Any]


def _facts(
    of: str, says: str, facts: Callable[[TournamentState], object], told: type[object] | None = None
) -> Operation:
    """Answers with facts of the tournament alone."""

    async def answer(hub: Hub, tournament: str, _: None) -> object:
        return facts(hub.operations.state(tournament))

    return Operation("GET", f"{_T}{of}", says, answer, told=told)


Done = Callable[[EventOperations, Any], Awaitable[TournamentState]]
"""A command of an event, with the request's body."""


async def _run_command(command: Done, hub: Hub, tournament: str, body: Any) -> TournamentState:
    return await command(hub.operations.of(tournament, OPERATOR), body)


def _command(to: str, says: str, command: Done, body: type[object]) -> Operation:
    return Operation("POST", f"{_T}/{to}", says, partial(_run_command, command), body)


def _by_fields(
    to: str, says: str, command: Callable[..., Awaitable[TournamentState]], body: type[object]
) -> Operation:
    """A command whose parameters are the fields of the body."""
    done = partial(_run_command, lambda event, said: command(event, **({} if said is None else asdict(said))))
    return Operation("POST", f"{_T}/{to}", says, done, body, command=command)


async def _tournaments(hub: Hub, _: str, __: None) -> Json:
    found = [
        {"id": state.id, "name": state.tournament.name, "round": state.round, "closed": state.closed}
        for state in hub.store.states.values()
    ]
    return {"tournaments": found}


async def _create(hub: Hub, tournament: str, body: Json) -> TournamentState:
    return await hub.operations.create(tournament, body, OPERATOR)


async def _entries(hub: Hub, tournament: str, _: None) -> Json:
    state = hub.operations.state(tournament)
    entries = await hub.store.entries(state.id)
    names = ("id", "type", "who", "at", "hash")
    told = [{name: getattr(entry, name) for name in names} for entry in entries]
    return {"head": hub.store.head(state.id), "entries": told}


async def _showing(hub: Hub, tournament: str, _: None) -> Json:
    state = hub.operations.state(tournament)
    return {
        "starts_at": state.showing.starts_at,
        "boards": state.showing.boards,
        "delay_s": state.showing.delay_s,
        "hall": f"/hall/{state.id}?key={hub.site.key}",
        "print": f"/print/{state.id}?key={hub.site.key}",
    }


async def _show(hub: Hub, tournament: str, body: bodies.SetShowing) -> Json:
    await hub.operations.of(tournament, OPERATOR).show(**asdict(body))
    return await _showing(hub, tournament, None)


async def _rule(event: EventOperations, body: bodies.Ruling) -> TournamentState:
    present = event.state.present_games
    games = [game.id for game in present if body.tables == "all" or game.table in body.tables]
    if not games:
        raise Refused("expected one at least of those with a game, got none", field="tables")
    return await event.rule(body.rule, games, body.fields, body.lifetime_s or 60, body.id)


async def _enter_result(event: EventOperations, body: bodies.TypedResult) -> TournamentState:
    return await event.enter_result(
        _game(event.state, body), body.score, body.reason, body.id, replaces=partial(_replaces, body.instead)
    )


async def _resolve(event: EventOperations, body: bodies.Decision) -> TournamentState:
    replaces = partial(_replaces, body.instead)
    return await event.resolve(
        _game(event.state, body), body.score, body.reason, body.why or "", replaces=replaces
    )


def _replaces(instead: tuple[int, int] | None, game: Game) -> bool:
    """Return whether the body names the score that a person has recorded."""
    return instead is not None and tuple(instead) == typed_score(game)


async def _walk_over(event: EventOperations, body: bodies.Walkover) -> TournamentState:
    return await event.walk_over((body.title, body.stage, frozenset((body.black, body.white))))


def _game(state: TournamentState, body: bodies.OfGame) -> str:
    """A game by its id, or by its present table."""
    if body.game is not None:
        return body.game
    if body.table is None:
        raise Refused("expected a whole number from 0, got nothing", field="table")
    for game in state.present_games:
        if game.table == body.table:
            return game.id
    raise UnknownGame(f"expected one of round {state.round}, got {body.table}", field="table")


OPERATIONS = (
    *OF_TABLES,
    Operation("GET", "/api/1/tournaments", "The tournaments of this hub", _tournaments),
    Operation("PUT", _T, "A tournament from a flagfall-tournament/1 object", _create, dict, status=201),
    _facts("", "The round as the director sees it", lambda state: state),
    _facts("/file", "The tournament file", lambda state: tournament_to_json(state.tournament)),
    _facts(
        "/standings",
        "Standings, as `rank --json` prints them",
        lambda state: standings_told(state.tournament),
        Standings,
    ),
    Operation("GET", f"{_T}/entries", "The chain of entries, for audits", _entries),
    _facts(
        "/findings",
        "What the rulebook has to say of the entries",
        lambda state: {"findings": [finding_to_json(one) for one in findings(state.tournament)]},
    ),
    Operation(
        "GET", f"{_T}/showing", "What is shown in the hall and outside; the projector's address", _showing
    ),
    Operation(
        "PUT",
        f"{_T}/showing",
        "Sets it: the next start, the boards on the projector, how much later the world outside sees it",
        _show,
        bodies.SetShowing,
    ),
    _command(
        "pairings",
        "Pairs the next round and publishes it to the tables; a round that is published already stays",
        lambda event, body: event.publish(body.round, body.conditions()),
        bodies.Pairings,
    ),
    _facts(
        "/finals",
        "What is due in playoffs and finals, with its choosers' options",
        lambda state: finals_told(finals_of(state.tournament), for_operator=True),
        Finals,
    ),
    _by_fields(
        "finals",
        "Publishes games of playoffs and finals to their tables, as their choosers want them",
        EventOperations.publish_finals,
        bodies.FinalGames,
    ),
    _command(
        "finals/walkover",
        "Settles a match whose player has withdrawn: its next game is forfeited",
        _walk_over,
        bodies.Walkover,
    ),
    _by_fields(
        "start", "The director's signal to all tables of the round", EventOperations.start, bodies.Nothing
    ),
    _command("rulings", "A ruling in the game file's words, to all tables or some", _rule, bodies.Ruling),
    _command("results", "A score typed in by hand", _enter_result, bodies.TypedResult),
    _command("conflicts", "Which of two scores stands", _resolve, bodies.Decision),
    _by_fields(
        "corrections",
        "A change of a round already paired, with its reason",
        EventOperations.correct,
        bodies.Correction,
    ),
    _command("players", "One more player", EventOperations.add_player, dict),
    _by_fields("withdrawals", "A player leaves, or is expelled", EventOperations.withdraw, bodies.Withdrawal),
    _by_fields("absences", "A player misses a round", EventOperations.absent, bodies.Absence),
    _by_fields("seats", "Another device takes a seat", EventOperations.seat, bodies.Seat),
    _by_fields(
        "undo", "Takes back an entry, by default the last that can be", EventOperations.undo, bodies.Undo
    ),
    _by_fields("close", "Nothing more is expected", EventOperations.close, bodies.Nothing),
)

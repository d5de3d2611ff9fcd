"""The public JSON API: the facts of the public pages without a token, and the feed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import msgspec
from msgspec.structs import asdict
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hub.overview import held_back_round, is_replay_public
from hub.public.api import views
from hub.public.responses import cacheable
from hub.public.site import PublicSite
from hub.ranking.cross_table import cross_table
from hub.ranking.finals import finals_of
from hub.ranking.reports import Finals, Standings, finals_value, standings_value
from hub.record.state import TournamentState
from hub.slices import apart
from hub.tables.live_board import live_board
from hub.text import FormatError
from hub.web.operation import Operation
from hub.web.stream import events

_ROOT = "/api/1/public/tournaments"
_T = f"{_ROOT}/{{tournament}}"
_OPEN = {"Access-Control-Allow-Origin": "*"}
_JSON = "application/json"
# Takes the API, the request, and the tournament of its address (None without one).
Act = Callable[..., Awaitable[Response]]


class PublicApi:
    """The operations of the public API. They are read-only, and pages of other sites may call them."""

    def __init__(self, site: PublicSite, describe: Callable[[], object]) -> None:
        """`describe` returns the API's own description, with the operator's part."""
        self._site = site
        self._describe = describe

    def routes(self) -> list[Route]:
        return [
            Route(operation.path, partial(self._answer, operation.act), methods=["GET"])
            for operation in PUBLIC
        ]

    async def _answer(self, act: Any, request: Request) -> Response:
        """Call `act` with the tournament of the address, or with None if the address has none."""
        name = request.path_params.get("tournament")
        state = self._site.seen.get(name) if name is not None else None
        return (
            _unknown("tournament") if name is not None and state is None else await act(self, request, state)
        )

    async def _tournaments(self, request: Request, _: None) -> Response:
        tournaments = [self._tournament_answer(state) for state in self._site.seen.values()]
        return _json(request, views.Tournaments(tournaments=tournaments))

    async def _tournament(self, request: Request, state: TournamentState) -> Response:
        tables = self._site.tables.present(state.id) or {}
        facts = asdict(self._tournament_answer(state))
        return _json(request, views.TournamentNow(**facts, tables=list(tables.values())))

    async def _game(self, request: Request, state: TournamentState) -> Response:
        game = state.games.get(request.path_params["game"])
        if game is None:
            return _unknown("game")
        site = self._site
        story = None
        if is_replay_public(game):
            board = live_board(site.live, state.id, game)
            story = await site.records.story(state.id, game, board, game.finished_moves)
        return _json(
            request,
            views.move_by_move_view(views.live_game_view(state, game, site.live, site.now_ns()), story),
        )

    async def _feed(self, request: Request, state: TournamentState) -> Response:
        return events(self._site.feed.listen(state.id), _OPEN)

    async def _api_description(self, request: Request, _: None) -> Response:
        return await apart(lambda: _json(request, self._describe()))

    def _tournament_answer(self, state: TournamentState) -> views.Tournament:
        return views.tournament_view(state, held_back_round(self._site.store.states[state.id], state))


def _facts(facts: Callable[[TournamentState], Any]) -> Act:
    """Return an operation that answers with facts of the record alone."""

    async def answer(_: PublicApi, request: Request, state: TournamentState) -> Response:
        return await apart(lambda: _json(request, facts(state)))

    return answer


def _players(state: TournamentState) -> views.Players:
    return views.Players(players=[views.player_view(state, player.id) for player in state.tournament.players])


def _finals(state: TournamentState) -> Finals:
    try:
        return finals_value(finals_of(state.tournament))
    except FormatError:
        return Finals(provisional=(), lists={}, due=[], matches=[], champions={}, warnings=[])


def _games(state: TournamentState) -> views.Games:
    return views.Games(games=[views.game_view(state, game) for game in state.games.values()])


def _json(request: Request, value: object) -> Response:
    answer = cacheable(request, msgspec.json.encode(value), _JSON)
    answer.headers.update(_OPEN)
    return answer


def _unknown(field: str) -> Response:
    return JSONResponse({"error": f"{field}: expected one of this hub's"}, 404, headers=_OPEN)


def _public(path: str, summary: str, act: Any, answer: type | None = None, stream: bool = False) -> Operation:
    return Operation("GET", path, summary, act, stream=stream, answer=answer, public=True)


PUBLIC = (
    _public(_ROOT, "The tournaments of this hub", PublicApi._tournaments, views.Tournaments),
    _public(
        _T,
        "A tournament in short, and the games at its tables as they are now",
        PublicApi._tournament,
        views.TournamentNow,
    ),
    _public(f"{_T}/players", "Who plays", _facts(_players), views.Players),
    _public(
        f"{_T}/standings",
        "Standings, as `rank --json` prints them",
        _facts(lambda state: standings_value(state.tournament)),
        Standings,
    ),
    _public(
        f"{_T}/cross-table",
        "Every player's rounds, in the order of the standings",
        _facts(lambda state: views.cross_table_view(cross_table(state.tournament))),
        views.CrossTable,
    ),
    _public(
        f"{_T}/finals", "Final lists and matches, as `finals --json` prints them", _facts(_finals), Finals
    ),
    _public(f"{_T}/games", "All games", _facts(_games), views.Games),
    _public(
        f"{_T}/games/{{game}}",
        "A game, move by move where it is over or broadcast",
        PublicApi._game,
        views.GameMoveByMove,
    ),
    _public(
        f"{_T}/feed",
        "The tables as they go on (server-sent events): `game` tells a GameAtTable, `gone` the id of one; `beat`",
        PublicApi._feed,
        stream=True,
    ),
    _public("/api/1/openapi.json", "This description", PublicApi._api_description),
)

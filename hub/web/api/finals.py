"""Playoffs and finals in the operator's API: games due, their choosers' options, publication of the chosen games."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.ranking.finals import finals_of
from hub.ranking.finals_report import finals_told
from hub.record.state import Refused
from hub.record.store import TournamentStore
from hub.rounds.operations import Operations
from hub.text import FormatError
from hub.web.api.bodies import FinalGames, Walkover, body_of
from hub.web.api.round_json import round_told
from hub.web.api.rounds import Api

_OPERATOR = "operator"


class FinalsApi:
    """`GET` answers `finals --json` with each due match's `options`; `POST` publishes games to their tables."""

    def __init__(self, api: Api, operations: Operations, book: TournamentStore) -> None:
        self._api = api
        self._operations = operations
        self._book = book

    def routes(self) -> list[Route]:
        path, guarded = "/api/1/tournaments/{tournament}/finals", self._api.guarded
        return [
            Route(path, guarded(self._tell), methods=["GET"]),
            Route(path, guarded(self._publish), methods=["POST"]),
            Route(f"{path}/walkover", guarded(self._walk_over), methods=["POST"]),
        ]

    async def _tell(self, request: Request) -> JSONResponse:
        state = self._operations.state(request.path_params["tournament"])
        try:
            now = finals_of(state.tournament)
        except FormatError as fault:
            raise Refused(str(fault)) from None
        return JSONResponse(msgspec.to_builtins(finals_told(now, for_operator=True)))

    async def _publish(self, request: Request) -> JSONResponse:
        body = await body_of(request, FinalGames)
        state = await self._operations.publish_finals(
            request.path_params["tournament"], body.games, _OPERATOR, body.broadcast
        )
        return JSONResponse(round_told(state, self._book.head(state.id)))

    async def _walk_over(self, request: Request) -> JSONResponse:
        body = await body_of(request, Walkover)
        players = frozenset((body.black, body.white))
        state = await self._operations.walk_over(
            request.path_params["tournament"], body.title, body.stage, players, _OPERATOR
        )
        return JSONResponse(round_told(state, self._book.head(state.id)))

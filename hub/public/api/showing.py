"""The API for what projector and outside mirror show (the console has a page for it)."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.rounds.operations import Operations
from hub.web.api.bodies import SetShowing, body_of
from hub.web.api.rounds import Api

_OPERATOR = "operator"


class ShowingApi:
    """`hall_key` gives projector and printer a round before its start."""

    def __init__(self, api: Api, operations: Operations, hall_key: str) -> None:
        self._api = api
        self._operations = operations
        self._hall_key = hall_key

    def routes(self) -> list[Route]:
        path, guarded = "/api/1/tournaments/{tournament}/showing", self._api.guarded
        return [
            Route(path, guarded(self._told), methods=["GET"]),
            Route(path, guarded(self._set), methods=["PUT"]),
        ]

    async def _told(self, request: Request) -> JSONResponse:
        state = self._operations.state(request.path_params["tournament"])
        shown = state.showing
        return JSONResponse(
            {
                "starts_at": shown.starts_at,
                "boards": shown.boards,
                "delay_s": shown.delay_s,
                "hall": f"/hall/{state.id}?key={self._hall_key}",
                "print": f"/print/{state.id}?key={self._hall_key}",
            }
        )

    async def _set(self, request: Request) -> JSONResponse:
        body = await body_of(request, SetShowing)
        await self._operations.show(
            request.path_params["tournament"], body.starts_at, body.boards, body.delay_s or 0, _OPERATOR
        )
        return await self._told(request)

"""The tables' program version in the operator's API."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.record.state import Refused
from hub.tables.updates import UpdateError, Updates
from hub.web.api.bodies import OfferedUpdate, body_of
from hub.web.api.rounds import Api


class UpdateApi:
    """`api` checks the token; the wheel is in the hub's state directory already (`flagfall-hub update`)."""

    def __init__(self, api: Api, updates: Updates) -> None:
        self._api = api
        self._updates = updates

    def routes(self) -> list[Route]:
        guarded = self._api.guarded
        return [
            Route("/api/1/update", guarded(self._offer), methods=["PUT"]),
            Route("/api/1/update", guarded(self._withdraw), methods=["DELETE"]),
            *self._updates.routes(),
        ]

    async def _offer(self, request: Request) -> JSONResponse:
        sha256 = (await body_of(request, OfferedUpdate)).sha256
        try:
            made = self._updates.offer(sha256)
        except UpdateError as fault:
            raise Refused(str(fault)) from None
        return JSONResponse(
            {"version": made.version, "sha256": made.sha256, "by_hand": self._updates.by_hand()}
        )

    async def _withdraw(self, _: Request) -> JSONResponse:
        self._updates.withdraw()
        return JSONResponse({})

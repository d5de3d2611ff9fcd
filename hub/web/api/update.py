"""The operator's word on the version that tables are to run, over the API."""

from __future__ import annotations

import re

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.record.state import Refused
from hub.tables.updates import UpdateError, Updates
from hub.web.api.json_body import body_of, short
from hub.web.api.rounds import Api

_SHA256 = re.compile(r"[0-9a-f]{64}")


class UpdateApi:
    """`api` guards it; the wheel lies in the hub's state directory already (`flagfall-hub update`)."""

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
        sha256 = (await body_of(request)).text("sha256")
        if not _SHA256.fullmatch(sha256):
            raise Refused(f"sha256: expected 64 hexadecimal digits, got {short(sha256)}")
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

"""The operator's API: JSON over HTTP, behind a token (`Authorization: Bearer ...`), and enrolment, which needs none.

Every answer is one JSON object; a refusal is `{"error": "field: expected ..., got ..."}` with status 400, 404 or 409.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import Awaitable, Callable

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hub.context import HubContext
from hub.record.state import TournamentState
from hub.tables.devices import DevicesError
from hub.tables.updates import UpdateError
from hub.text import Refused, UnknownGame
from hub.venue import folder as venue
from hub.web.api.bodies import Claim, Nothing, body_of
from hub.web.api.context import Broker, Operation
from hub.web.api.operations import OPERATIONS
from hub.web.api.round_json import round_told
from hub.web.api.table_operations import OPERATOR
from ledger.store import LedgerError
from link.enrolment import OLD_TABLE, SEAL, Package, encode, seal


class Api:
    """Answers for one hub, to who has its `token`."""

    def __init__(self, hub: HubContext, broker: Broker, token: str) -> None:
        self._hub = hub
        self._broker = broker
        self._token = token.encode()
        self._certifying = asyncio.Lock()

    def routes(self) -> list[Route]:
        found = [Route(one.path, self._answered(one), methods=[one.method]) for one in OPERATIONS]
        return [*found, *self._hub.updates.routes(), Route("/enrol", self._claim, methods=["POST"])]

    def _answered(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        """For clients with the token; refusals as JSON."""

        async def answer(request: Request) -> Response:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), self._token):
                return _error(401, "authorization: expected Bearer and the token of this hub")
            named = next(iter(request.path_params.values()), "")
            try:
                body: object = None
                if operation.body not in (None, Nothing):
                    body = await body_of(request, operation.body)
                said = await operation.act(self._hub, named, body)
            except UnknownGame as fault:
                return _error(404, str(fault))
            except (Refused, UpdateError) as fault:
                return _error(400, str(fault))
            except LedgerError as fault:
                return _error(409, str(fault))
            if isinstance(said, TournamentState):
                said = round_told(said, self._hub.store.head(said.id))
            return Response(msgspec.json.encode(said), operation.status, media_type="application/json")

        return answer

    async def _claim(self, request: Request) -> Response:
        """A device shows the digest of its code once, and gets its sealed package with the table's PINs. No login is
        needed: the digest of an open code is known only with the code."""
        hub, broker = self._hub, self._broker
        try:
            claimed = await body_of(request, Claim)
        except Refused:
            return _error(400, "digest: expected a text")
        if claimed.seal != SEAL:
            return _error(409, OLD_TABLE)
        offer = hub.offers.claim(claimed.digest)
        if offer is None:
            return _error(404, "code: expected one that is open (wrong, used or too old)")
        try:
            tls = await self._certificate(offer.device)
            identity = await hub.operations.enroll(
                offer.device, offer.seat, OPERATOR, offer.again, offer.judge_pin
            )
        except (Refused, DevicesError, venue.VenueError) as fault:
            return _error(409, str(fault))
        host = broker.host or (request.url.hostname or "")
        settings = hub.devices.settings(offer.device)
        package = Package(identity, host, broker.port, tls, settings)
        sealed = await asyncio.to_thread(seal, offer.code, encode(package))
        return JSONResponse({"sealed": base64.b64encode(sealed).decode(), "seal": SEAL})

    async def _certificate(self, device: str) -> dict[str, str]:
        folder = self._broker.venue
        if folder is None:
            return {}
        async with self._certifying:
            return venue.as_texts(await asyncio.to_thread(venue.certify, folder, device))


def _error(status: int, line: str) -> Response:
    return JSONResponse({"error": line}, status)

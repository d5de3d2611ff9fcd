"""Enrolment over HTTP: the operator gets a code, the device shows its digest once and gets its sealed package."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from hub.record.state import Refused
from hub.rounds.operations import Operations
from hub.tables.devices import Devices
from hub.tables.enrolment import Offers
from hub.venue import folder as venue
from hub.web.api.bodies import Claim, OfferedCode, body_of
from hub.web.api.rounds import Api
from link.enrolment import OLD_TABLE, SEAL, Package, encode, seal

_OPERATOR = "operator"
_SHORT_S = 600


@dataclass(frozen=True, slots=True)
class Broker:
    """The broker's address for tables; host "": the one at which they reached the hub."""

    host: str
    port: int
    venue: Path | None


class EnrolmentApi:
    """`api` checks the operator's token. Certificates are made one at a time."""

    def __init__(
        self,
        api: Api,
        operations: Operations,
        registry: Devices,
        offers: Offers,
        broker: Broker,
        set_aside: Callable[[str], Awaitable[None]],
    ) -> None:
        self._api = api
        self._operations = operations
        self._registry = registry
        self._offers = offers
        self._broker = broker
        self._set_aside = set_aside
        self._certifying = asyncio.Lock()

    def routes(self) -> list[Route]:
        guarded = self._api.guarded
        return [
            Route("/api/1/enrolments", guarded(self._offer), methods=["POST"]),
            Route("/api/1/devices/{device}", guarded(self._revoke), methods=["DELETE"]),
            Route("/enrol", self._claim, methods=["POST"]),
        ]

    async def _offer(self, request: Request) -> JSONResponse:
        body = await body_of(request, OfferedCode)
        device, lifetime_s = body.device, body.lifetime_s or _SHORT_S
        if self._registry.key(device) is not None and not body.again:
            raise Refused(f"device: expected a new one, got {device!r:.80}, which is enrolled")
        try:
            offer = self._offers.offer(device, body.seat, body.again, lifetime_s, body.judge_pin or "")
        except ValueError as fault:
            raise Refused(str(fault)) from None
        told = {"device": device, "code": offer.code, "lifetime_s": lifetime_s, "judge_pin": offer.judge_pin}
        return JSONResponse(told, 201)

    async def _claim(self, request: Request) -> JSONResponse:
        """The package has the table's PINs too. No login is needed: the digest of an open code is known only with the
        code."""
        try:
            claimed = await body_of(request, Claim)
        except Refused:
            return JSONResponse({"error": "digest: expected a text"}, 400)
        if claimed.seal != SEAL:
            return JSONResponse({"error": OLD_TABLE}, 409)
        offer = self._offers.claim(claimed.digest)
        if offer is None:
            return JSONResponse({"error": "code: expected one that is open (wrong, used or too old)"}, 404)
        try:
            tls = await self._certificate(offer.device)
            identity = await self._operations.enroll(
                offer.device, offer.seat, _OPERATOR, offer.again, offer.judge_pin
            )
        except (Refused, venue.VenueError) as fault:
            return JSONResponse({"error": str(fault)}, 409)
        host = self._broker.host or (request.url.hostname or "")
        package = Package(identity, host, self._broker.port, tls, self._registry.settings(offer.device))
        sealed = await asyncio.to_thread(seal, offer.code, encode(package))
        return JSONResponse({"sealed": base64.b64encode(sealed).decode(), "seal": SEAL})

    async def _certificate(self, device: str) -> dict[str, str]:
        folder = self._broker.venue
        if folder is None:
            return {}
        async with self._certifying:
            return venue.as_texts(await asyncio.to_thread(venue.certify, folder, device))

    async def _revoke(self, request: Request) -> JSONResponse:
        """Revokes a lost device; the venue's broker restarts without it."""
        device = request.path_params["device"]
        await self._set_aside(device)
        return JSONResponse({"device": device, "revoked": True})

"""The operator's API: JSON over HTTP, behind a token (`Authorization: Bearer ...`), and enrolment, which needs none.

Every answer is one JSON object; a refusal is `{"error": "field: expected ..., got ..."}` with status 400, 404 or 409.
"""

from __future__ import annotations

import asyncio
import base64
import hmac
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flagfall.base.convert import convert
from flagfall.base.errors import Failed, Invalid
from flagfall.base.foreign_text import check_json
from flagfall.ledger.store import LedgerError
from flagfall.link.enrolment import OTHER_SEAL, SEAL, Package, seal, unseal_key
from hub.api.operations import OPERATIONS, operator_at
from hub.commands.desk import Fields, Nothing
from hub.commands.tables import claim_device, repeat_claim
from hub.fields import ShortText
from hub.model.games import Game
from hub.record.state import TournamentState
from hub.running import Hub
from hub.tables.devices import EnrolmentOffer
from hub.text import Refused, UnknownGame, refused
from hub.venue import folder as venue
from hub.venue.names import network_name, own_hosts
from hub.web.connections import is_loopback
from hub.web.operation import Operation

LARGEST_BODY_BYTES = 8 << 20
_Of = TypeVar("_Of")


class Claim(Fields, frozen=True, kw_only=True):
    digest: ShortText
    # The device's public key, sealed with the code, in base64.
    key: ShortText = ""
    seal: Any = None


class Api:
    """The operator's API of one hub, for clients with its token."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._claiming = asyncio.Lock()

    def routes(self) -> list[Route]:
        routes = [
            Route(operation.path, self._endpoint(operation), methods=[operation.method])
            for operation in OPERATIONS
        ]
        return [*routes, *self._hub.updates.routes(), Route("/enrol", self._claim, methods=["POST"])]

    def _endpoint(self, operation: Operation) -> Callable[[Request], Awaitable[Response]]:
        """Return the endpoint for clients with the token. It answers refusals as JSON."""

        async def answer(request: Request) -> Response:
            kind, _, token = request.headers.get("authorization", "").partition(" ")
            if kind.lower() != "bearer" or not hmac.compare_digest(
                token.strip().encode(), self._hub.token.encode()
            ):
                return _error_response(401, "authorization: expected Bearer and the token of this hub")
            named = next(iter(request.path_params.values()), "")
            try:
                body: object = None
                if operation.body not in (None, Nothing):
                    body = await read_body(request, operation.body)
                outcome = await operation.act(self._hub, named, body)
            except UnknownGame as fault:
                return _error_response(404, str(fault))
            except Refused as fault:
                return _error_response(400, str(fault))
            except Failed as fault:
                return _error_response(507, str(fault))
            except LedgerError as fault:
                return _error_response(409, str(fault))
            if isinstance(outcome, TournamentState):
                outcome = _round_json(outcome, self._hub.store.head(outcome.id))
            return Response(msgspec.json.encode(outcome), operation.status, media_type="application/json")

        return answer

    async def _claim(self, request: Request) -> Response:
        """Enrol a device with the public key that it shows, once, for the digest of its code, and send it its sealed
        package with the table's PINs. No login is needed: digest and key can be sealed with an open code only.

        A claim that is repeated with the same key, because its answer was lost, gets the same answer until the device
        has been seen online. With a faulty claim, or one that is refused, the code stays open.
        """
        try:
            claimed = await read_body(request, Claim)
        except Refused:
            return _error_response(400, "digest: expected a text")
        if claimed.seal != SEAL:
            return _error_response(409, OTHER_SEAL)
        host = self._hub.broker.host or await asyncio.to_thread(_own_host, request)
        async with self._claiming:
            try:
                sealed = await self._answer(claimed, host)
            except (ValueError, Refused) as fault:  # Invalid and base64's are ValueErrors
                return _error_response(409, str(fault))
            except (Failed, LedgerError) as fault:  # the table tries again
                return _error_response(503, str(fault))
        if sealed is None:
            return _error_response(404, "code: expected one that is open (wrong, used or too old)")
        return JSONResponse({"sealed": sealed, "seal": SEAL})

    async def _answer(self, claimed: Claim, host: str) -> str | None:
        """Return the sealed package for a claim, None where no code is open for it."""
        hub = self._hub
        offer, before = hub.offers.find(claimed.digest), hub.devices.claimed_with(claimed.digest)
        if offer is None and before is None:
            return None
        shown = base64.b64decode(claimed.key)
        if offer is None:
            if before is None or unseal_key(before.claimed, shown) != before.key:
                return None
            return await repeat_claim(operator_at(hub), before)
        public = unseal_key(offer.code, shown)
        hub.devices.check_enrolment(offer.device, offer.seat, offer.again)
        tls = await self._certificate(offer.device)
        if hub.offers.find(claimed.digest) != offer:
            return None  # its device was revoked meanwhile
        return await claim_device(
            operator_at(hub), offer, public, partial(self._sealed, offer, host=host, tls=tls)
        )

    def _sealed(
        self, offer: EnrolmentOffer, token: str, pins: dict[str, str], *, host: str, tls: dict[str, str]
    ) -> str:
        broker, settings = self._hub.broker, pins
        if not broker.host:
            # The address may be another tomorrow.
            settings = {**pins, "broker_name": network_name()}
        package = Package(
            offer.device, token, self._hub.key.public, host, broker.port, tls=tls, settings=settings
        )
        return base64.b64encode(seal(offer.code, package)).decode()

    async def _certificate(self, device: str) -> dict[str, str]:
        folder = self._hub.broker.venue
        if folder is None:
            return {}
        async with self._hub.certifying:
            return venue.as_texts(await asyncio.to_thread(venue.certify, folder, device))


def _own_host(request: Request) -> str:
    """Return the host at which a table reached this hub, if it is one of this machine's; otherwise the address at which
    the connection arrived. Whoever stands between the two can write any `Host` in a plain request."""
    arrived = str((request.scope.get("server") or ("",))[0])
    try:
        named = (request.url.hostname or "").lower()
    except ValueError:
        return arrived
    return named if is_loopback(named) == is_loopback(arrived) and named in own_hosts() else arrived


async def read_body(request: Request, kind: type[_Of]) -> _Of:
    """Return the request's JSON object; no body counts as an empty one. Refused names the field and what was
    expected."""
    data = bytearray()
    async for piece in request.stream():
        data += piece
        if len(data) > LARGEST_BODY_BYTES:
            raise Refused(f"expected {LARGEST_BODY_BYTES} bytes at most", field="body")
    try:
        check_json(bytes(data))
        # Unlike json it refuses NaN and half of a surrogate pair, which no ledger could store.
        value = msgspec.json.decode(data or b"{}")
    except ValueError:  # msgspec's are ValueErrors too
        raise Refused("expected a JSON object", field="body") from None
    try:
        return convert(value, kind)
    except Invalid as fault:
        raise refused(fault, "body") from None


def _error_response(status: int, line: str) -> Response:
    return JSONResponse({"error": line}, status)


def _round_json(state: TournamentState, head: str) -> dict[str, Any]:
    """Return the present round, JSON-ready; `head` is the hash of the chain's last entry."""
    games = state.present_games
    return {
        "tournament": state.id,
        "name": state.tournament.name,
        "round": state.round,
        "rounds_planned": state.tournament.rounds_planned,
        "started": state.round in state.started,
        "complete": bool(games) and all(g.score is not None and not g.conflict for g in games),
        "closed": state.closed,
        "head": head,
        "games": [_game_json(game) for game in games],
        "byes": list(state.tournament.rounds[-1].byes) if state.tournament.rounds else [],
        "warnings": [str(line) for line in state.pairing_warnings],
        "conflicts": [game.id for game in state.disputed],
        "seats": {str(seat): device for seat, device in sorted(state.seats.items())},
    }


_OF_GAME = ("table", "device", "black", "white", "score")
_OF_SCORE = ("signed", "confirmed", "conflict", "entered")
_OF_REPORT = ("device", "revision", "score", "transcript")


def _game_json(game: Game) -> dict[str, Any]:
    reported = game.reported
    report = {name: getattr(reported, name, None) for name in _OF_REPORT}
    return (
        {"game": game.id}
        | {name: getattr(game, name) for name in (*_OF_GAME, *_OF_SCORE)}
        | ({"colours": "open"} if game.colours_open else {})
        | {
            "reason": game.reason if game.score is not None else None,
            "at_tablet": game.confirmed_at_tablet,
            "reported": report | {"differences": list(map(str, reported.differences))} if reported else None,
            "replaced": list(game.replaced),
        }
    )

"""The public addresses of an event's record: its signed head, and the proof that an earlier head leads to it."""

from __future__ import annotations

import base64
import json

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from flagfall.ledger.merkle import consistency_path
from hub.fields import whole_in
from hub.proof.hub_key import HubKey
from hub.public.responses import cacheable
from hub.public.site import PublicSite

_TEXT = "text/plain; charset=utf-8"
_JSON = "application/json"


class PublicProofs:
    """The addresses; `key` is the hub's."""

    def __init__(self, site: PublicSite, key: HubKey) -> None:
        self._site, self._key = site, key

    def routes(self) -> list[Route]:
        known = self._site.of_tournament
        return [
            Route("/t/{tournament}/checkpoint", known(self._checkpoint)),
            Route("/t/{tournament}/consistency", known(self._consistency)),
        ]

    async def _checkpoint(self, request: Request, tournament: str) -> Response:
        return cacheable(request, self._key.checkpoint(tournament, self._site.store.tree(tournament)), _TEXT)

    async def _consistency(self, request: Request, tournament: str) -> Response:
        """Answer with the hashes that lead from the head of `from` entries to the present one, and with that head."""
        tree = self._site.store.tree(tournament)
        size = whole_in(request.query_params.get("from", ""))
        if size is None or not 1 <= size <= len(tree.hashes):
            error = f"from: expected the size of an earlier checkpoint, 1 to {len(tree.hashes)}"
            return JSONResponse({"error": error}, 400)
        answer = {
            "from": size,
            "to": len(tree.hashes),
            "path": [base64.b64encode(node).decode() for node in consistency_path(tree.hashes, size)],
            "checkpoint": self._key.checkpoint(tournament, tree),
        }
        return cacheable(request, json.dumps(answer), _JSON)

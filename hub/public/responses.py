"""The responses that browsers, the hub itself (`hub.web.cache`) and nginx may cache: with an ETag and a short life.

They are compressed for clients that accept it, because two hundred phones ask at once when a round begins.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from hub.slices import apart
from hub.web.cache import COPIED, takes_gzip

HTML = "text/html; charset=utf-8"
# Time for which a phone may use an answer without asking again: a new table must appear within seconds.
LIVES_S = 5
# This header comes first: nginx 1.22 ignores it behind `Cache-Control: no-store`.
_COPIED = {COPIED: "1"}
_WORTH_BYTES = 1_000
_PACKED = ("text/", "application/json")
_LEVEL = 5


def cacheable(
    request: Request, body: str | bytes, media_type: str = HTML, status: int = 200, *, name: str | None = None
) -> Response:
    """Return a response that may be cached. `name` is the file name of a download."""
    data = body.encode() if isinstance(body, str) else body
    packed = _wants_packed(request, data, media_type)
    headers = _COPIED | {
        "ETag": f'"{hashlib.sha256(data).hexdigest()[:20]}{"-gzip" if packed else ""}"',
        "Cache-Control": f"public, max-age={LIVES_S}",
        "Vary": "Accept-Language, Accept-Encoding",
    }
    if name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return _response(data, packed, headers, media_type, status)


def uncached(request: Request, html: str) -> Response:
    """Return a live page, which no browser caches."""
    data = html.encode()
    headers = _COPIED | {"Cache-Control": "no-store", "Vary": "Accept-Language, Accept-Encoding"}
    return _response(data, _wants_packed(request, data, HTML), headers, HTML)


def private(html: str) -> Response:
    """Return a page for a holder of the hall's key.

    It is never cached, and it is not compressed, so that its length reveals nothing about the key.
    """
    return Response(html, 200, {"Cache-Control": "private, no-store"}, HTML)


class _Packed(Response):
    """A response that is compressed in a thread before it is sent: half a megabyte takes 10 ms."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.body = await apart(partial(gzip.compress, self.body, _LEVEL, mtime=0))
        self.headers["Content-Length"] = str(len(self.body))
        await super().__call__(scope, receive, send)


def _response(
    data: bytes, packed: bool, headers: dict[str, str], media_type: str, status: int = 200
) -> Response:
    if packed:
        return _Packed(data, status, headers | {"Content-Encoding": "gzip"}, media_type)
    return Response(data, status, headers, media_type)


def _wants_packed(request: Request, data: bytes, media_type: str) -> bool:
    if len(data) < _WORTH_BYTES or not media_type.startswith(_PACKED):
        return False
    return takes_gzip(request.headers.get("accept-encoding", ""))

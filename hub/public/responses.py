"""Answers that browsers, the hub itself (`hub.web.cache`) and nginx may cache: an ETag, a short life.

They are compressed for clients that accept it: two hundred phones ask at once when a round begins.
"""

from __future__ import annotations

import gzip
import hashlib

from starlette.requests import Request
from starlette.responses import Response

from hub.web.cache import COPIED, takes_gzip

HTML = "text/html; charset=utf-8"
LIVES_S = 5
"""How long a phone may use an answer without asking again: a new table must appear within seconds."""
_COPIED = {COPIED: "1"}
"""It stands first: nginx 1.22 does not heed it behind `Cache-Control: no-store`."""
_WORTH_BYTES = 1_000
_PACKED = ("text/", "application/json")
_LEVEL = 5


def cacheable(
    request: Request, body: str | bytes, media_type: str = HTML, status: int = 200, *, name: str | None = None
) -> Response:
    """An answer that may be cached. `name`: of a download."""
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
    """A live page: never cached."""
    data = html.encode()
    headers = _COPIED | {"Cache-Control": "no-store", "Vary": "Accept-Language, Accept-Encoding"}
    return _response(data, _wants_packed(request, data, HTML), headers, HTML)


def private(html: str) -> Response:
    """A page for a holder of the hall's key: never cached, and its length reveals nothing about the key."""
    return Response(html, 200, {"Cache-Control": "private, no-store"}, HTML)


def _response(
    data: bytes, packed: bool, headers: dict[str, str], media_type: str, status: int = 200
) -> Response:
    if packed:
        return Response(
            gzip.compress(data, _LEVEL, mtime=0), status, headers | {"Content-Encoding": "gzip"}, media_type
        )
    return Response(data, status, headers, media_type)


def _wants_packed(request: Request, data: bytes, media_type: str) -> bool:
    if len(data) < _WORTH_BYTES or not media_type.startswith(_PACKED):
        return False
    return takes_gzip(request.headers.get("accept-encoding", ""))

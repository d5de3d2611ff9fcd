"""Answers that browsers, the hub itself (`hub.web.same`) and proxies may cache: an ETag, a short life.

They are compressed for clients that accept it: two hundred phones ask at once when a round begins.
"""

from __future__ import annotations

import gzip
import hashlib

from starlette.requests import Request
from starlette.responses import Response

from hub.web.same import mark_cacheable, takes_gzip

HTML = "text/html; charset=utf-8"
COPIED = {"X-Accel-Expires": "1"}
"""Seconds for which nginx may hand out copies of an answer that is the same for everybody. It stands first: nginx 1.22
does not heed it behind `Cache-Control: no-store`."""
LIVES_S = 5
"""How long a phone may use an answer without asking again: a new table must appear within seconds."""
_WORTH_BYTES = 1_000
_PACKED = ("text/", "application/json")
_LEVEL = 5


def cacheable(
    request: Request,
    body: str | bytes,
    media_type: str = HTML,
    status: int = 200,
    *,
    name: str | None = None,
    of_record: bool = False,
) -> Response:
    """An answer that may be cached. `name`: of a download; `of_record`: it depends on the record alone."""
    data = body.encode() if isinstance(body, str) else body
    packed = _wants_packed(request, data, media_type)
    headers = COPIED | {
        "ETag": f'"{hashlib.sha256(data).hexdigest()[:20]}{"-gzip" if packed else ""}"',
        "Cache-Control": f"public, max-age={LIVES_S}",
        "Vary": "Accept-Language, Accept-Encoding",
    }
    if name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    mark_cacheable(request.scope, of_record)
    return _response(data, packed, headers, media_type, status)


def uncached(request: Request, html: str) -> Response:
    """A live page: never cached."""
    mark_cacheable(request.scope)
    data = html.encode()
    headers = COPIED | {"Cache-Control": "no-store", "Vary": "Accept-Language, Accept-Encoding"}
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

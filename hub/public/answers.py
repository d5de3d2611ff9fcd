"""Answers that browsers and whatever stands between may keep: an ETag, a short life, 304 where nothing is new.

They are packed for whoever can unpack: two hundred phones ask at once when a round begins.
"""

from __future__ import annotations

import gzip
import hashlib

from starlette.requests import Request
from starlette.responses import Response

HTML = "text/html; charset=utf-8"
LIVES_S = 5
"""How long a phone may go without asking again: a new table must be on it in seconds."""
_WORTH_BYTES = 1_000
_PACKED = ("text/", "application/json")
_LEVEL = 5


def kept(
    request: Request, body: str | bytes, media_type: str = HTML, status: int = 200, name: str | None = None
) -> Response:
    """`name`: what a download is called."""
    data = body.encode() if isinstance(body, str) else body
    packed = _wants_packed(request, data, media_type)
    headers = {
        "ETag": f'"{hashlib.sha256(data).hexdigest()[:20]}{"-gzip" if packed else ""}"',
        "Cache-Control": f"public, max-age={LIVES_S}",
        "Vary": "Accept-Language, Accept-Encoding",
    }
    if name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if status == 200 and _known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return _answer(data, packed, headers, media_type, status)


def fresh(request: Request, html: str) -> Response:
    """A page that lives: nobody keeps it."""
    data = html.encode()
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Language, Accept-Encoding"}
    return _answer(data, _wants_packed(request, data, HTML), headers, HTML)


def private(html: str) -> Response:
    """For who holds the hall's key: nobody keeps it, and its length tells nothing of the key."""
    return Response(html, 200, {"Cache-Control": "private, no-store"}, HTML)


def _answer(
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
    offers = (part.partition(";q=") for part in request.headers.get("accept-encoding", "").split(","))
    return any(
        name.strip() == "gzip" and (not given or weight.strip("0. ")) for name, given, weight in offers
    )


def _known(request: Request, tag: str) -> bool:
    said = request.headers.get("if-none-match", "")
    return any(part.strip().removeprefix("W/") in (tag, "*") for part in said.split(","))

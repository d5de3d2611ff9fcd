"""Answers that browsers and whatever stands between may keep: an ETag, a short life, 304 where nothing is new."""

from __future__ import annotations

import hashlib

from starlette.requests import Request
from starlette.responses import Response

HTML = "text/html; charset=utf-8"
LIVES_S = 5
"""How long a phone may go without asking again: a new table must be on it in seconds."""


def kept(
    request: Request, body: str | bytes, media_type: str = HTML, status: int = 200, name: str | None = None
) -> Response:
    """`name`: what a download is called."""
    data = body.encode() if isinstance(body, str) else body
    headers = {
        "ETag": f'"{hashlib.sha256(data).hexdigest()[:20]}"',
        "Cache-Control": f"public, max-age={LIVES_S}",
        "Vary": "Accept-Language",
    }
    if name is not None:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    if status == 200 and _known(request, headers["ETag"]):
        return Response(status_code=304, headers=headers)
    return Response(data, status, headers, media_type)


def private(html: str, status: int = 200) -> Response:
    """For who holds the hall's key: nobody keeps it."""
    return Response(html, status, {"Cache-Control": "private, no-store"}, HTML)


def _known(request: Request, tag: str) -> bool:
    said = request.headers.get("if-none-match", "")
    return any(part.strip().removeprefix("W/") in (tag, "*") for part in said.split(","))

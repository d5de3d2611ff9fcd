"""The hub's web application: all parts of the site, with common headers."""

from __future__ import annotations

import errno
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from flagfall.base.errors import FlagfallError
from flagfall.base.message import Message
from flagfall.ledger.store import LedgerError
from hub.text import NO_PAGE
from hub.web.bounds import FOR_PROGRAMS, RequestRefused, refused
from hub.web.cache import COPIED

STATIC = Path(__file__).parent / "static"
_FILES_S = 300
_OF_DISKS = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": browsers would then hide the origin of the console's own forms.
    "Referrer-Policy": "same-origin",
}
# A page without a script shows a picture that was read once, out of the page itself.
WITH_PICTURE = f"{HEADERS['Content-Security-Policy']}; img-src 'self' data:"


class SitePart(Protocol):
    """A part of the site: the public pages, the API, the console."""

    def routes(self) -> Sequence[BaseRoute]: ...


# Returns a page in the visitor's language that shows the message with this status.
RefusalPage = Callable[[Request, Message, int], Response]


def application(*parts: SitePart, refusal_pages: Mapping[str, RefusalPage]) -> ASGIApp:
    """Return the application of the whole site; the first part with a route for an address answers it.

    The keys of `refusal_pages` are beginnings of addresses, the longest first.
    """
    routes = [route for part in parts for route in part.routes()]
    inner = Starlette(
        routes=[*routes, Mount("/static", _shared_files(kept_briefly(StaticFiles(directory=STATIC))))],
        exception_handlers={RequestRefused: refused}
        | dict.fromkeys((404, 405), partial(_not_found, refusal_pages))
        | dict.fromkeys((OSError, LedgerError), partial(_disk_fault, refusal_pages)),
    )
    return with_headers(inner, _set_headers)


def _set_headers(headers: MutableHeaders) -> None:
    """Add the common headers to those that the part has not set itself."""
    for name, value in HEADERS.items():
        headers.setdefault(name, value)


_NOT_NOW = Message("This page cannot be made now. Tell the director.")


def disk_fault(fault: Exception) -> Message:
    """Return the message for a full or broken disk. Raise any other fault again."""
    if isinstance(fault, FlagfallError):
        return fault.message
    if not isinstance(fault, OSError) or fault.errno not in _OF_DISKS:
        raise fault
    return Message(f"cannot be written: {fault.strerror}")


async def _disk_fault(pages: Mapping[str, RefusalPage], request: Request, fault: Exception) -> Response:
    """Answer that the request was not carried out because the disk is full or gone. Only programs and the console are
    told where it lies."""
    why = disk_fault(fault)
    inside = request.url.path.startswith((*FOR_PROGRAMS, "/desk"))
    return _refusal(pages, request, why if inside else _NOT_NOW, 507)


async def _not_found(pages: Mapping[str, RefusalPage], request: Request, fault: Exception) -> Response:
    """Answer that there is no such address, or not with this method."""
    assert isinstance(fault, HTTPException)
    answer = _refusal(pages, request, NO_PAGE, fault.status_code)
    answer.headers.update(fault.headers or {})
    return answer


def _refusal(pages: Mapping[str, RefusalPage], request: Request, why: Message, status: int) -> Response:
    """Return JSON for programs, else the page of this part of the site."""
    path = request.url.path
    if path.startswith(FOR_PROGRAMS):
        return JSONResponse({"error": str(why)}, status)
    return next(page for beginning, page in pages.items() if path.startswith(beginning))(request, why, status)


def kept_briefly(files: ASGIApp) -> ASGIApp:
    """Let browsers keep files for five minutes. Without a limit they keep them for days, and after an update of the hub
    a new script would import an old one."""
    return with_headers(files, lambda headers: headers.update({"Cache-Control": f"max-age={_FILES_S}"}))


def _shared_files(files: ASGIApp) -> ASGIApp:
    return with_headers(files, lambda headers: headers.update({COPIED: "1"}))


def with_headers(inner: ASGIApp, change: Callable[[MutableHeaders], None]) -> ASGIApp:
    """Wrap an application so that `change` edits the headers of every answer."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: AsgiMessage) -> None:
            if message["type"] == "http.response.start":
                change(MutableHeaders(scope=message))
            await send(message)

        await inner(scope, receive, send_with_headers)

    return answer

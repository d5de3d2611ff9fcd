"""The console over HTTPS, with the certificate that the venue's own authority made for its hub.

It has a port of its own. The public pages stay on the other one: spectators and tables that enrol do not know the
venue's authority yet. There the console only says where it is, so that no password crosses the room in the clear.
"""

from __future__ import annotations

import ssl
from pathlib import Path

from starlette.datastructures import URL, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from link.tls import CERTIFICATE, KEY, TlsError

_CONSOLE = "/desk"


def certificate_of(venue: Path) -> tuple[Path, Path]:
    """Certificate and key of the venue's hub. TlsError with one line where they cannot be used."""
    files = venue / "broker" / CERTIFICATE, venue / "broker" / KEY
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files, password=lambda: "")
    except OSError as bad:  # ssl's own errors are among them
        why = " ".join(str(bad.strerror or bad).split())
        raise TlsError(
            f"{files[0]}: expected certificate and key of flagfall-hub venue init: {why}"
        ) from None
    return files


def console_elsewhere(inner: ASGIApp, tls_port: int) -> ASGIApp:
    """Sends whoever wants the console to `tls_port`; a form sent in the clear is refused."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not (scope["path"] + "/").startswith(_CONSOLE + "/"):
            await inner(scope, receive, send)
            return
        said: Response
        if scope["method"] in ("GET", "HEAD"):
            said = RedirectResponse(URL(scope=scope).replace(scheme="https", port=tls_port), 307)
        else:
            said = PlainTextResponse("Expected HTTPS.\n", 403)
        await said(scope, receive, send)

    return answer


def with_secure_cookies(inner: ASGIApp) -> ASGIApp:
    """Every cookie that is set here is for HTTPS only."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_secured(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                cookies = headers.getlist("set-cookie")
                del headers["set-cookie"]
                for cookie in cookies:
                    headers.append("set-cookie", f"{cookie}; Secure")
            await send(message)

        await inner(scope, receive, send_secured)

    return answer

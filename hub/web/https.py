"""The console over HTTPS, with the certificate that the venue's own authority made for its hub.

It has a port of its own. The public pages stay on the other one, because spectators and enrolling tables do not know
the venue's authority yet. There the console only says where it is, so that no password is sent in clear text.
"""

from __future__ import annotations

import ssl
from ipaddress import ip_address
from pathlib import Path

from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from hub.web.app import with_headers
from link.tls import CERTIFICATE, KEY, TlsError

_CONSOLE = "/desk"


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """Certificate and key in a folder. TlsError with one line if they cannot be used."""
    files = folder / CERTIFICATE, folder / KEY
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files, password=lambda: "")
    except OSError as bad:  # ssl's own errors are among them
        why = " ".join(str(bad.strerror or bad).split())
        raise TlsError(
            f"{files[0]}: expected certificate and key of flagfall-hub venue init: {why}"
        ) from None
    return files


def console_elsewhere(inner: ASGIApp, tls_port: int) -> ASGIApp:
    """Sends the console's users to `tls_port`; a form sent in clear text is refused, and so is the API's token unless
    it comes from this machine."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        said: Response
        if not (scope["path"] + "/").startswith(_CONSOLE + "/"):
            if "authorization" in Headers(scope=scope) and not _from_here(scope):
                said = JSONResponse({"error": f"authorization: expected HTTPS, at port {tls_port}"}, 403)
                await said(scope, receive, send)
            else:
                await inner(scope, receive, send)
            return
        if scope["method"] in ("GET", "HEAD"):
            said = RedirectResponse(URL(scope=scope).replace(scheme="https", port=tls_port), 307)
        else:
            said = PlainTextResponse("Expected HTTPS.\n", 403)
        await said(scope, receive, send)

    return answer


def _from_here(scope: Scope) -> bool:
    client = scope.get("client")
    try:
        return client is not None and ip_address(client[0]).is_loopback
    except ValueError:
        return False


def with_secure_cookies(inner: ASGIApp) -> ASGIApp:
    """Marks every cookie as for HTTPS only."""

    def secure(headers: MutableHeaders) -> None:
        cookies = headers.getlist("set-cookie")
        del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", f"{cookie}; Secure")

    return with_headers(inner, secure)

"""The hub's listening sockets and server, and the console over HTTPS with a certificate of the venue's authority.

HTTPS has a separate port. The public pages stay on the other one, because spectators and enrolling tables do not know
the venue's authority yet. There the console only redirects, so that no password is sent in clear text.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn
from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from flagfall.base.errors import Invalid
from flagfall.link.tls import CERTIFICATE, KEY
from hub.venue.names import EVERYWHERE, own_address
from hub.web.app import with_headers
from hub.web.connections import LARGEST_HEAD_BYTES, Connections, GuardedProtocol, is_loopback

_LET_GO_S = 2
_ACCEPTED_IN_ONE_GO = 64  # connections that the server accepts before it does anything else
_CALLERS = 2_048  # connections that may wait to be accepted
_SENT_AHEAD_BYTES = 65_536


class ListeningSocket(socket.socket):
    """A socket where more connections may wait than asyncio accepts in one go; asyncio has one number for both."""

    def listen(self, backlog: int = _CALLERS, /) -> None:
        super().listen(max(backlog, _CALLERS))


def listening_socket(host: str, port: int, key: str) -> socket.socket:
    """Return a listening socket. Raise Invalid with the configuration's `key` if the address is not available."""
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # The protocol is named, or asyncio does not recognise TCP and lets the end of each page wait 40 ms.
        listening = ListeningSocket(addresses[0][0], socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Else the kernel takes megabytes of answers for a client that reads none.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SENT_AHEAD_BYTES)
            listening.bind(addresses[0][4])
            listening.listen()
        except BaseException:
            listening.close()
            raise
    except OSError as fault:
        raise Invalid(key, f"a free address, {host}:{port}: {fault.strerror}") from None
    return listening


def reachable_address(host: str) -> str:
    """Return `host` as others reach it: for 0.0.0.0, this machine's address in its network."""
    return (own_address() or socket.gethostname()) if host in EVERYWHERE else host


class _Server(uvicorn.Server):
    """A server that leaves signals to the hub."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(
    pages: ASGIApp, connections: Connections | None, certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Server:
    """Return a server, over HTTPS if a certificate and key are passed. When it stops, streams end within 2 s."""
    return _Server(
        uvicorn.Config(
            pages,
            http=type("Guarded", (GuardedProtocol,), {"places": connections}),
            ws="none",
            lifespan="off",
            backlog=_ACCEPTED_IN_ONE_GO,
            h11_max_incomplete_event_size=LARGEST_HEAD_BYTES,
            log_config=None,
            log_level="error",  # its warnings are of what strangers send: torn requests, upgrades to WebSocket
            access_log=False,
            timeout_graceful_shutdown=_LET_GO_S,
            server_header=False,
            proxy_headers=False,  # anybody could claim any address; nginx has a socket of its own (hub.web.front)
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
    )


_CONSOLE = "/desk"


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """Return the certificate and key in a folder. Raise Invalid if they cannot be used."""
    files = folder / CERTIFICATE, folder / KEY
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files, password=lambda: "")
    except OSError as bad:  # ssl's own errors are among them
        why = " ".join(str(bad.strerror or bad).split())
        expected = f"certificate and key of flagfall-hub venue init: {why}"
        raise Invalid("", expected, source=str(files[0])) from None
    return files


def console_over_tls(inner: ASGIApp, tls_port: int, certified_host: Callable[[str], str]) -> ASGIApp:
    """Redirect the console's users to `tls_port`, at a host that the certificate has: elsewhere a browser would warn.

    A form sent in clear text is refused, and so is the API's token unless it comes from this machine.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        response: Response
        if not (scope["path"] + "/").startswith(_CONSOLE + "/"):
            if "authorization" in Headers(scope=scope) and not is_loopback((scope.get("client") or ("",))[0]):
                response = JSONResponse({"error": f"authorization: expected HTTPS, at port {tls_port}"}, 403)
                await response(scope, receive, send)
            else:
                await inner(scope, receive, send)
            return
        if scope["method"] in ("GET", "HEAD"):
            asked = URL(scope=scope)
            host = certified_host(asked.hostname or "")
            response = RedirectResponse(asked.replace(scheme="https", hostname=host, port=tls_port), 307)
        else:
            response = PlainTextResponse("Expected HTTPS.\n", 403)
        await response(scope, receive, send)

    return answer


def by_scheme(plain: ASGIApp, encrypted: ASGIApp) -> ASGIApp:
    """Answer a request by the application of its scheme: behind a web server both schemes come to one socket."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        inner = encrypted if scope.get("scheme") == "https" else plain
        await inner(scope, receive, send)

    return answer


def with_secure_cookies(inner: ASGIApp) -> ASGIApp:
    """Mark every cookie as for HTTPS only."""

    def secure(headers: MutableHeaders) -> None:
        cookies = headers.getlist("set-cookie")
        del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", f"{cookie}; Secure")

    return with_headers(inner, secure)

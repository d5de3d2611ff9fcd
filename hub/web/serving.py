"""A listening socket; a server over it that leaves signals to the hub; uvicorn's HTTP/1.1, which reports each
connection's state to the gate; and the console over HTTPS, with the certificate of the venue's own authority.

HTTPS has a port of its own. The public pages stay on the other one, because spectators and enrolling tables do not know
the venue's authority yet. There the console only says where it is, so that no password is sent in clear text.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import uvicorn
from starlette.datastructures import URL, Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from hub.web.app import with_headers
from hub.web.gate import Gate, GatedSocket, HeldConnection, is_loopback
from link.tls import CERTIFICATE, KEY
from othello.errors import Invalid

_LET_GO_S = 2
_ACCEPTED_IN_ONE_GO = 64
"""How many connections the server accepts before it does anything else."""


def listening_socket(host: str, port: int, key: str) -> GatedSocket:
    """Invalid, with the configuration's `key`, if the address is not available."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        # The protocol is given, or asyncio does not recognise TCP and lets the end of each page wait 40 ms.
        listening = GatedSocket(found[0][0], socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(found[0][4])
            listening.listen()
        except BaseException:
            listening.close()
            raise
    except OSError as fault:
        raise Invalid(key, f"a free address, {host}:{port}: {fault.strerror}") from None
    return listening


def reachable_address(host: str) -> str:
    """`host` as others reach it: for every address (0.0.0.0) this machine's own in its network."""
    if host not in ("0.0.0.0", "::"):
        return host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked, contextlib.suppress(OSError):
        asked.connect(("192.0.2.1", 9))  # chooses a route, sends nothing
        return str(asked.getsockname()[0])
    return socket.gethostname()


class _Server(uvicorn.Server):
    """Signals are handled by the hub."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def make_server(
    pages: ASGIApp, gate: Gate | None, certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Server:
    """Over HTTPS with a certificate and key. Open streams end after two seconds. Its listening sockets must have the
    same `gate`; None behind nginx."""
    return _Server(
        uvicorn.Config(
            pages,
            http=protocol_of(gate) if gate is not None else "h11",
            ws="none",
            lifespan="off",
            backlog=_ACCEPTED_IN_ONE_GO,
            h11_max_incomplete_event_size=LARGEST_HEAD_BYTES,
            log_config=None,
            log_level="error",  # its warnings are of what strangers send: torn requests, upgrades to WebSocket
            access_log=False,
            timeout_graceful_shutdown=_LET_GO_S,
            server_header=False,
            proxy_headers=False,  # who connects is who is counted: anybody on this machine could claim any address
            ssl_certfile=certificate,
            ssl_keyfile=key,
        )
    )


LARGEST_HEAD_BYTES = 8_192
_PIECE_BYTES = 4_096
"""h11 checks a head's size only while it is incomplete: one that arrives whole could have thousands of lines."""
_WRITE_BUFFER_BYTES = 8_192


class GatedProtocol(H11Protocol):
    """A connection that came through `gate`."""

    gate: Gate
    _held: HeldConnection | None = None
    has_begun = False
    """Whether anything has come since the last answer."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        transport.set_write_buffer_limits(high=_WRITE_BUFFER_BYTES)
        # asyncio reads 256 kB of each connection at once.
        if hasattr(transport, "max_size"):
            transport.max_size = LARGEST_HEAD_BYTES
        super().connection_made(transport)
        self._held = self.gate.held_connection(transport.get_extra_info("socket").fileno())
        if self._held is None:  # already closed to make room for another connection
            transport.abort()
            return
        self._held.protocol = self
        self.app_state = {**self.app_state, "held": self._held}

    def data_received(self, data: bytes) -> None:
        self.has_begun = True
        began_s = time.thread_time()
        for at in range(0, len(data), _PIECE_BYTES):
            if not self.transport.is_closing():
                super().data_received(data[at : at + _PIECE_BYTES])
        if self._held is not None:
            self.gate.note_read(self._held, time.thread_time() - began_s)
        self._tell_gate()

    def on_response_complete(self) -> None:
        self.has_begun = False
        super().on_response_complete()
        self._tell_gate()

    def _tell_gate(self) -> None:
        held = self._held
        if held is None:
            return
        serving = self.cycle is not None and not self.cycle.response_complete
        if serving != held.serving:
            held.serving, held.since_s = serving, self.loop.time()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._held is not None:
            self.gate.note_unread(self._held, self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._held is not None:
            self.gate.note_taken(self._held)
            if not self._held.serving:
                self._held.since_s = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._held is not None:
            self.gate.note_taken(self._held)
        super().connection_lost(exc)


def protocol_of(gate: Gate) -> type[GatedProtocol]:
    """The protocol for a server whose connections come through this gate."""
    return type("Protocol", (GatedProtocol,), {"gate": gate})


_CONSOLE = "/desk"


def certificate_in(folder: Path) -> tuple[Path, Path]:
    """Certificate and key in a folder. Invalid if they cannot be used."""
    files = folder / CERTIFICATE, folder / KEY
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files, password=lambda: "")
    except OSError as bad:  # ssl's own errors are among them
        why = " ".join(str(bad.strerror or bad).split())
        expected = f"certificate and key of flagfall-hub venue init: {why}"
        raise Invalid("", expected, source=str(files[0])) from None
    return files


def console_over_tls(inner: ASGIApp, tls_port: int, certified_host: Callable[[str], str]) -> ASGIApp:
    """Sends the console's users to `tls_port`, at the host that they have named if the certificate has it: elsewhere a
    browser would warn. A form sent in clear text is refused, and so is the API's token unless it comes from this
    machine."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await inner(scope, receive, send)
            return
        said: Response
        if not (scope["path"] + "/").startswith(_CONSOLE + "/"):
            if "authorization" in Headers(scope=scope) and not is_loopback((scope.get("client") or ("",))[0]):
                said = JSONResponse({"error": f"authorization: expected HTTPS, at port {tls_port}"}, 403)
                await said(scope, receive, send)
            else:
                await inner(scope, receive, send)
            return
        if scope["method"] in ("GET", "HEAD"):
            asked = URL(scope=scope)
            host = certified_host(asked.hostname or "")
            said = RedirectResponse(asked.replace(scheme="https", hostname=host, port=tls_port), 307)
        else:
            said = PlainTextResponse("Expected HTTPS.\n", 403)
        await said(scope, receive, send)

    return answer


def by_scheme(plain: ASGIApp, encrypted: ASGIApp) -> ASGIApp:
    """Answer a request with the application of its scheme: behind a web server both come to one socket."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        inner = encrypted if scope.get("scheme") == "https" else plain
        await inner(scope, receive, send)

    return answer


def with_secure_cookies(inner: ASGIApp) -> ASGIApp:
    """Marks every cookie as for HTTPS only."""

    def secure(headers: MutableHeaders) -> None:
        cookies = headers.getlist("set-cookie")
        del headers["set-cookie"]
        for cookie in cookies:
            headers.append("set-cookie", f"{cookie}; Secure")

    return with_headers(inner, secure)

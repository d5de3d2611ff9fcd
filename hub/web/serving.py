"""A listening socket, and a server over it that leaves signals to the hub."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from hub.config import ConfigError
from hub.web.gate import Gate, GatedSocket
from hub.web.protocol import LARGEST_HEAD_BYTES, protocol_of

_LET_GO_S = 2
_ACCEPTED_IN_ONE_GO = 64
"""How many connections the server accepts before it does anything else."""


def listening_at(host: str, port: int, key: str) -> GatedSocket:
    """ConfigError, with the configuration's `key`, if the address is not available."""
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
        raise ConfigError(f"{key}: expected a free address, {host}:{port}: {fault.strerror}") from None
    return listening


def address_told(host: str) -> str:
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

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.should_exit = True


def server_of(
    pages: ASGIApp, gate: Gate, certificate: Path | None = None, key: Path | None = None
) -> uvicorn.Server:
    """Over HTTPS with a certificate and key. Open streams end after two seconds. Its listening sockets must have the
    same `gate`."""
    return _Server(
        uvicorn.Config(
            pages,
            http=protocol_of(gate),
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

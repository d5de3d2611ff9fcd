"""The witness's server, of C2SP's protocol (https://c2sp.org/tlog-witness): `POST /add-checkpoint`, and the last head
of each record at `GET /SHA-256 OF ITS NAME/checkpoint`.

Requests are limited: the bytes of each and the time to send them, their number from each address, and the connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from flagfall.base.errors import Invalid
from flagfall.link.add_checkpoint import ADDRESS, LARGEST_BYTES, SIZE_TYPE, read_request
from hub.limits import Abuses, Buckets
from hub.log import log
from hub.web.connections import Connections, address_of, client_address, is_loopback
from hub.web.serving import listening_socket, make_server
from hub.witness.key import WitnessKey
from hub.witness.logs import HeadRefused, WitnessLogs

_MOST_CONNECTIONS, _MOST_OF_ADDRESS = 200, 32
# Requests of one address at once, and then each second.
_MOST_REQUESTS, _REQUESTS_PER_S = 120, 4.0
# Time to send a body.
_BODY_S = 10.0
_TYPE = "text/plain; charset=utf-8"


def application(
    logs: WitnessLogs,
    key: WitnessKey,
    wall_s: Callable[[], float] = time.time,
    now_ns: Callable[[], int] = time.monotonic_ns,
) -> Starlette:
    """Return the application of a witness."""
    budgets = Buckets(_MOST_REQUESTS, _REQUESTS_PER_S, now_ns)
    # One thread: the loop goes on while a disk syncs, and requests come one after the other.
    thread = ThreadPoolExecutor(1, "witness")

    def cosign(text: str) -> str:
        return key.cosign(text, max(1, int(wall_s())))  # a machine without a clock starts at nothing

    async def in_thread(work: Callable[[], str | None]) -> str | None:
        return await asyncio.get_running_loop().run_in_executor(thread, work)

    async def add(request: Request) -> Response:
        if not budgets.of(_client(request)).take(1, now_ns()):
            return _refusal(429, "too many requests from this address", {"Retry-After": "60"})
        try:
            given = read_request(await _body(request))
            line = await in_thread(functools.partial(logs.add, given, cosign))
        except Invalid as fault:
            return _refusal(400, str(fault))
        except TimeoutError:
            return _refusal(408, f"the body: expected within {_BODY_S:g} s")
        except ClientDisconnect:
            return _refusal(400, "the body: expected all of it")
        except HeadRefused as why:
            log("info", f"not cosigned status={why.status} why={str(why)!r}")
            if why.status == 409 and why.size is not None:
                return Response(f"{why.size}\n", 409, {"Content-Type": SIZE_TYPE})
            return _refusal(why.status, str(why))
        except sqlite3.Error as fault:
            log("error", f"not stored why={str(fault)!r}")
            return _refusal(503, "the head could not be stored")
        return Response(line, media_type=_TYPE)

    async def checkpoint(request: Request) -> Response:
        if not budgets.of(_client(request)).take(1, now_ns()):
            return _refusal(429, "too many requests from this address", {"Retry-After": "60"})
        note = await in_thread(functools.partial(logs.note, request.path_params["origin"]))
        return Response(note, media_type=_TYPE) if note else _refusal(404, "no head of such a record")

    return Starlette(
        routes=[Route(ADDRESS, add, methods=["POST"]), Route("/{origin}/checkpoint", checkpoint)]
    )


def _client(request: Request) -> str:
    """Return the address for limits. A web server on this machine says whose request it passes on: all would share one
    address, and a single stranger would use up what everybody has."""
    address = client_address(request.scope)
    passed_on = request.headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return address_of((passed_on, 0)) if passed_on and is_loopback(address) else address


async def _body(request: Request) -> bytes:
    """Return the body of a request. Invalid if it is too large, TimeoutError if it comes too slowly."""
    content = bytearray()
    async with asyncio.timeout(_BODY_S):
        async for part in request.stream():
            content += part
            if len(content) > LARGEST_BYTES:
                raise Invalid("", f"{LARGEST_BYTES} bytes at most")
    return bytes(content)


def _refusal(status: int, why: str, headers: dict[str, str] | None = None) -> Response:
    return PlainTextResponse(f"{why}\n", status, headers)


async def serve(logs: WitnessLogs, key: WitnessKey, host: str, port: int) -> None:
    """Serve until a signal. Invalid if the address is not free."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    connections = Connections(Abuses(time.monotonic_ns), _MOST_CONNECTIONS, _MOST_OF_ADDRESS)
    with listening_socket(host, port, "--listen") as listening:
        server = make_server(application(logs, key), connections)
        guarding = asyncio.create_task(connections.run())
        serving = asyncio.create_task(server.serve([listening]))
        log("info", f"ready witness={key.name} listen={host}:{listening.getsockname()[1]}")
        stop = asyncio.create_task(stopping.wait())
        await asyncio.wait({stop, serving}, return_when=asyncio.FIRST_COMPLETED)
        server.should_exit = True
        await serving
        for task in (stop, guarding):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

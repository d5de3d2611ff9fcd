"""Limits of a request: the bytes of its body, the time for these, and its turn.

A client with a session or the token is known; everybody else is a stranger. A stranger may send some kilobytes, and
they must be complete before his turn begins. Cached answers are sent at once; answers that must be made for strangers
are made a few at a time, one of each address in turn, within a budget of processor time (`hub.web.turns`).

The server calls it for each request that came through the gate (`hub.web.gate`), and it calls the application.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub.limits.abuses import Abuse, Abuses
from hub.web.gate import client_address
from hub.web.same import AnswerCache, AnswerReceiver, Key
from hub.web.turns import LONGEST_S, MOST_WAITING, READING_S, Metered, RequestTurn, Turns

STRANGERS_BYTES = 4_096
KNOWN_BYTES = 8 << 20
MOST_LINES = 100
"""Of a head. Browsers send some twenty lines; a thousand take half a megabyte while the request waits for its turn."""
STRANGERS_S = 10.0
KNOWN_S = 60.0
_AGAIN_S = 2
FOR_PROGRAMS = ("/api/", "/enrol", "/update/")
"""Where the answers are JSON, refusals too."""


class KnownSessions(Protocol):
    """The signed-in users; `cookie` is the name of the one that carries a session's secret."""

    cookie: str

    def session(self, secret: str) -> object | None:
        """The session with this secret; None if there is none."""


class RequestRefused(HTTPException):
    """A refused request: status, and one line with what was expected."""

    def __init__(self, status: int, line: str) -> None:
        headers = {"Connection": "close"} | ({"Retry-After": str(_AGAIN_S)} if status == 503 else {})
        super().__init__(status, line, headers)


def known_clients(sessions: KnownSessions, token: str, key: str) -> Callable[[Scope], bool]:
    """Known clients: signed-in users, and holders of the API's token or the hall's key."""
    bearer = token.encode()

    def is_known(scope: Scope) -> bool:
        request = Request(scope)
        kind, _, said = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and hmac.compare_digest(said.strip().encode(), bearer):
            return True
        if b"key=" in scope["query_string"] and hmac.compare_digest(
            request.query_params.get("key", "").encode(), key.encode()
        ):
            return True
        secret = request.cookies.get(sessions.cookie, "")
        return bool(secret) and sessions.session(secret) is not None

    return is_known


@dataclass(eq=False)
class Bounds:
    """The application `inner` within its limits. `is_known` looks at cookie and token of a request; `same` caches
    public answers."""

    inner: ASGIApp
    is_known: Callable[[Scope], bool]
    abuses: Abuses
    same: AnswerCache
    turns: Turns

    def __post_init__(self) -> None:
        self._making: dict[Key, asyncio.Event] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # what GET is answered, kept answers too, without the body
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        scope = _without_backslashes(scope)
        began_s = time.thread_time()
        known = self.is_known(scope)
        held = scope.get("state", {}).get("held")
        if held is not None:
            held.known = known
        try:
            if len(scope["headers"]) > MOST_LINES:
                raise RequestRefused(431, f"head: expected {MOST_LINES} lines at most")
            if known:
                key = self.same.key(scope, known)
                if not await self._send_cached(key, scope, send, False):
                    await self._make_answer(key, scope, _known_body(scope, receive), send)
            else:
                await self._answer_stranger(scope, receive, send, began_s)
        except RequestRefused as fault:
            if not known:
                self.abuses.note(
                    Abuse.REQUESTS if fault.status_code == 503 else Abuse.BODIES, client_address(scope)
                )
            await refusal(scope, fault)(scope, receive, send)

    async def _answer_stranger(self, scope: Scope, receive: Receive, send: Send, began_s: float) -> None:
        """A cached answer costs a stranger only the reading of the request; everything else waits for its turn, and so
        does every request of an address in debt."""
        address = client_address(scope)
        _check_length(scope, STRANGERS_BYTES)
        if len(scope["query_string"]) > STRANGERS_BYTES // 2:
            raise RequestRefused(414, f"query: expected {STRANGERS_BYTES // 2} bytes at most")
        key = self.same.key(scope, False)
        held = scope.get("state", {}).get("held")
        read_s = time.thread_time() - began_s + (held.take_read_s() if held is not None else 0.0)
        body = await _whole_body(scope, receive)
        self.turns.budget.spend(address, READING_S + read_s)
        if self.turns.budget.wait_s(address):
            self.abuses.note(Abuse.REQUESTS, address)
        elif await self._send_cached(key, scope, send, self.turns.budget.is_short(address)):
            return
        turn = await self._turn(address)

        async def send_on(message: Message) -> None:
            turn.end()  # the answer is computed; a stream may last, and so may a slow reader
            await send(message)

        try:
            making = self._making.get(key) if key is not None else None
            if making is not None:  # computed for another client that is still waiting
                turn.rest()
                await making.wait()
                await turn.resume()
            if not await self._send_cached(key, scope, send_on, self.turns.budget.is_short(address)):
                await self._make_answer(key, scope, _replayed_body(body, receive), send_on, turn)
        finally:
            turn.end()

    async def _turn(self, address: str) -> RequestTurn:
        try:
            async with asyncio.timeout(LONGEST_S):
                turn = await self.turns.begin(address)
        except TimeoutError:
            raise RequestRefused(503, f"expected fewer requests, come again in {_AGAIN_S} s") from None
        if turn is None:
            raise RequestRefused(
                503, f"expected {MOST_WAITING} requests at once at most, come again in {_AGAIN_S} s"
            )
        return turn

    async def _send_cached(self, key: Key | None, scope: Scope, send: Send, is_short: bool) -> bool:
        """Whether a cached answer was found and sent. `is_short`: one that is some moments old will do."""
        found = self.same.find(key, is_short) if key is not None else None
        if found is None:
            return False
        await found.send(scope, send)
        return True

    async def _make_answer(
        self, key: Key | None, scope: Scope, receive: Receive, send: Send, turn: RequestTurn | None = None
    ) -> None:
        version, began_s, took_s = self.same.version(), self.same.now_s(), 0.0
        made = asyncio.Event()
        if key is not None:
            self._making.setdefault(key, made)

        def end_making() -> None:
            made.set()
            if key is not None and self._making.get(key) is made:
                del self._making[key]

        async def send_on(message: Message) -> None:
            end_making()  # an answer for one client only, which may never end, is not cached
            await send(message)

        taken = AnswerReceiver(scope, send_on)

        def step(step_s: float) -> None:
            nonlocal took_s
            took_s += step_s
            if turn is not None:
                turn.charge(step_s)

        try:
            await Metered(self.inner(taken.scope, receive, taken.send), step, turn)
        finally:
            end_making()
        answer = taken.answer(version, began_s, took_s)
        if answer is not None:
            if key is not None and answer.status in (200, 404):
                self.same.keep(key, answer)
            await answer.send(scope, send)


def _without_backslashes(scope: Scope) -> Scope:
    """Reading those of a cookie takes Python before 3.12.6 the square of their number; no cookie of ours has one."""
    headers = (
        (name, said.replace(b"\\", b"") if name == b"cookie" else said) for name, said in scope["headers"]
    )
    return {**scope, "headers": list(headers)}


def _without_body(send: Send) -> Send:
    """The answer ends where its body begins, that of a stream too."""
    ended = False

    async def send_on(message: Message) -> None:
        nonlocal ended
        if message["type"] == "http.response.start":
            await send(message)
        elif not ended:
            ended = True
            await send({"type": "http.response.body", "body": b""})

    return send_on


def _check_length(scope: Scope, most_bytes: int) -> None:
    """RequestRefused if the request announces a larger body."""
    said = Headers(scope=scope).get("content-length", "0")
    if not said.isdecimal() or len(said) > 12 or int(said) > most_bytes:
        raise RequestRefused(413, f"body: expected {most_bytes} bytes at most")


def _known_body(scope: Scope, receive: Receive) -> Receive:
    """A body that is announced too large is refused by whoever reads it, so that a page can say so."""
    bounded = _bounded_body(receive, KNOWN_BYTES, KNOWN_S)

    async def looked_at() -> Message:
        _check_length(scope, KNOWN_BYTES)
        return await bounded()

    return looked_at


def _bounded_body(receive: Receive, most_bytes: int, longest_s: float) -> Receive:
    """The body as it arrives, within limits of size and time."""
    taken = 0
    until_s: float | None = None
    done = False

    async def bounded() -> Message:
        nonlocal taken, until_s, done
        if done:
            return await receive()
        now_s = asyncio.get_running_loop().time()
        until_s = now_s + longest_s if until_s is None else until_s
        try:
            async with asyncio.timeout_at(until_s):
                message = await receive()
        except TimeoutError:
            raise RequestRefused(408, f"body: expected within {longest_s:g} s") from None
        taken += len(message.get("body", b""))
        done = not message.get("more_body", False)
        if taken > most_bytes:
            raise RequestRefused(413, f"body: expected {most_bytes} bytes at most")
        return message

    return bounded


async def _whole_body(scope: Scope, receive: Receive) -> bytes:
    try:
        return await Request(scope, _bounded_body(receive, STRANGERS_BYTES, STRANGERS_S)).body()
    except ClientDisconnect:
        raise RequestRefused(400, "body: expected all of it") from None


def _replayed_body(body: bytes, receive: Receive) -> Receive:
    told = False

    async def replay() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def refusal(scope: Scope, fault: RequestRefused) -> Response:
    """The answer to a refused request; JSON for programs."""
    if scope["path"].startswith(FOR_PROGRAMS):
        return JSONResponse({"error": fault.detail}, fault.status_code, fault.headers)
    return PlainTextResponse(f"{fault.detail}\n", fault.status_code, fault.headers)


async def refused(request: Request, fault: Exception) -> Response:
    """For the application: a body that turned out too large while it was read."""
    assert isinstance(fault, RequestRefused)
    return refusal(request.scope, fault)

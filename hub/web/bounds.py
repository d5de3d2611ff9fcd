"""Limits of a request: the size of its body, the time to send it, and the wait for its turn.

A client with a session or the token is known; everybody else is a stranger. A stranger may send a few kilobytes, and
the body must be complete before an answer is made. Cached answers are sent at once. Other answers for strangers are
made a few at a time, and one at a time per address.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hub.limits import Abuse, Abuses
from hub.web.cache import AnswerCache, AnswerReceiver, Key
from hub.web.connections import client_address

STRANGERS_BYTES = 4_096
KNOWN_BYTES = 8 << 20
# Maximum number of header lines. Browsers send about twenty; a thousand take half a megabyte while the request waits.
MOST_LINES = 100
STRANGERS_S = 10.0
# A picture from a private page: its own limit is 3 MB, and a form has some lines around it.
UPLOAD_BYTES = (3 << 20) + 8_192
UPLOAD_S = 60.0
# So much of a larger body is taken, and dropped, before it is refused: a browser that still sends reads no answer. Of
# users and of private links alone; telephones take pictures of 5 to 25 MB.
DRAINED_BYTES = 32 << 20
# Pictures of one link from one address at once: one is read, and the next is told so. Further ones wait.
UPLOADS_OF_LINK = 2
KNOWN_S = 60.0
# Answers for strangers that are made at once. Each uses the processor for a slice (`hub.slices.SLICE_S`) or
# waits for a child process.
MADE_AT_ONCE = 4
LONGEST_S = 10.0  # a request that waited longer for its turn is refused with Retry-After
_AGAIN_S = 2
FOR_PROGRAMS = ("/api/", "/enrol", "/update/")  # addresses whose answers, refusals included, are JSON


class KnownSessions(Protocol):
    """The signed-in users."""

    cookie: str  # name of the cookie that carries a session's secret

    def session(self, secret: str) -> object | None:
        """Return the session with this secret, or None."""


class RequestRefused(HTTPException):
    """A refused request: its status, and a line with the expected value."""

    def __init__(self, status: int, line: str) -> None:
        headers = {"Connection": "close"} | ({"Retry-After": str(_AGAIN_S)} if status == 503 else {})
        super().__init__(status, line, headers)


def known_clients(sessions: KnownSessions, token: str, key: str) -> Callable[[Scope], bool]:
    """Return a test for known clients: signed-in users and holders of the API's token or of the hall's key."""
    bearer = token.encode()

    def is_known(scope: Scope) -> bool:
        request = Request(scope)
        kind, _, credentials = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer" and hmac.compare_digest(credentials.strip().encode(), bearer):
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
    """The application `inner` behind the limits of a request."""

    inner: ASGIApp
    is_known: Callable[[Scope], bool]  # decides by the cookie and token of a request
    abuses: Abuses
    cache: AnswerCache
    # Decides by its address whether a request of a stranger may bring a picture: a valid private link leads there.
    may_upload: Callable[[Scope], bool] = lambda scope: False

    def __post_init__(self) -> None:
        self._making = asyncio.Semaphore(MADE_AT_ONCE)
        self._queues: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.inner(scope, receive, send)
            return
        if scope["method"] == "HEAD":  # what GET is answered, cached answers too, without the body
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        known = False
        connection = scope.get("state", {}).get("connection")
        if connection is not None:
            connection.note_serving(True)
        try:
            if len(scope["headers"]) > MOST_LINES:
                raise RequestRefused(431, f"head: expected {MOST_LINES} lines at most")
            scope = _without_backslashes(scope)
            known = self.is_known(scope)
            key = self.cache.key(scope)
            if known:
                await self._answer(key, scope, _drained_body(scope, receive, KNOWN_BYTES, KNOWN_S), send)
            elif self.may_upload(scope):
                await self._answer_upload(scope, receive, send)
            else:
                await self._answer_stranger(key, scope, receive, send)
        except RequestRefused as fault:
            if not known:
                abuse = Abuse.REQUESTS if fault.status_code == 503 else Abuse.BODIES
                self.abuses.note(abuse, client_address(scope))
            await refusal(scope, fault)(scope, receive, send)
        finally:
            if connection is not None:
                connection.note_serving(False)

    async def _answer_stranger(self, key: Key | None, scope: Scope, receive: Receive, send: Send) -> None:
        _check_length(scope, STRANGERS_BYTES)
        if len(scope["query_string"]) > STRANGERS_BYTES // 2:
            raise RequestRefused(414, f"query: expected {STRANGERS_BYTES // 2} bytes at most")
        body = await _whole_body(scope, receive)
        if await self._send_cached(key, scope, send):
            return
        async with self._turn(self._queue(client_address(scope)), self._making) as turn:
            await self._answer(key, scope, _replayed_body(body, receive), _ending(turn, send))

    async def _answer_upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that may bring a picture. It waits for none of the turns of pages, as reading a picture
        takes seconds, and its link and address have a queue of their own."""
        async with self._turn(
            self._queue(f"{client_address(scope)} {scope['path']}", UPLOADS_OF_LINK)
        ) as turn:
            body = _drained_body(scope, receive, UPLOAD_BYTES, UPLOAD_S)
            await self._answer(None, scope, body, _ending(turn, send))

    def _queue(self, whose: str, at_once: int = 1) -> asyncio.Semaphore:
        return self._queues.setdefault(whose, asyncio.Semaphore(at_once))

    @contextlib.asynccontextmanager
    async def _turn(self, *queues: asyncio.Semaphore) -> AsyncIterator[contextlib.AsyncExitStack]:
        """Wait for a place in each of these queues, one after the other. Closing the stack ends the turn."""
        async with contextlib.AsyncExitStack() as turn:
            try:
                async with asyncio.timeout(LONGEST_S):
                    for queue in queues:
                        await turn.enter_async_context(queue)
            except TimeoutError:
                why = f"expected fewer requests, come again in {_AGAIN_S} s"
                raise RequestRefused(503, why) from None
            yield turn

    async def _send_cached(self, key: Key | None, scope: Scope, send: Send) -> bool:
        """Send a cached answer; return whether there was one."""
        answer = self.cache.find(key)
        if answer is not None:
            await answer.send(scope, send)
        return answer is not None

    async def _answer(self, key: Key | None, scope: Scope, receive: Receive, send: Send) -> None:
        if await self._send_cached(key, scope, send):
            return
        version, began_s = self.cache.version(), self.cache.now_s()
        received = AnswerReceiver(scope, send)
        await self.inner(received.scope, receive, received.send)
        answer = received.answer(version, began_s)
        if answer is not None:
            if key is not None and answer.status in (200, 404):
                self.cache.keep(key, answer)
            await answer.send(scope, send)


def _without_backslashes(scope: Scope) -> Scope:
    """Remove backslashes from cookies: Python before 3.12.6 reads them in quadratic time. The hub's have none."""
    headers = (
        (name, value.replace(b"\\", b"") if name == b"cookie" else value) for name, value in scope["headers"]
    )
    return {**scope, "headers": list(headers)}


def _ending(turn: contextlib.AsyncExitStack, send: Send) -> Send:
    """Send an answer whose turn ends once it is made: a stream may last, and so may a slow reader."""

    async def send_on(message: Message) -> None:
        await turn.aclose()
        await send(message)

    return send_on


def _without_body(send: Send) -> Send:
    """Send only the head of an answer, also of a stream."""
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
    """Raise RequestRefused if the request announces a larger body."""
    if _announces_more(scope, most_bytes):
        raise _too_large(most_bytes)


def _announces_more(scope: Scope, most_bytes: int) -> bool:
    length = Headers(scope=scope).get("content-length", "0")
    return not length.isdecimal() or len(length) > 12 or int(length) > most_bytes


def _too_large(most_bytes: int) -> RequestRefused:
    return RequestRefused(413, f"body: expected {most_bytes} bytes at most")


def _drained_body(scope: Scope, receive: Receive, most_bytes: int, longest_s: float) -> Receive:
    """Refuse a larger body when it is read, so that a page can show the refusal, and at its end, so that a browser
    shows the page. One of more than `DRAINED_BYTES` is not waited for."""
    bounded = _bounded_body(receive, DRAINED_BYTES, longest_s)
    taken = 0

    async def checked() -> Message:
        nonlocal taken
        if _announces_more(scope, DRAINED_BYTES):
            raise _too_large(most_bytes)
        message = await bounded()
        taken += len(message.get("body", b""))
        if taken <= most_bytes and not _announces_more(scope, most_bytes):
            return message
        while message.get("more_body", False):
            message = await bounded()
        raise _too_large(most_bytes)

    return checked


def _bounded_body(receive: Receive, most_bytes: int, longest_s: float) -> Receive:
    """Pass the body on as it arrives, within limits of size and time."""
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
            raise _too_large(most_bytes)
        return message

    return bounded


async def _whole_body(scope: Scope, receive: Receive) -> bytes:
    try:
        return await Request(scope, _bounded_body(receive, STRANGERS_BYTES, STRANGERS_S)).body()
    except ClientDisconnect:
        raise RequestRefused(400, "body: expected all of it") from None


def _replayed_body(body: bytes, receive: Receive) -> Receive:
    replayed = False

    async def replay() -> Message:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def refusal(scope: Scope, fault: RequestRefused) -> Response:
    """Return the answer to a refused request: JSON for programs, else plain text."""
    if scope["path"].startswith(FOR_PROGRAMS):
        return JSONResponse({"error": fault.detail}, fault.status_code, fault.headers)
    return PlainTextResponse(f"{fault.detail}\n", fault.status_code, fault.headers)


async def refused(request: Request, fault: Exception) -> Response:
    """Handle a refusal that was raised inside the application, while it read a body."""
    assert isinstance(fault, RequestRefused)
    return refusal(request.scope, fault)

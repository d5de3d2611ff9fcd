"""A one-second cache of public answers: two hundred phones that ask at once get the same bytes.

A public answer is marked by a header (`COPIED`), which makes nginx keep copies too.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from starlette.datastructures import Headers
from starlette.types import Message, Scope, Send

MOST_BYTES = 16 << 20  # of all cached answers; an answer larger than a quarter of it is not cached
LIVES_S = 1.0
# Header of an answer that is the same for everybody: the seconds for which copies may be handed out.
COPIED = "X-Accel-Expires"
_OVERHEAD_BYTES = 1_000
_PIECE_BYTES = 16_384
_OF_BODIES = (b"content-length", b"content-encoding", b"content-type", b"content-disposition")
# Path, query, languages, compression: nothing else of a request may change a public answer.
Key = tuple[str, bytes, str, bool]


class Answer(msgspec.Struct, frozen=True):
    """A complete public answer."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    version: int  # of the record
    made_s: float  # on the loop's clock, when its making began

    async def send(self, scope: Scope, send: Send) -> None:
        """Send the answer, or 304 without the body to a client that has it already."""
        status, headers, body = self.status, list(self.headers), self.body
        tags = Headers(scope=scope).get("if-none-match", "")
        tag = Headers(raw=headers).get("etag", "")
        if (
            status == 200
            and tag
            and any(known.strip().removeprefix("W/") in (tag, "*") for known in tags.split(","))
        ):
            status, body = 304, b""
            headers = [line for line in headers if line[0] not in _OF_BODIES]
        await send({"type": "http.response.start", "status": status, "headers": headers})
        # In pieces, so that the unread rest waits here once for all clients, and not in each connection.
        for at in range(0, len(body) or 1, _PIECE_BYTES):
            piece, more = body[at : at + _PIECE_BYTES], at + _PIECE_BYTES < len(body)
            await send({"type": "http.response.body", "body": piece, "more_body": more})


class AnswerCache:
    """The cached answers. An answer is outdated when the record has changed or after `LIVES_S`."""

    def __init__(self, version: Callable[[], int], now_s: Callable[[], float]) -> None:
        self.version = version  # counts the changes of the record
        self.now_s = now_s  # a monotonic clock
        self._kept: dict[Key, Answer] = {}  # the oldest first
        self._bytes = 0

    def key(self, scope: Scope) -> Key | None:
        """Return the key of a request, or None if its answer is never cached."""
        headers = Headers(scope=scope)
        if scope["method"] != "GET" or "range" in headers:
            return None
        packed = takes_gzip(headers.get("accept-encoding", ""))
        return scope["path"], scope["query_string"], headers.get("accept-language", ""), packed

    def find(self, key: Key | None) -> Answer | None:
        """Return the answer that may be sent now."""
        answer = self._kept.get(key) if key is not None else None
        if answer is None or answer.version != self.version() or self.now_s() - answer.made_s >= LIVES_S:
            return None
        return answer

    def keep(self, key: Key, answer: Answer) -> None:
        self._drop(key)
        if _size(key, answer) > MOST_BYTES // 4:
            return
        self._kept[key] = answer
        self._bytes += _size(key, answer)
        for oldest, kept in list(self._kept.items()):
            if self._bytes <= MOST_BYTES and self.now_s() - kept.made_s < LIVES_S:
                break
            self._drop(oldest)

    def _drop(self, key: Key) -> None:
        answer = self._kept.pop(key, None)
        if answer is not None:
            self._bytes -= _size(key, answer)


def _size(key: Key, answer: Answer) -> int:
    return len(answer.body) + len(key[0]) + len(key[1]) + len(key[2]) + _OVERHEAD_BYTES


class AnswerReceiver:
    """A receiver that holds a public answer back until it is complete, and streams all others to `send`.

    `scope` is for the maker of the answer: a public answer is made whole even if the client has it already.
    """

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope = {**scope, "headers": [line for line in scope["headers"] if line[0] != b"if-none-match"]}
        self._send = send
        self._start: Message | None = None
        self._body: list[bytes] = []
        self._is_whole = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and COPIED in Headers(raw=message["headers"]):
            self._start = message
        elif self._start is None:
            await self._send(message)
        else:
            self._body.append(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)

    def answer(self, version: int, made_s: float) -> Answer | None:
        """Return the held-back answer, or None if the response was streamed through."""
        if self._start is None or not self._is_whole:
            return None
        headers = tuple(self._start["headers"])
        return Answer(self._start["status"], headers, b"".join(self._body), version, made_s)


def takes_gzip(accepted: str) -> bool:
    """Return whether an `Accept-Encoding` names gzip with a weight other than 0."""
    offers = (part.partition(";q=") for part in accepted.split(","))
    return any(
        name.strip() == "gzip" and (not separator or weight.strip("0. "))
        for name, separator, weight in offers
    )

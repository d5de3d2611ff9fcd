"""Caches answers that are the same for everybody, as bytes, until something changes in the hub.

The code that makes such an answer marks it (`mark_cacheable`). The key is path, language, compression and those query
fields that pages read (`_READ`): nothing else of a request may change it. So an invented query makes no new answer.
`hub.web.bounds` looks here before a request gets its turn, and again when it has one, and keeps what was made.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import msgspec
from starlette.datastructures import Headers, QueryParams
from starlette.types import Message, Scope, Send

from hub.web.language import chosen_language

MOST_BYTES = 16 << 20
"""Of all cached answers; one of more than a quarter of it is not cached."""
LIVES_S = 1.0
"""Its clocks run on, even if nothing has changed."""
STALE_S = 5.0
"""How old an answer may be when strangers ask for more than can be made."""
_SHARE = 20
"""With this share, an answer that took 10 ms is made again after 200 ms at the earliest."""
_MARK, _OF_RECORD, _OF_ALL = "flagfall.same", "record", "all"
_OVERHEAD_BYTES = 1_000
_NUMBER = re.compile(r"[0-9]{1,3}\Z")
_READ: Mapping[str, Callable[[str], bool]] = {
    "every": lambda said: _NUMBER.match(said) is not None,
    "move": lambda said: _NUMBER.match(said) is not None,
    "paper": lambda said: said in ("a4", "letter"),
    "q": bool,
    "round": lambda said: _NUMBER.match(said) is not None,
    "show": bool,
}
"""The query fields that public pages read, and whether a value means anything."""
Key = tuple[str, tuple[tuple[str, str], ...], str, bool]
Version = tuple[int, int]


class Answer(msgspec.Struct, frozen=True):
    """`version`: the hub's, when its making began; `of_record`: it depends on the record alone; `made_s`, `took_s`: by
    the loop's clock and the processor's."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes
    version: Version
    of_record: bool
    made_s: float
    took_s: float

    async def send(self, scope: Scope, send: Send) -> None:
        """304 without the body for a client that has it already."""
        headers = Headers(raw=list(self.headers))
        if self.status == 200 and client_has_tag(scope, headers.get("etag", "")):
            kept = [(name, value) for name, value in self.headers if name not in _OF_BODIES]
            await send({"type": "http.response.start", "status": 304, "headers": kept})
            await send({"type": "http.response.body", "body": b""})
            return
        await send({"type": "http.response.start", "status": self.status, "headers": list(self.headers)})
        await send({"type": "http.response.body", "body": self.body})


_OF_BODIES = (b"content-length", b"content-encoding", b"content-type", b"content-disposition")


class AnswerCache:
    """`version` counts the changes of the record and those of the tables' messages; `languages` are those of pages;
    `now_s` is a monotonic clock."""

    def __init__(
        self, version: Callable[[], Version], languages: Sequence[str], now_s: Callable[[], float]
    ) -> None:
        self.version = version
        self.now_s = now_s
        self._languages = tuple(languages)
        self._kept: OrderedDict[Key, Answer] = OrderedDict()
        self._bytes = 0
        self._language = lru_cache(256)(lambda accepted: chosen_language(self._languages, "", accepted))

    def key(self, scope: Scope, known: bool) -> Key | None:
        """None for a request whose answer is never cached. `known`: to a holder of a key, who may see more."""
        if scope["method"] != "GET":
            return None
        headers = Headers(scope=scope)
        if "range" in headers:
            return None
        language = self._language(headers.get("accept-language", ""))
        said = QueryParams(scope["query_string"])
        fields = [(name, said[name]) for name, says in _READ.items() if name in said and says(said[name])]
        if said.get("lang") in self._languages:
            fields.append(("lang", said["lang"]))
        if known:
            fields.append(("key", said.get("key", "")))
        return scope["path"], tuple(fields), language, takes_gzip(headers.get("accept-encoding", ""))

    def find(self, key: Key, is_short: bool) -> Answer | None:
        """The answer that may be sent now. `is_short`: more is asked for than can be made."""
        found = self._kept.get(key)
        if found is None:
            return None
        age_s = self.now_s() - found.made_s
        record, told = self.version()
        current = found.version[0] == record and (
            found.of_record or (found.version[1] == told and age_s < LIVES_S)
        )
        if not current and not (is_short and age_s < min(STALE_S, _SHARE * found.took_s)):
            return None
        self._kept.move_to_end(key)
        return found

    def keep(self, key: Key, answer: Answer) -> None:
        size = _size(key, answer)
        self._drop(key)
        if size > MOST_BYTES // 4:
            return
        self._kept[key] = answer
        self._bytes += size
        while self._bytes > MOST_BYTES:
            self._drop(next(iter(self._kept)))

    def _drop(self, key: Key) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._bytes -= _size(key, gone)


def _size(key: Key, answer: Answer) -> int:
    return len(answer.body) + len(key[0]) + sum(len(value) for _, value in key[1]) + _OVERHEAD_BYTES


class AnswerReceiver:
    """Receives an answer: a public one is held back until it is complete, all others go on to `send`. `scope` is for
    its maker: a public answer is made whole, even if the client has it already."""

    def __init__(self, scope: Scope, send: Send) -> None:
        headers = [one for one in scope["headers"] if one[0] != b"if-none-match"]
        self.scope = {**scope, "headers": headers}
        self._send = send
        self._start: Message | None = None
        self._body: list[bytes] = []
        self._is_whole = False

    async def send(self, message: Message) -> None:
        if not self.scope.get(_MARK):
            await self._send(message)
        elif message["type"] == "http.response.start":
            self._start = message
        else:
            self._body.append(message.get("body", b""))
            self._is_whole = not message.get("more_body", False)

    def answer(self, version: Version, made_s: float, took_s: float) -> Answer | None:
        """None if everything went on."""
        if self._start is None or not self._is_whole:
            return None
        headers = tuple(self._start["headers"])
        of_record = self.scope[_MARK] == _OF_RECORD
        return Answer(
            self._start["status"],
            headers,
            b"".join(self._body),
            version=version,
            of_record=of_record,
            made_s=made_s,
            took_s=took_s,
        )


def mark_cacheable(scope: Scope, of_record: bool = False) -> None:
    """Called before answering: the answer is public and ends. `of_record`: neither the tables' messages nor time change
    it."""
    scope[_MARK] = _OF_RECORD if of_record else _OF_ALL


def takes_gzip(accepted: str) -> bool:
    offers = (part.partition(";q=") for part in accepted.split(","))
    return any(
        name.strip() == "gzip" and (not given or weight.strip("0. ")) for name, given, weight in offers
    )


def client_has_tag(scope: Scope, tag: str) -> bool:
    """Whether the client says that it has what has this tag."""
    said = Headers(scope=scope).get("if-none-match", "")
    return bool(tag) and any(part.strip().removeprefix("W/") in (tag, "*") for part in said.split(","))

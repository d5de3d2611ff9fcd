"""The ledger in a Redis server: one stream and one index per tournament, one script that appends.

The stream's ids are the positions (`7-0`); the index says at which position an entry id stands. Both keys carry
`{tournament}`, so that a cluster keeps them together. The server must sync every write (`appendfsync always`): what
`append` has returned survives a power cut of the server.
Hashes are made by whoever appends; the script checks ids, the head and that the new entries follow each other;
`verify` checks everything.

Several programs may write: of two that append on the same head the slower gets StaleHead.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, cast
from urllib.parse import quote, unquote_to_bytes, urlsplit

import redis
from redis.exceptions import RedisClusterException, RedisError, ResponseError

from ledger.entry import START, Entry, hash_of
from ledger.store import Appended, BrokenChain, Ledger, OtherContent, StaleHead, StoreFailed

FAILURES = (RedisError, RedisClusterException, OSError, UnicodeError)
_PREFIX = "flagfall:{"
_PAGE = 500
_TIMEOUT_S = 10.0
_FIELDS = ("id", "type", "version", "at", "who", "body", "previous", "hash")

APPEND = """
local function named(list)
    local fields = {}
    for i = 1, #list, 2 do fields[list[i]] = list[i + 1] end
    return fields
end

local names = {'id', 'type', 'version', 'at', 'who', 'body', 'previous', 'hash'}
local head, position = '', 0
local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
if last then
    head, position = named(last[2]).hash, tonumber(string.match(last[1], '^%d+'))
end

local known, new = {}, {}
for first = 2, #ARGV, #names do
    local entry = {}
    for i, name in ipairs(names) do entry[name] = ARGV[first + i - 1] end
    local stored = known[entry.id]
    local at = redis.call('HGET', KEYS[2], entry.id)
    if not stored and at then
        local found = redis.call('XRANGE', KEYS[1], at .. '-0', at .. '-0')[1]
        if not found then return {'lost', entry.id} end
        stored = named(found[2])
    end
    if not stored then
        known[entry.id] = entry
        new[#new + 1] = entry
    else
        for _, name in ipairs({'type', 'version', 'who', 'body'}) do
            if stored[name] ~= entry[name] then return {'other', entry.id} end
        end
    end
end

if #new > 0 and head ~= ARGV[1] then return {'stale', head} end
for _, entry in ipairs(new) do
    if entry.previous ~= head then return {'broken', entry.id} end
    head = entry.hash
end
for i, entry in ipairs(new) do
    local at = string.format('%d', position + i)
    redis.call('XADD', KEYS[1], at .. '-0', 'id', entry.id, 'type', entry.type, 'version', entry.version,
        'at', entry.at, 'who', entry.who, 'body', entry.body, 'previous', entry.previous, 'hash', entry.hash)
    redis.call('HSET', KEYS[2], entry.id, at)
end
return {'done', head, #new}
"""


class RedisLedger(Ledger):
    """A `Ledger` in the server of `client` (a client that does not decode answers)."""

    failures = FAILURES
    example = "redis://127.0.0.1:6379/0"

    def __init__(self, client: Any, name: str = "redis", read_only: bool = False) -> None:
        """StoreFailed if the server does not answer, or is configured to lose entries. `name` is for messages."""
        super().__init__(name, read_only)
        self._client: Any = client
        with self._failing_plainly():
            self._client.ping()
            if not read_only:
                self._demand_durability()
            self._append: Any = self._client.register_script(APPEND)

    @classmethod
    def at(cls, url: str, read_only: bool = False) -> Self:
        """The ledger at an address such as `example`; also `rediss://...` (TLS) or `unix:///path`."""
        parts = urlsplit(url)
        name = f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
        try:
            return cls(cls._client_of(url), name, read_only)
        except (ValueError, TypeError) as bad:  # a wrong option shows only at the first connection
            raise StoreFailed(f"{name}: expected an address such as {cls.example}: {bad}") from None
        except FAILURES as failure:
            raise StoreFailed(f"{name}: {' '.join(str(failure).split())}") from None

    @classmethod
    def _client_of(cls, url: str) -> Any:
        return redis.Redis.from_url(
            url, socket_timeout=_TIMEOUT_S, socket_connect_timeout=_TIMEOUT_S, client_name="flagfall"
        )

    def head(self, tournament: str) -> str:
        with self._failing_plainly():
            last = self._client.xrevrange(chain_key(tournament), count=1)
        return _text(last[0][1].get(b"hash", b"")) if last else START

    def append(self, entries: Sequence[Entry], expected_head: str) -> Appended:
        tournament = self._tournament_of(entries)
        arguments: list[bytes] = [expected_head.encode()]
        for entry in entries:
            if entry.hash != hash_of(entry, entry.previous):
                raise BrokenChain(tournament, entry.id, "its hash is not that of its content")
            arguments += _row(entry)
        with self._failing_plainly():
            # Safe to send again after a broken connection: what is stored counts as done.
            answer = self._run([chain_key(tournament), _index_key(tournament)], arguments)
        match [part if isinstance(part, int) else _text(part) for part in answer]:
            case ["done", head, new]:
                return Appended(cast(int, new), cast(str, head))
            case ["stale", head]:
                raise StaleHead(tournament, expected_head, cast(str, head))
            case ["other", entry_id]:
                raise OtherContent(tournament, cast(str, entry_id))
            case ["broken", entry_id]:
                raise BrokenChain(tournament, cast(str, entry_id), "does not follow the entry before it")
            case other:
                raise StoreFailed(f"{self._name}: ledger {tournament}: damaged, the script answered {other}")

    def find(self, tournament: str, ids: Iterable[str]) -> Mapping[str, Entry]:
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        with self._failing_plainly():
            positions = self._client.hmget(_index_key(tournament), [one.encode() for one in wanted])
            pipeline = self._client.pipeline(transaction=False)
            for position in positions:
                if position is not None:
                    at = f"{_text(position)}-0"
                    pipeline.xrange(chain_key(tournament), at, at)
            found = [self._entry(tournament, *one) for page in pipeline.execute() for one in page]
        return {entry.id: entry for entry in found}

    def tournaments(self) -> tuple[str, ...]:
        with self._failing_plainly():
            keys = [_text(key) for key in self._client.scan_iter(match=f"{_PREFIX}*}}:chain", count=1000)]
        names = (key.removeprefix(_PREFIX).removesuffix("}:chain") for key in keys)
        return tuple(sorted({unquote_to_bytes(name).decode("utf-8", "replace") for name in names}))

    def _misplaced(self, position: int, entry: Entry) -> str | None:
        indexed = self._client.hget(_index_key(entry.tournament), entry.id.encode())
        return None if indexed == b"%d" % position else "is not in the index at its place"

    def _damage(self, tournament: str, count: int) -> str | None:
        whole = self._client.hlen(_index_key(tournament)) == count
        return None if whole else "is in the index, but missing"

    def close(self) -> None:
        self._client.close()

    def _numbered(self, tournament: str, after: int) -> Iterator[tuple[int, Entry]]:
        while True:
            with self._failing_plainly():
                page = self._client.xrange(chain_key(tournament), f"({after}-0", "+", count=_PAGE)
            if not page:
                return
            for at, fields in page:
                after = int(_text(at).partition("-")[0])
                yield after, self._entry(tournament, at, fields)

    def _entry(self, tournament: str, at: bytes, fields: Mapping[bytes, bytes]) -> Entry:
        try:
            texts: dict[str, Any] = {name: _text(fields[name.encode()]) for name in _FIELDS if name != "body"}
            return Entry(
                **{**texts, "version": int(texts["version"])}, tournament=tournament, body=fields[b"body"]
            )
        except (KeyError, ValueError):
            raise StoreFailed(
                f"{self._name}: ledger {tournament}: entry {_text(at)} cannot be read"
            ) from None

    def _run(self, keys: Sequence[bytes], arguments: Sequence[bytes]) -> Any:
        """The script's answer, once the server has synced what it wrote."""
        return self._append(keys=keys, args=arguments)

    def _settings(self) -> Mapping[Any, Any]:
        told: Mapping[Any, Any] = self._client.config_get("append*", "maxmemory*")
        return told

    def _demand_durability(self) -> None:
        """A server that hides its settings (some hosted ones do) is trusted."""
        try:
            told = self._settings()
        except ResponseError:
            return
        settings = {_text(name): _text(value) for name, value in told.items()}
        wanted = [("appendonly", "yes"), ("appendfsync", "always")]
        if settings.get("maxmemory", "0") != "0":
            wanted.append(("maxmemory-policy", "noeviction"))
        for name, value in wanted:
            if settings.get(name, value) != value:
                raise StoreFailed(f"{self._name}: {name}: expected {value}, the server has {settings[name]}")


def chain_key(tournament: str) -> bytes:
    return f"{_PREFIX}{quote(tournament, safe='')}}}:chain".encode()


def _index_key(tournament: str) -> bytes:
    return f"{_PREFIX}{quote(tournament, safe='')}}}:ids".encode()


def _row(entry: Entry) -> list[bytes]:
    texts = (entry.id, entry.type, str(entry.version), entry.at, entry.who)
    return [*(text.encode() for text in texts), entry.body, entry.previous.encode(), entry.hash.encode()]


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode()

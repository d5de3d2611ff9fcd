"""The ledger in a Redis server or cluster: one stream and one index per tournament, one script that appends.

The stream's ids are the positions (`7-0`); the index says at which position an entry id stands. Both keys carry
`{tournament}`, so that a cluster keeps them together. The server must sync every write (`appendfsync always`): what
`append` has returned survives a power cut of the server.
Hashes are made by whoever appends; the script checks ids, the head and that the new entries follow each other;
`verify` checks everything.

Several programs may write: of two that append on the same head the slower gets StaleHead.

In a cluster each tournament is whole on one master and its copies. What a master has synced is still lost if another
node takes its place without having it. So nothing counts as stored until a copy has acknowledged it (`WAIT 1`). WAIT
speaks of its own connection's writes only, and an entry that is there already writes nothing: therefore script, one
small write of its own (`beat`) and WAIT go out together, on one connection; copies follow in order, so whoever has the
beat has all that came before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self, cast
from urllib.parse import quote, unquote_to_bytes, urlsplit

import redis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException, RedisError, ResponseError

from flagfall.ledger.entry import START, Entry, hash_of
from flagfall.ledger.store import OTHER_CONTENT, Appended, Ledger, StaleHead, StoreFailed, entry_error

SERVER = "redis://127.0.0.1:6379/0"
CLUSTER_SCHEME = "redis-cluster://"
CLUSTER = f"{CLUSTER_SCHEME}127.0.0.1:7000"
_FAILURES = (RedisError, RedisClusterException, OSError, UnicodeError)
_PREFIX = "flagfall:{"
_PAGE = 500
_SERVER_TIMEOUT_S = 10.0
_NODE_TIMEOUT_S = 3.0
_COPIES = 1
_COPY_MS = 1_000
# How long an append waits for another master of a cluster, and for its copy.
_PATIENCE_S = 30.0
_PAUSE_S = 0.1
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
    """A `Ledger` in the server or cluster of `client` (a client that does not decode answers)."""

    failures = _FAILURES

    def __init__(
        self, client: redis.Redis | RedisCluster, name: str = "redis", read_only: bool = False
    ) -> None:
        """Raise StoreFailed if nobody answers, or a server is configured to lose entries. `name` is for messages."""
        super().__init__(name, read_only)
        # The types of redis-py say the same of few commands: both clients are used by the commands that they share.
        self._client: Any = client
        self._is_cluster = isinstance(client, RedisCluster)
        with self._failing_plainly():
            self._client.ping()
            if not read_only:
                self._demand_durability()

    @classmethod
    def at(cls, url: str, read_only: bool = False) -> Self:
        """Open the ledger at an address such as `SERVER` or `CLUSTER`; also `rediss://...` (TLS), `unix:///path`.

        A cluster is that of the node at the address.
        """
        parts = urlsplit(url)
        name = f"{parts.scheme}://{parts.hostname or ''}{f':{parts.port}' if parts.port else ''}{parts.path}"
        in_cluster = url.startswith(CLUSTER_SCHEME)
        try:
            return cls(_cluster_at(url) if in_cluster else _server_at(url), name, read_only)
        except (ValueError, TypeError) as bad:  # a wrong option shows only at the first connection
            example = CLUSTER if in_cluster else SERVER
            raise StoreFailed(f"{name}: expected an address such as {example}: {bad}") from None
        except _FAILURES as failure:
            raise StoreFailed(f"{name}: {' '.join(str(failure).split())}") from None

    def head(self, tournament: str) -> str:
        with self._failing_plainly():
            last = self._client.xrevrange(_chain_key(tournament), count=1)
        return _text(last[0][1].get(b"hash", b"")) if last else START

    def append(self, entries: Sequence[Entry], expected_head: str) -> Appended:
        tournament = self._tournament_of(entries)
        arguments: list[bytes] = [expected_head.encode()]
        for entry in entries:
            if entry.hash != hash_of(entry, entry.previous):
                raise entry_error(tournament, entry.id, "its hash is not that of its content")
            arguments += _row(entry)
        with self._failing_plainly():
            # Safe to send again after a broken connection: what is stored counts as done.
            answer = self._run([_chain_key(tournament), _index_key(tournament)], arguments)
        match [part if isinstance(part, int) else _text(part) for part in answer]:
            case ["done", head, new]:
                return Appended(cast(int, new), cast(str, head))
            case ["stale", head]:
                raise StaleHead(tournament, expected_head, cast(str, head))
            case ["other", entry_id]:
                raise entry_error(tournament, cast(str, entry_id), OTHER_CONTENT)
            case ["broken", entry_id]:
                raise entry_error(tournament, cast(str, entry_id), "does not follow the entry before it")
            case other:
                raise StoreFailed(f"{self._name}: ledger {tournament}: damaged, the script answered {other}")

    def find(self, tournament: str, ids: Iterable[str]) -> Mapping[str, Entry]:
        wanted = sorted(set(ids))
        if not wanted:
            return {}
        with self._failing_plainly():
            positions = self._client.hmget(_index_key(tournament), [entry_id.encode() for entry_id in wanted])
            pipeline = self._client.pipeline(transaction=False)
            for position in positions:
                if position is not None:
                    stream_id = f"{_text(position)}-0"
                    pipeline.xrange(_chain_key(tournament), stream_id, stream_id)
            entries = [self._entry(tournament, *item) for page in pipeline.execute() for item in page]
        if entries:
            self._confirm(tournament)
        return {entry.id: entry for entry in entries}

    def read(self, tournament: str, after: int = 0) -> Iterator[Entry]:
        yield from super().read(tournament, after)
        self._confirm(tournament)

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
                page = self._client.xrange(_chain_key(tournament), f"({after}-0", "+", count=_PAGE)
            if not page:
                return
            for stream_id, fields in page:
                after = int(_text(stream_id).partition("-")[0])
                yield after, self._entry(tournament, stream_id, fields)

    def _entry(self, tournament: str, stream_id: bytes, fields: Mapping[bytes, bytes]) -> Entry:
        try:
            texts: dict[str, Any] = {name: _text(fields[name.encode()]) for name in _FIELDS if name != "body"}
            return Entry(
                **{**texts, "version": int(texts["version"])}, tournament=tournament, body=fields[b"body"]
            )
        except (KeyError, ValueError):
            raise StoreFailed(
                f"{self._name}: ledger {tournament}: entry {_text(stream_id)} cannot be read"
            ) from None

    def _run(self, keys: Sequence[bytes], arguments: Sequence[bytes]) -> Any:
        """Return the script's answer, once what it wrote is stored safely."""
        script = (APPEND, len(keys), *keys, *arguments)
        if not self._is_cluster:
            return self._client.eval(*script)  # the server answers once it has synced
        return self._copied(keys[0], lambda batch: batch.eval(*script))[0]

    def _confirm(self, tournament: str) -> None:
        """Wait until a copy has an existing entry: another hub may have written it just now."""
        if self._is_cluster and not self._read_only:
            with self._failing_plainly():
                self._copied(_chain_key(tournament), lambda _: None)

    def _copied(self, key: bytes, write: Callable[[Any], object]) -> list[Any]:
        """Return the answers to what `write` puts into one batch, once a copy has it; `key` is one of the
        tournament's."""
        beat = key.rpartition(b":")[0] + b":beat"
        give_up_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                master = self._client.get_redis_connection(self._client.get_node_from_key(beat))
                batch = master.pipeline(transaction=False)
                write(batch)
                batch.set(beat, b"1").execute_command("WAIT", _COPIES, _COPY_MS)
                *answers, copies = batch.execute()
                if copies >= _COPIES:
                    return list(answers)
                why = "no copy of the master has acknowledged it"
            except _FAILURES as failure:
                why = str(failure)
            if time.monotonic() > give_up_s:
                raise redis.ConnectionError(f"not stored safely within {_PATIENCE_S:g} s: {why}")
            time.sleep(_PAUSE_S)
            self._look_for_masters()

    def _look_for_masters(self) -> None:
        try:
            self._client.nodes_manager.initialize()
        except _FAILURES:
            return  # nobody answers yet: asked again

    def _demand_durability(self) -> None:
        """Raise StoreFailed if a server may lose entries. One that hides its settings (some hosted ones do) is
        trusted."""
        nodes = {"target_nodes": RedisCluster.ALL_NODES} if self._is_cluster else {}
        try:
            answer: Mapping[Any, Any] = self._client.config_get("append*", "maxmemory*", **nodes)
        except ResponseError:
            return
        for raw in answer.values() if self._is_cluster else [answer]:
            settings = {_text(name): _text(value) for name, value in raw.items()}
            wanted = [("appendonly", "yes"), ("appendfsync", "always")]
            if settings.get("maxmemory", "0") != "0":
                wanted.append(("maxmemory-policy", "noeviction"))
            for name, value in wanted:
                if settings.get(name, value) != value:
                    raise StoreFailed(
                        f"{self._name}: {name}: expected {value}, the server has {settings[name]}"
                    )


def _server_at(url: str) -> redis.Redis:
    return redis.Redis.from_url(
        url,
        socket_timeout=_SERVER_TIMEOUT_S,
        socket_connect_timeout=_SERVER_TIMEOUT_S,
        client_name="flagfall",
    )


def _cluster_at(url: str) -> RedisCluster:
    return RedisCluster.from_url(
        url.replace(CLUSTER_SCHEME, "redis://", 1),
        socket_timeout=_NODE_TIMEOUT_S,
        socket_connect_timeout=_NODE_TIMEOUT_S,
        client_name="flagfall",
    )


def _chain_key(tournament: str) -> bytes:
    return f"{_PREFIX}{quote(tournament, safe='')}}}:chain".encode()


def _index_key(tournament: str) -> bytes:
    return f"{_PREFIX}{quote(tournament, safe='')}}}:ids".encode()


def _row(entry: Entry) -> list[bytes]:
    texts = (entry.id, entry.type, str(entry.version), entry.at, entry.who)
    return [*(text.encode() for text in texts), entry.body, entry.previous.encode(), entry.hash.encode()]


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else value.decode()

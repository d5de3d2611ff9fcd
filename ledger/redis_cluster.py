"""The ledger in a Redis Cluster: many tournaments, each whole on one master and its copies.

What a master has synced is still lost if another node takes its place without having it. So nothing counts as stored
until a copy has acknowledged it (`WAIT 1`). WAIT speaks of its own connection's writes only, and an entry that is
there already writes nothing: therefore script, one small write of its own (`beat`) and WAIT go out together, on one
connection; copies follow in order, so whoever has the beat has all that came before it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import redis
from redis.cluster import RedisCluster

from ledger.entry import Entry
from ledger.redis import APPEND, FAILURES, RedisLedger, chain_key

SCHEME = "redis-cluster"
_COPIES = 1
_COPY_MS = 1_000
_ANSWER_S = 3.0
_PATIENCE_S = 30.0
"""How long an append waits for another master, and for its copy."""
_PAUSE_S = 0.1


class RedisClusterLedger(RedisLedger):
    """A `RedisLedger` whose appends wait for a copy, and find the new master after a failover."""

    example = f"{SCHEME}://127.0.0.1:7000"

    def __init__(self, client: RedisCluster, name: str = "redis-cluster", read_only: bool = False) -> None:
        self._cluster: Any = client
        super().__init__(client, name, read_only)

    @classmethod
    def _client_of(cls, url: str) -> Any:
        """Of the cluster that the node at this address belongs to."""
        return RedisCluster.from_url(
            url.replace(f"{SCHEME}://", "redis://", 1),
            socket_timeout=_ANSWER_S,
            socket_connect_timeout=_ANSWER_S,
            client_name="flagfall",
        )

    def find(self, tournament: str, ids: Iterable[str]) -> Mapping[str, Entry]:
        found = super().find(tournament, ids)
        if found:
            self._confirm(tournament)
        return found

    def read(self, tournament: str, after: int = 0) -> Iterator[Entry]:
        yield from super().read(tournament, after)
        self._confirm(tournament)

    def _confirm(self, tournament: str) -> None:
        """Before an existing entry is confirmed, a copy must have it: another hub may have written it just now."""
        if not self._read_only:
            with self._failing_plainly():
                self._copied(chain_key(tournament), lambda _: None)

    def _run(self, keys: Sequence[bytes], arguments: Sequence[bytes]) -> Any:
        return self._copied(keys[0], lambda work: work.eval(APPEND, len(keys), *keys, *arguments))[0]

    def _copied(self, key: bytes, write: Callable[[Any], object]) -> list[Any]:
        """The answers to what `write` puts into one batch, once a copy has it; `key` is one of the tournament's."""
        beat = key.rpartition(b":")[0] + b":beat"
        give_up_s = time.monotonic() + _PATIENCE_S
        while True:
            try:
                node = self._cluster.get_node_from_key(beat)
                work = self._cluster.get_redis_connection(node).pipeline(transaction=False)
                write(work)
                work.set(beat, b"1").execute_command("WAIT", _COPIES, _COPY_MS)
                *answers, copies = work.execute()
                if copies >= _COPIES:
                    return list(answers)
                why = "no copy of the master has acknowledged it"
            except FAILURES as failure:
                why = str(failure)
            if time.monotonic() > give_up_s:
                raise redis.ConnectionError(f"not stored safely within {_PATIENCE_S:g} s: {why}")
            time.sleep(_PAUSE_S)
            self._look_for_masters()

    def _look_for_masters(self) -> None:
        try:
            self._cluster.nodes_manager.initialize()
        except FAILURES:
            return  # nobody answers yet: asked again

    def _settings(self) -> Mapping[Any, Any]:
        """The settings of all masters: a value that differs somewhere is given with its first deviation."""
        found: dict[Any, Any] = {}
        told = self._cluster.config_get("append*", "maxmemory*", target_nodes=RedisCluster.ALL_NODES)
        for settings in told.values():
            for name, value in settings.items():
                if found.setdefault(name, value) != value and value not in ("yes", "always"):
                    found[name] = value
        return found

"""Two hubs on one store: what the other has written counts."""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from typing import Any

import fakeredis
import pytest
import redis
from helpers.hub_files import tournament_file
from helpers.waiting import until

from flagfall.base.errors import Invalid
from flagfall.ledger.redis import RedisLedger
from hub.config import read_config
from hub.record.acts.players import PlayerAdded, PlayerWithdrawn
from hub.record.events import TournamentCreated
from hub.record.store import RecordedEntry, TournamentStore, Write
from hub.text import Refused


def test_a_hub_that_was_overtaken_reads_and_tries_again() -> None:
    server = fakeredis.FakeServer()

    async def opened() -> TournamentStore:
        return await TournamentStore.opened(
            lambda: RedisLedger(fakeredis.FakeRedis(server=server)), lambda: "label"
        )

    async def go() -> None:
        created = Write("e1", TournamentCreated(file=tournament_file(4)), "one")
        store = await opened()
        await store.record("open", [created])
        other = await opened()
        assert other.head("open") == store.head("open") != ""
        await store.record("open", [Write("e2", PlayerWithdrawn(player="p1", after_round=0), "one")])
        late = Write("e3", PlayerAdded(player={"id": "p5"}), "other")
        (granted,) = await other.record("open", [late])
        assert isinstance(granted, RecordedEntry) and granted.new
        # e2 was written behind its back: the same again is no news, another use of the id is refused.
        again = Write("e2", PlayerWithdrawn(player="p1", after_round=0), "one")
        misuse = Write("e2", PlayerWithdrawn(player="p2", after_round=0), "other")
        results = await other.record("open", [again, misuse])
        assert isinstance(results[0], RecordedEntry) and not results[0].new
        assert isinstance(results[1], Refused)
        (repeat,) = await store.record("open", [late])
        assert isinstance(repeat, RecordedEntry)
        assert not repeat.new
        assert [entry.id for entry in await store.entries("open")] == ["e1", "e2", "e3"]
        assert store.states["open"] == other.states["open"]
        for opened_store in (store, other):
            await opened_store.close()

    asyncio.run(go())


def test_a_ledger_in_redis_is_chosen_by_its_address() -> None:
    config = read_config(["--ledger", "redis://127.0.0.1:6379/0", "--state-dir", "/s"], {})
    assert config.ledger == "redis://127.0.0.1:6379/0"
    with pytest.raises(Invalid, match="ledger"):
        read_config(["--ledger", ""], {})


@pytest.mark.needs("redis")
def test_a_tournament_in_redis_survives_hub_and_server(new_hub: Any, tmp_path: Any) -> None:
    with tempfile.TemporaryDirectory(prefix="flagfall-") as folder:
        socket = f"{folder}/s"
        command = ["redis-server", "--port", "0", "--unixsocket", socket, "--dir", folder, "--save", ""]
        command += ["--appendonly", "yes", "--appendfsync", "always"]
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        try:
            until(redis.Redis(unix_socket_path=socket).ping, meanwhile=(redis.RedisError,))
            hub = new_hub(tmp_path / "hub")
            hub.start("--ledger", f"unix://{socket}")
            table = hub.table("t1", 1)
            hub.call("PUT", "tournaments/open", tournament_file(2))
            hub.call("POST", "tournaments/open/pairings", {})
            result = table.play("open", (40, 24))
            assert table.receipt(result.id).accepted
            before = hub.call("GET", "tournaments/open")
            hub.kill()
            server.kill()
            server.wait()
            server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
            until(redis.Redis(unix_socket_path=socket).ping, meanwhile=(redis.RedisError,))
            hub.start("--ledger", f"unix://{socket}")
            assert hub.call("GET", "tournaments/open") == before
            assert not (tmp_path / "hub" / "ledger.sqlite").exists()
        finally:
            server.kill()
            server.wait()

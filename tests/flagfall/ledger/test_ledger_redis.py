"""The parts of the Redis store alone: settings demanded, a server killed, damage found, addresses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fakeredis
import pytest
import redis
from helpers.ledger_records import record

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.redis import RedisLedger
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import Broken, StaleHead, StoreFailed

CHAIN, INDEX = b"flagfall:{woc}:chain", b"flagfall:{woc}:ids"


def drafts(count: int, tournament: str = "woc") -> list[EntryDraft]:
    return [
        EntryDraft(f"g{n}.1", "result", 1, "", "t7", tournament, b'{"n":%d}' % n) for n in range(1, count + 1)
    ]


def moved(client: Any) -> None:
    last = client.xrevrange(CHAIN, count=1)[0]
    client.xdel(CHAIN, last[0])
    client.xadd(CHAIN, last[1], id="99-0")


def rewritten(client: Any) -> None:
    entries = client.xrange(CHAIN)
    client.delete(CHAIN)
    for stream_id, fields in entries:
        client.xadd(CHAIN, fields | ({b"body": b'{"n":99}'} if stream_id == b"3-0" else {}), id=stream_id)


DAMAGE: list[tuple[Callable[[Any], object], tuple[int, str]]] = [
    (rewritten, (3, "g3.1")),
    (moved, (8, "")),
    (lambda client: client.xdel(CHAIN, "5-0"), (5, "")),
    (lambda client: client.hset(INDEX, "g4.1", 7), (4, "g4.1")),
    (lambda client: client.hdel(INDEX, "g4.1"), (4, "g4.1")),
    (lambda client: client.xdel(CHAIN, "8-0"), (8, "")),
    (lambda client: client.xadd(CHAIN, {"id": "g9.1"}, id="9-0"), (9, "")),
    (lambda client: client.set(CHAIN, "something else"), (1, "")),
]


@pytest.mark.parametrize(("damage", "expected"), DAMAGE)
def test_a_change_behind_its_back_is_found(
    damage: Callable[[Any], object], expected: tuple[int, str]
) -> None:
    client = fakeredis.FakeRedis()
    ledger = RedisLedger(client)
    record(ledger, drafts(8))
    assert ledger.verify("woc") is None
    damage(client)
    broken = ledger.verify("woc")
    assert isinstance(broken, Broken)
    assert (broken.position, broken.id) == expected


def test_an_entry_that_the_index_promises_and_nobody_has_stops_the_append() -> None:
    client = fakeredis.FakeRedis()
    ledger = RedisLedger(client)
    record(ledger, drafts(3))
    client.xdel(CHAIN, "2-0")
    with pytest.raises(StoreFailed, match="damaged"):
        ledger.append(chain(drafts(2), START), START)


def test_tournaments_with_strange_names_keep_to_themselves() -> None:
    ledger = RedisLedger(fakeredis.FakeRedis())
    names = ["}", "{}", "a b", "*", "[x]?", "東京", "%7D"]
    for name in names:
        record(ledger, drafts(2, name))
    assert ledger.tournaments() == tuple(sorted(names))
    for name in names:
        assert [entry.tournament for entry in ledger.read(name)] == [name, name]
        assert ledger.verify(name) is None


def test_long_chains_are_read_in_pages() -> None:
    ledger = RedisLedger(fakeredis.FakeRedis())
    record(ledger, drafts(1201))
    assert [entry.id for entry in ledger.read("woc", after=499)] == [f"g{n}.1" for n in range(500, 1202)]
    assert ledger.verify("woc") is None


def test_a_reader_adds_nothing() -> None:
    ledger = RedisLedger(fakeredis.FakeRedis(), read_only=True)
    with pytest.raises(StoreFailed, match="read-only"):
        record(ledger, drafts(1))


def test_a_place_is_a_file_or_an_address(tmp_path: Path) -> None:
    for place in (tmp_path / "redis", str(tmp_path / "ledger")):
        ledger = open_ledger(place)
        assert isinstance(ledger, SqliteLedger)
        ledger.close()
    with pytest.raises(StoreFailed, match="redis") as refused:
        open_ledger("redis://:a-password@127.0.0.1:1/0")
    assert "\n" not in str(refused.value) and "a-password" not in str(refused.value)
    with pytest.raises(StoreFailed, match="expected an address"):
        open_ledger("redis://127.0.0.1:6379/0?nonsense=1")


@pytest.mark.needs("redis")
@pytest.mark.parametrize(
    ("settings", "named"),
    [
        (("--appendfsync", "everysec"), "appendfsync: expected always"),
        (("--appendonly", "no"), "appendonly: expected yes"),
        (
            ("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru"),
            "maxmemory-policy: expected noeviction",
        ),
    ],
)
def test_a_server_that_would_lose_entries_is_refused(
    redis_server: Any, settings: tuple[str, ...], named: str
) -> None:
    redis_server.start(*settings)
    with pytest.raises(StoreFailed, match=named) as refused:
        open_ledger(redis_server.url)
    assert "\n" not in str(refused.value)
    open_ledger(redis_server.url, read_only=True).close()


@pytest.mark.needs("redis")
def test_a_killed_server_comes_back_with_everything_and_the_ledger_finds_it_again(redis_server: Any) -> None:
    redis_server.start()
    ledger = open_ledger(redis_server.url)
    record(ledger, drafts(50))
    redis_server.kill()
    with pytest.raises(StoreFailed) as away:
        record(ledger, drafts(51))
    assert "\n" not in str(away.value)
    redis_server.start()
    assert tuple(ledger.read("woc")) == chain(drafts(50), START)
    assert record(ledger, drafts(51)).new == 1
    assert ledger.verify("woc") is None
    ledger.close()


@pytest.mark.needs("redis")
def test_of_two_programs_the_slower_is_told(redis_server: Any) -> None:
    redis_server.start()
    ledger, other = open_ledger(redis_server.url), open_ledger(redis_server.url)
    seen = other.head("woc")
    record(ledger, drafts(2))
    with pytest.raises(StaleHead):
        other.append(chain([drafts(3)[2]], seen), seen)
    assert record(other, drafts(3)).new == 1
    assert tuple(ledger.read("woc")) == chain(drafts(3), START)
    ledger.close()
    other.close()


@pytest.mark.needs("redis")
def test_another_programs_key_is_one_line(redis_server: Any) -> None:
    redis_server.start()
    redis.Redis.from_url(redis_server.url).set(CHAIN, "not ours")
    ledger = open_ledger(redis_server.url)
    with pytest.raises(StoreFailed, match="WRONGTYPE") as refused:
        record(ledger, drafts(1))
    assert "\n" not in str(refused.value)
    ledger.close()

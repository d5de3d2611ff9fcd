"""A copy has what the source has; two that went different ways are not mixed."""

from __future__ import annotations

from pathlib import Path

import fakeredis
import pytest
from helpers.ledger_records import record

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.redis import RedisLedger
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import LedgerError, StoreFailed, copy


def draft(number: int, tournament: str = "woc", body: bytes = b"{}") -> EntryDraft:
    return EntryDraft(f"g{number}", "result", 1, "", "t7", tournament, body)


def test_a_copy_grows_with_its_source_whatever_the_stores(tmp_path: Path) -> None:
    source = SqliteLedger(tmp_path / "source.sqlite")
    target = RedisLedger(fakeredis.FakeRedis())
    assert copy(source, target) == 0
    for tournament in ("woc", "eoc"):
        record(source, [draft(n, tournament) for n in range(700)])
    assert copy(source, target) == 1400
    assert copy(source, target) == 0
    record(source, [draft(n) for n in range(700, 705)])
    assert copy(source, target) == 5
    assert tuple(target.read("woc")) == tuple(source.read("woc")) == chain(map(draft, range(705)), START)
    assert target.verify("woc") is None
    assert copy(target, source) == 0
    record(target, [draft(800)])
    assert copy(source, target) == 0, "the target may be further"
    source.close()


def test_two_that_went_different_ways_are_not_mixed(tmp_path: Path) -> None:
    source, target = (SqliteLedger(tmp_path / name) for name in ("a.sqlite", "b.sqlite"))
    for ledger in (source, target):
        record(ledger, [draft(1)])
    record(source, [draft(2)])
    record(target, [draft(2, body=b"[]")])
    before = tuple(target.read("woc"))
    with pytest.raises(LedgerError, match="other content"):
        copy(source, target)
    assert tuple(target.read("woc")) == before
    source.close()
    target.close()


def test_a_damaged_source_is_not_copied() -> None:
    client = fakeredis.FakeRedis()
    source, target = RedisLedger(client), RedisLedger(fakeredis.FakeRedis())
    record(source, [draft(n) for n in range(5)])
    fields = client.xrange("flagfall:{woc}:chain", "3-0", "3-0")[0][1]
    client.xdel("flagfall:{woc}:chain", "3-0")
    with pytest.raises(Exception, match="follow"):
        copy(source, target)
    assert list(target.read("woc")) == []
    assert fields
    client.set("flagfall:{eoc}:chain", "x")
    with pytest.raises(StoreFailed):
        list(source.read("eoc"))

"""The promises of every store. A further store joins by one more parameter of the fixture `open_ledger`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import fakeredis
import pytest
import redis
from helpers.ledger_records import record
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from flagfall.ledger.entry import START, EntryDraft, chain, fault
from flagfall.ledger.redis import RedisLedger
from flagfall.ledger.sqlite import SqliteLedger
from flagfall.ledger.store import Appended, Ledger, LedgerError, StaleHead

OpenLedger = Callable[[], Ledger]


STORES = [
    "sqlite",
    "fakeredis",
    pytest.param("redis", marks=pytest.mark.needs("redis")),
    pytest.param("cluster", marks=[pytest.mark.needs("redis"), pytest.mark.long]),
]


@pytest.fixture(params=STORES)
def open_ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenLedger]:
    """Yield a function that opens a new, empty ledger at each call."""
    opened: list[Ledger] = []
    numbers = itertools.count()
    url = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    cluster = request.getfixturevalue("lasting_cluster") if request.param == "cluster" else None

    def open_new() -> Ledger:
        match request.param:
            case "sqlite":
                opened.append(SqliteLedger(tmp_path / f"{next(numbers)}.sqlite"))
            case "fakeredis":
                opened.append(RedisLedger(fakeredis.FakeRedis(server=fakeredis.FakeServer())))
            case "cluster":
                assert cluster is not None
                cluster.empty()
                opened.append(RedisLedger.at(cluster.url))
            case _:
                redis.Redis.from_url(url).flushall()
                opened.append(RedisLedger.at(url))
        return opened[-1]

    yield open_new
    for ledger in opened:
        ledger.close()


@pytest.fixture
def ledger(open_ledger: OpenLedger) -> Ledger:
    return open_ledger()


def draft(number: int, tournament: str = "woc", body: bytes = b"{}") -> EntryDraft:
    return EntryDraft(f"g{number}.1", "result", 1, f"at {number}", "t7", tournament, body)


def test_an_empty_ledger(ledger: Ledger) -> None:
    assert ledger.head("woc") == START
    assert list(ledger.read("woc")) == []
    assert ledger.tournaments() == ()
    assert ledger.verify("woc") is None
    assert ledger.find("woc", ["g1.1"]) == {}


def test_entries_are_read_as_they_were_written(ledger: Ledger) -> None:
    entries = chain([draft(1), draft(2), draft(3)], START)
    done = ledger.append(entries, START)
    assert done == Appended(3, entries[-1].hash)
    assert ledger.head("woc") == entries[-1].hash
    assert tuple(ledger.read("woc")) == entries
    assert tuple(ledger.read("woc", after=2)) == entries[2:]
    assert ledger.find("woc", ["g2.1", "unknown"]) == {"g2.1": entries[1]}
    assert ledger.verify("woc") is None


def test_more_entries_than_one_page_come_in_order(ledger: Ledger) -> None:
    entries = chain((draft(number) for number in range(1_234)), START)
    ledger.append(entries, START)
    assert tuple(ledger.read("woc")) == entries
    assert tuple(ledger.read("woc", after=1_000)) == entries[1_000:]


def test_reading_goes_on_while_entries_are_added(ledger: Ledger) -> None:
    record(ledger, [draft(1), draft(2)])
    reading = ledger.read("woc")
    first = next(reading)
    record(ledger, [draft(3)])
    assert [first.id, *(entry.id for entry in reading)][:2] == ["g1.1", "g2.1"]


def test_each_tournament_has_its_own_chain(ledger: Ledger) -> None:
    record(ledger, [draft(1, "woc")])
    record(ledger, [draft(1, "eoc", b'{"other":1}')])
    assert ledger.tournaments() == ("eoc", "woc")
    assert [entry.previous for name in ("woc", "eoc") for entry in ledger.read(name)] == [START, START]


def test_the_same_id_counts_as_done_whatever_the_head(ledger: Ledger) -> None:
    first = ledger.append(chain([draft(1)], START), START)
    record(ledger, [draft(2)])
    again = ledger.append(chain([draft(1)], START), START)
    assert again.new == 0
    assert again.head == ledger.head("woc") != first.head


def test_a_repeated_delivery_may_carry_a_later_label(ledger: Ledger) -> None:
    first = record(ledger, [draft(1)])
    again = record(ledger, [structs.replace(draft(1), at="later")])
    assert again == Appended(0, first.head)


def test_the_same_id_with_other_content_is_refused(ledger: Ledger) -> None:
    record(ledger, [draft(1)])
    before = tuple(ledger.read("woc"))
    other = draft(1, body=b'{"score":[64,0]}')
    with pytest.raises(LedgerError, match=r"g1\.1 is stored with other content"):
        ledger.append(chain([other], ledger.head("woc")), ledger.head("woc"))
    with pytest.raises(LedgerError, match="other content"):
        record(ledger, [draft(2), other])
    with pytest.raises(LedgerError, match="other content"):
        record(ledger, [draft(2), draft(2, body=b"2")])
    assert tuple(ledger.read("woc")) == before


def test_of_two_operators_the_slower_is_told(ledger: Ledger) -> None:
    seen_by_both = ledger.head("woc")
    ledger.append(chain([draft(1)], seen_by_both), seen_by_both)
    with pytest.raises(StaleHead) as stale:
        ledger.append(chain([draft(2)], seen_by_both), seen_by_both)
    assert stale.value.head == ledger.head("woc")
    assert "\n" not in str(stale.value)
    assert [entry.id for entry in ledger.read("woc")] == ["g1.1"]


def test_a_batch_is_stored_whole_or_not_at_all(ledger: Ledger) -> None:
    good, bad, last = chain([draft(1), draft(2), draft(3)], START)
    with pytest.raises(LedgerError, match="hash"):
        ledger.append([good, structs.replace(bad, body=b"[]"), last], START)
    with pytest.raises(LedgerError, match="follow"):
        ledger.append([good, last], START)
    with pytest.raises(LedgerError, match="eoc"):
        ledger.append([good, *chain([draft(2, "eoc")], good.hash)], START)
    assert list(ledger.read("woc")) == []
    assert ledger.append([good, bad, last], START).new == 3


def test_the_same_entry_twice_in_a_batch_is_one(ledger: Ledger) -> None:
    (entry,) = chain([draft(1)], START)
    done = ledger.append([entry, entry], START)
    assert done == Appended(1, entry.hash)
    assert record(ledger, [draft(2), draft(1), draft(2)]).new == 1
    assert [entry.id for entry in ledger.read("woc")] == ["g1.1", "g2.1"]


numbers = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=4), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=numbers)
def test_any_deliveries_end_in_one_chain(open_ledger: OpenLedger, batches: list[list[int]]) -> None:
    ledger = open_ledger()
    for batch in batches:
        done = record(ledger, [draft(number) for number in batch])
        assert done.head == ledger.head("woc")
    entries = tuple(ledger.read("woc"))
    in_order_of_arrival = list(dict.fromkeys(number for batch in batches for number in batch))
    assert [entry.id for entry in entries] == [f"g{number}.1" for number in in_order_of_arrival]
    previous = START
    for entry in entries:
        assert fault(entry, previous) is None
        previous = entry.hash
    assert ledger.verify("woc") is None

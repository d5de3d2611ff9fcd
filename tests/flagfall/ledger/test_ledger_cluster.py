"""Six real nodes on loopback, several writers, a master killed in mid-round: nothing with a receipt is lost."""

from __future__ import annotations

import multiprocessing
import time
from typing import Any

import pytest
from helpers.ledger_records import record
from helpers.redis_nodes import PATIENCE_S, Cluster, until

from flagfall.ledger.entry import EntryDraft
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.redis import RedisLedger
from flagfall.ledger.store import LedgerError, StaleHead, StoreFailed

pytestmark = [pytest.mark.long, pytest.mark.needs("redis"), pytest.mark.timeout(900)]
TOURNAMENTS, WRITERS = 6, 2


def write(url: str, writer: int, receipts: Any, stop: Any) -> None:
    """Write results of all tournaments as a hub does, one after the other; put each receipt with its instant."""
    ledger: Any = None
    number = 0
    while not stop.is_set():
        tournament, entry = f"t{number % TOURNAMENTS}", f"w{writer}.{number}"
        try:
            ledger = ledger or open_ledger(url)
            record(ledger, [EntryDraft(entry, "result", 1, "", "t7", tournament, b'{"n":1}')])
        except StaleHead:
            continue  # the other hub was faster: tried again on what it has written
        except LedgerError:
            time.sleep(0.05)  # fixed: how soon a hub tries again
            continue
        receipts.put((tournament, entry, time.monotonic()))
        number += 1
    receipts.put(None)
    receipts.close()
    receipts.join_thread()


def test_a_master_killed_in_mid_round_loses_nothing_with_a_receipt(
    cluster: Cluster, capsys: pytest.CaptureFixture[str]
) -> None:
    spawn = multiprocessing.get_context("spawn")
    receipts, stop = spawn.Queue(), spawn.Event()
    writers = [
        spawn.Process(target=write, args=(cluster.url, n, receipts, stop), daemon=True)
        for n in range(WRITERS)
    ]
    for writer in writers:
        writer.start()
    promised: list[tuple[str, str, float]] = []

    def promise() -> bool:
        while not receipts.empty():
            promised.append(receipts.get())
        return True

    until(lambda: promise() and len(promised) > 300, "receipts")
    victim = cluster.master_of(next(iter(cluster.nodes)), "t0")
    witness = next(port for port in cluster.nodes if port != victim)
    cluster.kill(victim)
    killed_s = time.monotonic()
    until(lambda: cluster.master_of(witness, "t0") != victim, "another master")
    taken_over_s = time.monotonic()
    cluster.start(victim)  # comes back as the copy without which nothing more would be promised there
    until(
        lambda: promise() and any(receipt[0] == "t0" and receipt[2] > taken_over_s for receipt in promised),
        "receipts again",
    )
    first_s = min(receipt[2] for receipt in promised if receipt[0] == "t0" and receipt[2] > taken_over_s)
    before = len(promised)
    until(lambda: promise() and len(promised) > before + 300, "as before")
    stop.set()
    ended = 0
    while ended < WRITERS:
        receipt = receipts.get(timeout=PATIENCE_S)
        ended += receipt is None
        promised += [receipt] if receipt is not None else []
    for writer in writers:
        writer.join(PATIENCE_S)
    ledger = open_ledger(cluster.url, read_only=True)
    kept = {name: [entry.id for entry in ledger.read(name)] for name in ledger.tournaments()}
    assert sorted(kept) == [f"t{n}" for n in range(TOURNAMENTS)]
    for tournament, entry, _ in promised:
        assert kept[tournament].count(entry) == 1, f"{entry} of {tournament} has a receipt"
    assert all(ledger.verify(name) is None for name in kept)
    ledger.close()
    with capsys.disabled():
        print(
            f"\n{len(promised)} receipts, none lost; another master after {taken_over_s - killed_s:.1f} s, "
            f"receipts again {first_s - killed_s:.1f} s after the kill"
        )


def test_without_a_copy_there_is_no_receipt(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = RedisLedger.at(cluster.url)
    record(ledger, [EntryDraft("g1.1", "result", 1, "", "t7", "t0", b"{}")])
    monkeypatch.setattr("flagfall.ledger.redis._PATIENCE_S", 2.0)
    master = cluster.master_of(next(iter(cluster.nodes)), "t0")
    node_id = next(
        member["node_id"] for member in cluster.members(master) if "myself" in str(member["flags"])
    )
    copies = [
        int(str(address).split("@")[0].rpartition(":")[2])
        for address, member in cluster.client(master).cluster("NODES").items()  # type: ignore[no-untyped-call]
        if member["master_id"] == node_id
    ]
    for copy in copies:
        cluster.kill(copy)
    draft = EntryDraft("g2.1", "result", 1, "", "t7", "t0", b"{}")
    for _ in range(2):  # the second time it is there already, and still promised to nobody
        with pytest.raises(StoreFailed, match="not stored safely"):
            record(ledger, [draft])
    with pytest.raises(StoreFailed, match="not stored safely"):
        list(ledger.read("t0"))
    ledger.close()


def test_a_node_that_may_lose_entries_is_refused(cluster: Cluster) -> None:
    careless = cluster.client(cluster.master_of(next(iter(cluster.nodes)), "t0"))
    careless.config_set("appendfsync", "everysec")
    with pytest.raises(StoreFailed, match="appendfsync: expected always, the server has everysec"):
        open_ledger(cluster.url)
    open_ledger(cluster.url, read_only=True).close()
    careless.config_set("appendfsync", "always")
    open_ledger(cluster.url).close()

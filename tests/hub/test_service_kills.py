"""The hub killed again and again while results come in: whatever has a receipt is in the ledger, once."""

from __future__ import annotations

from random import Random
from typing import Any

from helpers.hub_files import result_of, tournament_file
from helpers.waiting import until

from flagfall.link.messages import Result, encode
from flagfall.link.topics import Kind

KILLS = 4
TABLES = 4
LAST_REVISION = 12


def test_no_receipt_is_a_promise_broken(hub: Any) -> None:
    random = Random(5)
    tables = [hub.table(f"t{n}", n) for n in range(1, TABLES + 1)]
    hub.call("PUT", "tournaments/open", tournament_file(2 * TABLES))
    hub.call("POST", "tournaments/open/pairings", {})
    results: dict[str, list[Result]] = {}
    for table in tables:
        assigned = table.assignment(lambda assignment: assignment.game is not None)
        results[table.identity.device] = [
            result_of(assigned.header, assigned.game, table.identity, (33 + n, 31 - n), revision=n)
            for n in range(1, LAST_REVISION + 1)
        ]
    promised: set[str] = set()

    def deliver_until(receipts: int) -> bool:
        """Send from every table what has no receipt, the lowest revision first, one at a time."""
        for table in tables:
            table.listen()
            promised.update(receipt.id for receipt in table.heard[Kind.RECEIPT] if receipt.accepted)
            waiting = [result for result in results[table.identity.device] if result.id not in promised]
            if waiting and table.up.is_set():
                table.link.publish(
                    f"flagfall/1/open/table/{table.identity.device}/result", encode(waiting[0]), 1, False
                )
        return len(promised) >= receipts

    everything = TABLES * LAST_REVISION
    for kill in range(KILLS):
        wanted = everything * (kill + 1) // (KILLS + 1) - random.randrange(4)
        until(lambda wanted=wanted: deliver_until(wanted))
        hub.kill()
        hub.start()
        stored = {entry["id"] for entry in hub.call("GET", "tournaments/open/entries")["entries"]}
        assert {f"result.{id_}" for id_ in promised} <= stored
    until(lambda: deliver_until(everything))
    entries = hub.call("GET", "tournaments/open/entries")["entries"]
    assert len({entry["id"] for entry in entries}) == len(entries)
    kinds = [entry["type"] for entry in entries]
    assert kinds.count("result_received") == kinds.count("game_file_received") == everything
    for game in hub.call("GET", "tournaments/open")["games"]:
        assert game["score"] == [33 + LAST_REVISION, 31 - LAST_REVISION]
        assert game["reported"]["revision"] == LAST_REVISION and game["reported"]["differences"] == []

"""`flagfall-hub verify`: the ledger end to end, and the receipts that tables were given for it.

The chain shows a change of any entry but not that the whole chain was made anew. The heads that tables got with their
receipts do: each must still be a hash of the chain, at the result's entry or after it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class GivenReceipt:
    """What a table keeps: the result's id, and the head that came with its receipt. `where` names the table."""

    where: str
    result: str
    head: str


@dataclass(frozen=True, slots=True)
class Verified:
    """`faults` are one line each; none: all is well."""

    entries: dict[str, int]
    receipts: int
    faults: tuple[str, ...]

    def as_object(self) -> dict[str, Any]:
        return {
            "whole": not self.faults,
            "tournaments": self.entries,
            "receipts": self.receipts,
            "faults": list(self.faults),
        }


def verify(ledger: Ledger, receipts: Iterable[GivenReceipt]) -> Verified:
    """Every tournament's chain, and every receipt. LedgerError only if the store cannot be reached at all."""
    entries: dict[str, int] = {}
    faults: list[str] = []
    hashes: dict[str, tuple[str, int]] = {}
    results: dict[str, list[tuple[str, int]]] = {}
    for tournament in ledger.tournaments():
        broken = ledger.verify(tournament)
        if broken is not None:
            named = f" ({broken.id})" if broken.id else ""
            faults.append(f"ledger {tournament}: entry {broken.position}{named} {broken.why}")
            continue
        position = 0
        for position, entry in enumerate(ledger.read(tournament), 1):
            hashes[entry.hash] = (tournament, position)
            if entry.id.startswith("result."):
                results.setdefault(entry.id.removeprefix("result."), []).append((tournament, position))
        entries[tournament] = position
    count = 0
    for receipt in receipts:
        count += 1
        why = _wrong(receipt, hashes.get(receipt.head), results.get(receipt.result, []))
        if why:
            faults.append(f"{receipt.where}: receipt for {receipt.result}: {why}")
    return Verified(entries, count, tuple(faults))


def _wrong(receipt: GivenReceipt, head: tuple[str, int] | None, places: list[tuple[str, int]]) -> str | None:
    if not places:
        return "the ledger does not have this result"
    if head is None:
        return f"the ledger never had the head {receipt.head[:12]}"
    if not any(tournament == head[0] and position <= head[1] for tournament, position in places):
        return f"the head {receipt.head[:12]} stands before the result"
    return None


def receipts_in(folder: Path) -> Iterator[GivenReceipt]:
    """Those in the outboxes below a folder with tables' state directories (or copies of them).

    OSError or sqlite3.Error where one cannot be read.
    """
    for path in sorted(folder.rglob("outbox.sqlite")):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)
        try:
            for result, head in connection.execute("SELECT id, head FROM kept ORDER BY number"):
                yield GivenReceipt(str(path.parent), str(result), str(head))
        finally:
            connection.close()

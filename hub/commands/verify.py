"""`flagfall-hub verify`: checks the ledger from end to end, and the receipts that tables have.

The chain shows a change of any entry, but neither entries cut from its end nor a chain made anew. The heads that tables
got with their receipts show these (each must still be a hash of the chain, at the result's entry or after it), and so
do the heads that the hub signed (`hub.record.heads`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hub.record.events import result_entry_id
from hub.record.heads import Head, broken_chain, missing
from ledger.store import Ledger


@dataclass(frozen=True, slots=True)
class GivenReceipt:
    """A receipt that a table keeps: the result's id ("": about the whole record), and its head. `where` names the
    table."""

    where: str
    result: str
    head: str


@dataclass(frozen=True, slots=True)
class Verified:
    """`faults` are one line each; none: the record is whole."""

    entries: dict[str, int]
    heads: dict[str, str]
    receipts: int
    faults: tuple[str, ...]

    def as_object(self) -> dict[str, Any]:
        return {
            "whole": not self.faults,
            "tournaments": self.entries,
            "heads": self.heads,
            "receipts": self.receipts,
            "faults": list(self.faults),
        }


def verify(
    ledger: Ledger,
    receipts: Iterable[GivenReceipt],
    remembered: Mapping[str, Head] = MappingProxyType({}),
    asked: str = "",
) -> Verified:
    """Checks every tournament's chain, every receipt, every head that the hub remembers, and the head `asked` for: its
    first hexadecimal digits, as shown or printed. LedgerError only if the store cannot be reached at all."""
    entries: dict[str, int] = {}
    heads: dict[str, str] = {}
    faults: list[str] = []
    chains: dict[str, dict[str, int]] = {}
    broken_chains: set[str] = set()
    results: dict[str, list[tuple[str, int]]] = {}
    for tournament in ledger.tournaments():
        broken = ledger.verify(tournament)
        if broken is not None:
            faults.append(broken_chain(tournament, broken))
            broken_chains.add(tournament)
            continue
        chain = chains[tournament] = {}
        for position, entry in enumerate(ledger.read(tournament), 1):
            chain[entry.hash] = position
            results.setdefault(entry.id, []).append((tournament, position))
            heads[tournament] = entry.hash
        entries[tournament] = len(chain)
    hashes = {entry: (name, position) for name, chain in chains.items() for entry, position in chain.items()}
    count = 0
    for receipt in receipts:
        count += 1
        why = _wrong(receipt, hashes.get(receipt.head), results.get(result_entry_id(receipt.result), []))
        if why:
            faults.append(f"{receipt.where}: receipt for {receipt.result or 'the record'}: {why}")
    readable = {name: head for name, head in remembered.items() if name not in broken_chains}
    faults += [f"{gap}, which the hub signed" for gap in missing(readable, chains)]
    if asked and not any(head.startswith(asked) for head in hashes):
        faults.append(f"head {asked}: the ledger never had it")
    return Verified(entries, heads, count, tuple(faults))


def _wrong(receipt: GivenReceipt, head: tuple[str, int] | None, places: list[tuple[str, int]]) -> str | None:
    if not receipt.result:
        return None if head is not None else f"the ledger never had the head {receipt.head[:12]}"
    if not places:
        return "the ledger does not have this result"
    if head is None:
        return f"the ledger never had the head {receipt.head[:12]}"
    if not any(tournament == head[0] and position <= head[1] for tournament, position in places):
        return f"the head {receipt.head[:12]} stands before the result"
    return None


def receipts_in(folder: Path) -> Iterator[GivenReceipt]:
    """The receipts in the outboxes below a folder with tables' state directories (or copies of them), and the longest
    record that each table was told of (without a result). OSError or sqlite3.Error if one cannot be read."""
    for path in sorted(folder.rglob("outbox.sqlite")):
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5.0)
        try:
            for result, head in connection.execute("SELECT id, head FROM kept ORDER BY number"):
                yield GivenReceipt(str(path.parent), str(result), str(head))
            if connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'told'").fetchone():
                for (head,) in connection.execute("SELECT head FROM told"):
                    yield GivenReceipt(str(path.parent), "", str(head))
        finally:
            connection.close()

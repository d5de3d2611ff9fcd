"""A ledger copied into another, of whatever kind, while others go on writing to it."""

from __future__ import annotations

from itertools import islice

from ledger.entry import START
from ledger.store import Ledger

_BATCH = 500


def copy(source: Ledger, target: Ledger) -> int:
    """Adds to `target` what it lacks of `source`; returns how many entries that were.

    What is copied is checked on the way: LedgerError where the source is damaged, or where the two went different
    ways. Each tournament is copied up to some moment during the copying; a chain has no half states.
    """
    added = 0
    for tournament in source.tournaments():
        head = target.head(tournament)
        entries = source.read(tournament)
        if head != START:
            while (entry := next(entries, None)) is not None and entry.hash != head:
                target.append([entry], START)  # the target has it, or says that it has something else
        while batch := list(islice(entries, _BATCH)):
            added += target.append(batch, head).new
            head = batch[-1].hash
    return added

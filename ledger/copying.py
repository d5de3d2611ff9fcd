"""Copies a ledger into another store while other programs go on writing to it."""

from __future__ import annotations

from itertools import islice

from ledger.entry import START
from ledger.store import Ledger

_BATCH = 500


def copy(source: Ledger, target: Ledger) -> int:
    """Adds to `target` what it lacks of `source`; returns how many entries that were.

    The copied entries are checked: LedgerError if the source is damaged, or if the two have diverged. Each tournament
    is copied up to some moment during the copying, always to a whole commit.
    """
    added = 0
    for tournament in source.tournaments():
        head = target.head(tournament)
        entries = source.read(tournament)
        if head != START:
            while (entry := next(entries, None)) is not None and entry.hash != head:
                target.append([entry], START)  # the target has it, or raises because it has other content
        while batch := list(islice(entries, _BATCH)):
            added += target.append(batch, head).new
            head = batch[-1].hash
    return added

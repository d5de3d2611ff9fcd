"""The log: every entry of the event's ledger, its author and time, and whether it can be undone."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from flagfall.ledger.entry import Entry
from hub.console.context import Values, Visit
from hub.console.views.log import EntryTexts
from hub.fields import whole_in
from hub.record.codec import UNDOABLE, happening
from hub.record.fold import undone
from hub.slices import apart

_PAGE = 200


async def audit_page(visit: Visit) -> Values:
    return await apart(_lines_of, visit, visit.hub.store.head(visit.state.id), await visit.entries())


def _lines_of(visit: Visit, head: str, entries: Sequence[Entry]) -> Values:
    state = visit.state
    gone = undone(entries)
    before = whole_in(visit.request.query_params.get("before", ""), 9)
    end = len(entries) if before is None else min(before, len(entries))
    first = max(0, end - _PAGE)
    lines = [
        {
            "number": number,
            "entry": entry,
            "event": happening(entry),
            "gone": entry.id in gone,
            "undoable": _can_be_undone(entry, gone),
        }
        for number, entry in enumerate(entries[first:end], start=first + 1)
    ]
    return {
        "lines": lines[::-1],
        "first": first,
        "head": head,
        "count": len(entries),
        "last": next((entry for entry in reversed(entries) if _can_be_undone(entry, gone)), None),
        "telling": partial(EntryTexts, state),
        "numbers": {entry.id: number for number, entry in enumerate(entries, start=1)},
    }


def _can_be_undone(entry: Entry, gone: frozenset[str]) -> bool:
    return entry.type in UNDOABLE and entry.id not in gone

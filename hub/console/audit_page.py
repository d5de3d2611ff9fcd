"""The log: every entry of the event's ledger, who made it and when; what can be taken back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hub.console.office import Office, Shown, Visit, state_of
from hub.events import UNDOABLE
from hub.fold import undone

_PAGE = 200


@dataclass(frozen=True, slots=True)
class LogLine:
    """`facts`: what the entry says, shortly; `undoable`: whether it can be taken back now."""

    number: int
    id: str
    type: str
    at: str
    who: str
    facts: str
    hash: str
    gone: bool
    undoable: bool


async def audit_page(office: Office, visit: Visit) -> Shown:
    state = state_of(office, visit)
    entries = await office.book.entries(state.id)
    gone = undone(entries)
    before = visit.asked("before")
    end = min(int(before), len(entries)) if before.isascii() and before.isdecimal() else len(entries)
    first = max(0, end - _PAGE)
    lines = [
        LogLine(
            number,
            entry.id,
            entry.type,
            entry.at,
            entry.who,
            _facts(json.loads(entry.body)),
            entry.hash,
            entry.id in gone,
            entry.type in UNDOABLE and entry.id not in gone,
        )
        for number, entry in enumerate(entries[first:end], start=first + 1)
    ]
    return Shown(
        "audit.html",
        {"lines": lines[::-1], "first": first, "head": office.book.head(state.id), "count": len(entries)},
        state=state,
    )


def _facts(body: dict[str, Any]) -> str:
    """The short values of an entry; long ones only by their number."""
    told = []
    for name, value in body.items():
        if name in ("message", "signature", "seq", "transcript") or value in (None, "", [], {}):
            continue
        if name in ("games", "file", "seats") and isinstance(value, list | dict):
            told.append(f"{name}: {len(value)}")
            continue
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        told.append(f"{name}: {text if len(text) <= 80 else text[:79] + '…'}")
    return ", ".join(told)

"""The log: every entry of the event's ledger, who made it and when; what can be taken back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from hub.console.office import Office, Shown, Visit, state_of
from hub.console.pages import name_of
from hub.events import UNDOABLE
from hub.fold import undone
from hub.state import State

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
            _facts(state, json.loads(entry.body)),
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


_LONG = ("message", "signature", "transcript", "file", "cost", "best")
_TOLD_ELSEWHERE = frozenset((*_LONG, "seq", "lifetime_s", "revision", "conditions", "judged", "sensors"))


def _facts(state: State, body: dict[str, Any]) -> str:
    """The short values of an entry, games and players by their names."""
    told = []
    for name, value in body.items():
        if name in _TOLD_ELSEWHERE or value in (None, "", [], {}, False):
            continue
        if value is True:
            told.append(name.replace("_", " "))
        elif name == "game" and value in state.games:
            told.append(_game(state, value))
        elif name == "player" and isinstance(value, str):
            told.append(_player(state, value))
        elif name in ("score", "signed") and isinstance(value, list):
            told.append("–".join(str(one) for one in value) if name == "score" else "")
        elif name == "games" and isinstance(value, list):
            tables = [_table(state, one) for one in value]
            told.append(f"tables {', '.join(tables[:12])}{' …' if len(tables) > 12 else ''}")
        elif isinstance(value, dict):
            told += [_facts(state, value)]
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            told.append(f"{name} {text if len(text) <= 80 else text[:79] + '…'}")
    return ", ".join(one for one in told if one)


def _game(state: State, game: str) -> str:
    record = state.games[game]
    return f"{record.where}: {_player(state, record.black)} – {_player(state, record.white)}"


def _player(state: State, player: str) -> str:
    try:
        return name_of(state, player)
    except KeyError:
        return player


def _table(state: State, game: Any) -> str:
    if isinstance(game, dict):
        return str(game.get("table", "?"))
    return str(state.games[game].table) if game in state.games else str(game)

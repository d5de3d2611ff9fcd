"""A table's record of a game: incidents, rulings with their authors and reasons, and the judge's notes.

Made from the table's result as it arrived; unexpected parts of it are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from flagfall.base.errors import Invalid
from flagfall.base.foreign_text import parse_json
from flagfall.base.message import Message
from flagfall.link.packed_file import PackedFile, unpack_game
from flagfall.othello.gamefile import parse_game
from flagfall.othello.inputs import Start, Tick
from hub.console.from_tables import refusal_text, who_text

_TOLD_APART = frozenset(("who", "reason", "undoes", "player", "winner", "to"))


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of the record."""

    at_ns: int
    # Family and word name it in the catalogue: "incident.misflip", "rule.award", "note.judge_takes".
    family: str
    word: str
    by: str = ""  # the player concerned
    details: str = ""  # squares and figures
    state: str = ""
    who: str = ""  # gave the ruling or wrote the note
    why: Message | str = ""
    at_ms: int | None = None  # since the director's start, None if unknown


class TableRecord(msgspec.Struct, frozen=True):
    """The lines of one game's record."""

    lines: tuple[RecordLine, ...] = ()
    clocks_ms: tuple[int, int] | None = None  # left on both clocks at the end, black's first
    fault: Message | None = None  # why it could not be read


def table_record(message: str) -> TableRecord:
    """Return the record in a table's result, as JSON."""
    try:
        record = parse_json(message)
    except ValueError:
        return TableRecord()
    if not isinstance(record, dict):
        return TableRecord()
    notes, start_ns = _notes(record)
    incidents = record.get("incidents")
    from_incidents = (
        [_incident(incident) for incident in incidents if _is_incident(incident)]
        if isinstance(incidents, list)
        else []
    )
    lines = sorted([*from_incidents, *notes], key=lambda line: line.at_ns)
    return TableRecord(tuple(_since(line, start_ns) for line in lines), _clocks_ms(record.get("clocks_ns")))


def _is_incident(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _incident(incident: Mapping[str, Any]) -> RecordLine:
    fields = incident["fields"] if isinstance(incident.get("fields"), dict) else {}
    ruled = incident["type"] == "ruling" and isinstance(incident.get("rule"), str)
    squares = incident["squares"] if isinstance(incident.get("squares"), list) else []
    about = next((fields[name] for name in ("player", "winner", "to") if name in fields), incident.get("by"))
    figures = [_figure(name, value) for name, value in fields.items() if name not in _TOLD_APART]
    refused = (
        _text(incident.get("rule")) or _text(incident.get("input")) if incident["type"] == "refused" else ""
    )
    return RecordLine(
        incident["at_ns"] if isinstance(incident.get("at_ns"), int) else 0,
        "rule" if ruled else "incident",
        incident["rule"] if ruled else incident["type"],
        by=_text(about),
        details=", ".join(filter(None, [refused, " ".join(map(str, squares)), *figures])),
        state=_text(incident.get("state")),
        who=_text(fields.get("who")),
        why=_reason(fields) or refusal_text(incident.get("refusal"), _text(incident.get("why"))),
    )


def _figure(name: str, value: object) -> str:
    """Return a field of an incident as it is shown: a clock that was off is uncertain by so much."""
    return f"± {value / 1e9:g} s" if name == "uncertain_ns" and isinstance(value, int) else f"{name} {value}"


def _reason(fields: Mapping[str, Any]) -> Message | str:
    """Return why a ruling was given: the rule that it took back, or the reason that was typed."""
    undone = _text(fields.get("undoes"))
    return Message.of("undo {rule}", rule=undone) if undone else _text(fields.get("reason"))


def _notes(record: Mapping[str, Any]) -> tuple[list[RecordLine], int | None]:
    """Return the notes of the game file, and the instant of the director's start."""
    try:
        _, inputs = parse_game(unpack_game(PackedFile(record["file"], record["sha256"])))
    except (KeyError, TypeError, Invalid, UnicodeDecodeError):
        return [], None
    notes = [
        RecordLine(
            entered.at_ns, "note", entered.note.text, who=entered.note.who, why=who_text(entered.note.detail)
        )
        for entered in inputs
        if isinstance(entered, Tick) and entered.note is not None
    ]
    return notes, next((entered.at_ns for entered in inputs if isinstance(entered, Start)), None)


def _since(line: RecordLine, start_ns: int | None) -> RecordLine:
    if start_ns is None or line.at_ns < start_ns:
        return line
    return replace(line, at_ms=(line.at_ns - start_ns) // 1_000_000)


def _clocks_ms(clocks: object) -> tuple[int, int] | None:
    if not isinstance(clocks, dict) or not all(
        isinstance(clocks.get(side), int) for side in ("black", "white")
    ):
        return None
    return max(0, clocks["black"]) // 1_000_000, max(0, clocks["white"]) // 1_000_000


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

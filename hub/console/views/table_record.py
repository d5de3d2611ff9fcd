"""A table's record of a game: incidents, rulings with their authors and reasons, and the judge's notes.

Made from the table's result as it arrived; unexpected parts of it are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import msgspec

from hub.console.from_tables import refusal_text, who_text
from link.packed_file import PackedFile, unpack_game
from othello.errors import Invalid
from othello.foreign_text import parse_json
from othello.gamefile import parse_game
from othello.inputs import Start, Tick
from othello.message import Message

_TOLD_APART = frozenset(("who", "reason", "undoes", "player", "winner", "to"))


@dataclass(frozen=True, slots=True)
class RecordLine:
    """One line of the record. `at_ms`: since the director's start, None if unknown.

    `family` and `word` name it in the catalogue ("incident.misflip", "rule.award", "note.judge_takes"); `by` is the
    player concerned, `what` squares and figures, `who` gave a ruling or wrote the note, `why` the reason.
    """

    at_ns: int
    family: str
    word: str
    by: str = ""
    what: str = ""
    state: str = ""
    who: str = ""
    why: Message | str = ""
    at_ms: int | None = None


class TableRecord(msgspec.Struct, frozen=True):
    """The lines of one game's record."""

    lines: tuple[RecordLine, ...] = ()
    clocks_ms: tuple[int, int] | None = None  # left on both clocks at the end, black's first
    fault: Message | None = None  # why it could not be read


def table_record(message: str) -> TableRecord:
    """The record in a table's result, as JSON."""
    try:
        said = parse_json(message)
    except ValueError:
        return TableRecord()
    if not isinstance(said, dict):
        return TableRecord()
    notes, start_ns = _notes(said)
    incidents = said.get("incidents")
    found = [_incident(one) for one in incidents if _is_incident(one)] if isinstance(incidents, list) else []
    lines = sorted([*found, *notes], key=lambda line: line.at_ns)
    return TableRecord(tuple(_since(line, start_ns) for line in lines), _clocks_ms(said.get("clocks_ns")))


def _is_incident(value: object) -> bool:
    return isinstance(value, dict) and isinstance(value.get("type"), str)


def _incident(said: Mapping[str, Any]) -> RecordLine:
    fields = said["fields"] if isinstance(said.get("fields"), dict) else {}
    ruled = said["type"] == "ruling" and isinstance(said.get("rule"), str)
    squares = said["squares"] if isinstance(said.get("squares"), list) else []
    about = next((fields[name] for name in ("player", "winner", "to") if name in fields), said.get("by"))
    figures = [f"{name} {value}" for name, value in fields.items() if name not in _TOLD_APART]
    refused = _text(said.get("rule")) or _text(said.get("input")) if said["type"] == "refused" else ""
    return RecordLine(
        said["at_ns"] if isinstance(said.get("at_ns"), int) else 0,
        "rule" if ruled else "incident",
        said["rule"] if ruled else said["type"],
        by=_text(about),
        what=", ".join(filter(None, [refused, " ".join(map(str, squares)), *figures])),
        state=_text(said.get("state")),
        who=_text(fields.get("who")),
        why=_reason(fields) or refusal_text(said.get("refusal"), _text(said.get("why"))),
    )


def _reason(fields: Mapping[str, Any]) -> Message | str:
    """Return why a ruling was given: the rule that it took back, or the reason that was typed."""
    undone = _text(fields.get("undoes"))
    return Message.of("undo {rule}", rule=undone) if undone else _text(fields.get("reason"))


def _notes(said: Mapping[str, Any]) -> tuple[list[RecordLine], int | None]:
    """The notes of the game file, and the instant of the director's start."""
    try:
        _, inputs = parse_game(unpack_game(PackedFile(said["file"], said["sha256"])))
    except (KeyError, TypeError, Invalid, UnicodeDecodeError):
        return [], None
    notes = [
        RecordLine(one.at_ns, "note", one.note.what, who=one.note.who, why=who_text(one.note.detail))
        for one in inputs
        if isinstance(one, Tick) and one.note is not None
    ]
    return notes, next((one.at_ns for one in inputs if isinstance(one, Start)), None)


def _since(line: RecordLine, start_ns: int | None) -> RecordLine:
    if start_ns is None or line.at_ns < start_ns:
        return line
    return replace(line, at_ms=(line.at_ns - start_ns) // 1_000_000)


def _clocks_ms(said: object) -> tuple[int, int] | None:
    if not isinstance(said, dict) or not all(isinstance(said.get(side), int) for side in ("black", "white")):
        return None
    return max(0, said["black"]) // 1_000_000, max(0, said["white"]) // 1_000_000


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""

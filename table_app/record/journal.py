"""The journal of one game: JSON lines that are only appended, in batches that are whole or missing.

A batch is some lines and then a `durable` line with their checksum, written and synced together. The end of the last
whole batch is therefore the last fact that surely happened, also after a power cut during a write: what follows was
never acted upon and is cut off. A broken batch before a whole one is damage. The game then returns to the state before
it; from what follows only the last position of the board and the hub's receipts are used (`Damage`).

Lines: the game file's header (with `game`, `tournament`), its inputs (a ruling from the hub with its `ruling_id`),
`receipt` lines of the hub, `heard` (a press before its verdict), and `durable`. A batch without lines is a heartbeat.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from flagfall.othello.board import Position
from flagfall.othello.errors import Failed, Invalid
from flagfall.othello.game import Header
from flagfall.othello.gamefile import input_object, parse_header, parse_input
from flagfall.othello.inputs import Input, Press, Shown

if TYPE_CHECKING:
    from flagfall.link.messages import Receipt

Object = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """An input, and the id of the hub's ruling if it is one."""

    input: Input
    ruling_id: str = ""


@dataclass(frozen=True, slots=True)
class Damage:
    """A broken batch before whole ones. `lost_ns`: from the last instant before it to the last one after it; `shown`:
    the last position of the board after it, if there is one."""

    why: str
    lost_ns: int
    shown: Position | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """The content of a journal."""

    game_id: str
    tournament: str
    header: Header
    entries: tuple[JournalEntry, ...]  # accepted inputs, in order
    receipts: tuple[Receipt, ...]
    unjudged: tuple[Press, ...]  # presses recorded without a verdict before the program ended
    last_ns: int  # the last durable instant
    good_bytes: int  # length of the whole batches
    damage: Damage | None = None
    unwritten: bytes = b""  # content after those bytes that is not on the disk (`table_app.record.spare`)


def batch(lines: Iterable[Object], at_ns: int) -> bytes:
    """Return the bytes of one batch; everything up to `at_ns` is in the journal with it."""
    content = b"".join(
        json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" for line in lines
    )
    seal = {"type": "durable", "at_ns": at_ns, "crc": _checksum(content, at_ns)}
    return content + json.dumps(seal, separators=(",", ":")).encode() + b"\n"


def _checksum(content: bytes, at_ns: int) -> str:
    return f"{zlib.crc32(b'%d' % at_ns, zlib.crc32(content)):08x}"


def read(content: bytes) -> Journal | None:
    """Return the journal in the bytes of its file, without torn or damaged parts; None if the header is not whole.

    Raise Failed if nothing of it is whole, Invalid for a whole line that is none of a journal.
    """
    lines: list[tuple[int, Object]] = []
    after: list[Object] = []
    end_ns = 0
    waiting: list[tuple[int, bytes]] = []
    good_bytes = offset = last_ns = 0
    torn_at = 0
    for number, line in enumerate(content.splitlines(keepends=True), 1):
        offset += len(line)
        seal = seal_of(line)
        if seal is None:
            waiting.append((number, line))
            continue
        at_ns, crc = seal
        if crc == _checksum(b"".join(line for _, line in waiting), at_ns):
            whole = [(number, _object(number, line)) for number, line in waiting]
            if torn_at:
                after += [line for _, line in whole]
                end_ns = max(end_ns, at_ns)
            else:
                lines += whole
                good_bytes, last_ns = offset, max(last_ns, at_ns)
        else:
            torn_at = torn_at or (waiting[0][0] if waiting else number)
        waiting = []
    why = f"line {torn_at}: damaged, and not by a power cut: later lines are whole" if end_ns else ""
    if not lines:
        if why:
            raise Failed(why)
        return None
    journal = _journal(lines, last_ns, good_bytes)
    return _with_damage(journal, why, end_ns, after) if why else journal


def _with_damage(journal: Journal, why: str, end_ns: int, after: list[Object]) -> Journal:
    shown, receipts = None, list(journal.receipts)
    for line in after:
        if line.get("type") == "receipt":
            receipts.append(_receipt(line))
        elif line.get("type") == "position":
            with suppress(Invalid):
                input = parse_input(line)
                shown = input.position if isinstance(input, Shown) else shown
    damage = Damage(why, max(0, end_ns - journal.last_ns), shown)
    return replace(journal, receipts=tuple(receipts), damage=damage)


def seal_of(line: bytes) -> tuple[int, str] | None:
    """Instant and checksum of a `durable` line; None for any other line."""
    if b'"durable"' not in line or not line.endswith(b"\n"):
        return None
    try:
        seal = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(seal, dict) or seal.get("type") != "durable":
        return None
    at_ns, crc = seal.get("at_ns"), seal.get("crc")
    if isinstance(at_ns, int) and at_ns >= 0 and isinstance(crc, str):
        return at_ns, crc
    return None


def _object(number: int, line: bytes) -> Object:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Invalid(f"line {number}", "a JSON object")
    return value


def _journal(lines: list[tuple[int, Object]], last_ns: int, good_bytes: int) -> Journal:
    entries: list[JournalEntry] = []
    receipts: list[Receipt] = []
    unjudged: list[Press] = []
    (number, first), *rest = lines
    try:
        header = parse_header(first)
        for number, line in rest:  # noqa: B007 (the number is for the error below)
            if line.get("type") == "receipt":
                receipts.append(_receipt(line))
            elif line.get("type") == "heard":
                press = parse_input({**line, "type": "press"})
                if isinstance(press, Press):
                    unjudged.append(press)
            else:
                entry = JournalEntry(parse_input(line), str(line.get("ruling_id", "")))
                entries.append(entry)
                unjudged = _without_judged(unjudged, entry.input)
    except Invalid as error:
        raise error.of(f"line {number}") from None
    return Journal(
        game_id=str(first.get("game", "")),
        tournament=str(first.get("tournament", "")),
        header=header,
        entries=tuple(entries),
        receipts=tuple(receipts),
        unjudged=tuple(unjudged),
        last_ns=max(
            [last_ns, *(entry.input.at_ns for entry in entries), *(press.at_ns for press in unjudged)]
        ),
        good_bytes=good_bytes,
    )


def _without_judged(unjudged: list[Press], judged: Input) -> list[Press]:
    """Return the presses that are still without a verdict. The verdict on a player's press is that on their
    first recorded one."""
    if isinstance(judged, Press):
        for index, press in enumerate(unjudged):
            if press.by is judged.by:
                return unjudged[:index] + unjudged[index + 1 :]
    return unjudged


def _receipt(line: Object) -> Receipt:
    from flagfall.link.messages import (
        Receipt,  # a game file has no receipts, and `replay` needs nothing of the link
    )

    return Receipt(
        id=str(line.get("id", "")),
        accepted=bool(line.get("accepted")),
        head=str(line.get("head", "")),
        why=str(line.get("why", "")),
    )


def input_line(input: Input, ruling_id: str = "") -> Object:
    line = input_object(input)
    return line | {"ruling_id": ruling_id} if ruling_id else line


def heard_object(press: Press) -> Object:
    return input_object(press) | {"type": "heard"}


def receipt_object(receipt: Receipt) -> Object:
    fields = {name: getattr(receipt, name) for name in ("id", "accepted", "head", "why")}
    return {"type": "receipt"} | fields

"""The state directory, which keeps a device's data over restarts and admits one program at a time.

table.json        what it is to play, and whether sides are swapped
games/ID.jsonl    journals (`table_app.record.journal`)
outbox.sqlite     results without a receipt (`table_app.hub_link.outbox`)
identity          name, key and token (`flagfall.link.identity`)
alive             until when it was, while the disk takes nothing (`table_app.record.spare`)
lock              held while a program runs
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import IO, Any

import msgspec
from msgspec import Struct

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import Message
from flagfall.base.private_file import write_private
from flagfall.base.trouble import trouble
from flagfall.othello.colour_choice import ColourChoice
from flagfall.othello.gamefile import header_object, parse_header
from table_app.record.journal import Journal, read, seal_of
from table_app.record.spare import AliveMark, Spare
from table_app.table_assignment import TableAssignment

ASSIGNMENT = "table.json"
_TAIL_BYTES = 1 << 16
_SAFE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,63}")


class KeptTable(Struct, frozen=True):
    """The kept assignment of a table."""

    assigned: TableAssignment | None = None
    swapped: bool | None = None
    damage: tuple[Message, ...] = ()  # files that could not be read, and where they lie now


class _TableFile(Struct, frozen=True):
    """The fields of `table.json`."""

    seq: int
    tournament: str
    game: str
    seat: int
    header: dict[str, Any] | None
    swapped: bool
    choice: ColourChoice | None = None
    chosen: bool = False
    scored: bool = False
    hub_host: str = ""
    page: str = ""


class StateDirectory:
    def __init__(self, path: Path, spare: Spare | None = None) -> None:
        """Name the files in `path`. `spare` holds what the previous program could not write to the disk."""
        self.path = path
        self.spare = spare or Spare(None)
        self.alive = AliveMark(path / "alive")
        self.assignment_path = path / ASSIGNMENT
        self.outbox_path = path / "outbox.sqlite"
        self.identity_path = path / "identity"
        self._lock: IO[str] | None = None

    def open(self) -> None:
        """Create what is missing and take the lock; Failed if another program has it."""
        try:
            (self.path / "games").mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = (self.path / "lock").open("a+", encoding="ascii")
        except OSError as failure:
            raise Failed(f"{self.path}: cannot be used: {failure.strerror}") from None
        if not _locked(self._lock):
            self._lock.close()
            raise Failed(f"{self.path}: another flagfall-table already runs with this state directory")
        self.alive.make()

    def close(self) -> None:
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def journal_path(self, game_id: str) -> Path:
        name = game_id
        if not _SAFE_NAME.fullmatch(game_id):
            name = "_" + hashlib.sha256(game_id.encode()).hexdigest()[:32]
        return self.path / "games" / f"{name}.jsonl"

    def kept(self) -> KeptTable:
        """Return the last assignment; an unreadable file is moved aside, since the hub sends the assignment again."""
        try:
            content = self.assignment_path.read_bytes()
        except FileNotFoundError:
            return KeptTable()
        except OSError as failure:
            return KeptTable(damage=(_unreadable(self.assignment_path, failure),))
        try:
            kept = msgspec.json.decode(content, type=_TableFile)
            assigned = TableAssignment(
                kept.seq,
                kept.tournament,
                kept.game,
                seat=kept.seat,
                header=None if kept.header is None else parse_header(kept.header),
                choice=kept.choice,
                chosen=kept.chosen,
                scored=kept.scored,
                hub_host=kept.hub_host,
                page=kept.page,
            )
            return KeptTable(assigned, kept.swapped)
        except (ValueError, RecursionError, Invalid):
            return KeptTable(damage=(_laid_aside(self.assignment_path, "no assignment"),))

    def kept_page(self) -> str | None:
        """Return the address of the event's page in the last assignment; None without one. Leave the file as it is."""
        try:
            return msgspec.json.decode(self.assignment_path.read_bytes(), type=_TableFile).page
        except (OSError, ValueError, RecursionError):
            return None

    def assignment_bytes(self, assigned: TableAssignment, swapped: bool) -> bytes:
        kept = _TableFile(
            seq=assigned.seq,
            tournament=assigned.tournament,
            game=assigned.game_id,
            seat=assigned.seat,
            header=None if assigned.header is None else header_object(assigned.header),
            swapped=swapped,
            choice=assigned.choice,
            chosen=assigned.chosen,
            scored=assigned.scored,
            hub_host=assigned.hub_host,
            page=assigned.page,
        )
        return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"

    def journal(self, game_id: str) -> tuple[Journal | None, Message | None]:
        """Return the journal of a game, None if there is none, and the damage in it.

        A damaged file is moved aside whole; its usable part takes its place.
        """
        path = self.journal_path(game_id)
        kept = self.spare.kept(path.name)
        try:
            content = path.read_bytes() if kept is None or path.exists() else b""
            journal = read(content)
            if kept is not None and 0 <= kept[0] <= len(content):
                journal = _with_spare(journal, content, *kept)
            if journal is None or journal.damage is None:
                return journal, None
            trouble = _laid_aside(path, journal.damage.why)
            write_private(path, content[: journal.good_bytes])
            return journal, trouble
        except FileNotFoundError:
            return None, None
        except OSError as failure:
            return None, _unreadable(path, failure)
        except (Invalid, Failed) as error:
            return None, _laid_aside(path, str(error))

    def last_instant_ns(self) -> int:
        """Return the last instant of all journals or of the alive mark, from which the table's count continues."""
        kept = [self.spare.kept(name) for name in self.spare.names()]
        aside = [_last_seal_in(content[1]) for content in kept if content is not None]
        on_disk = [_last_seal_ns(path) for path in (self.path / "games").glob("*.jsonl")]
        return max([self.alive.at_ns(), *aside, *on_disk])


def _unreadable(path: Path, failure: OSError) -> Message:
    return trouble("unreadable", file=path.name, why=failure.strerror or str(failure))


def _laid_aside(path: Path, why: str) -> Message:
    others = (path.with_name(f"{path.name}.damaged{number}") for number in count(1))
    other = next(place for place in others if not place.exists())
    path.replace(other)
    return trouble("damaged", file=path.name, kept=other.name, why=why)


def _last_seal_ns(path: Path) -> int:
    """Return the instant of the last whole `durable` line near the end of a journal, 0 if none can be read."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - _TAIL_BYTES))
            tail = file.read()
    except OSError:
        return 0
    return _last_seal_in(tail)


def _last_seal_in(content: bytes) -> int:
    instants = [seal[0] for line in content.splitlines(keepends=True) if (seal := seal_of(line)) is not None]
    return max(instants, default=0)


def _with_spare(journal: Journal | None, content: bytes, offset: int, kept: bytes) -> Journal | None:
    """Return the journal with the spare content after its first `offset` bytes, if that is longer than the file."""
    try:
        other = read(content[:offset] + kept)
    except (Invalid, Failed):
        return journal
    if (
        other is None
        or other.damage is not None
        or (journal is not None and journal.last_ns >= other.last_ns)
    ):
        return journal
    rest = (content[:offset] + kept)[offset : other.good_bytes]
    return replace(other, good_bytes=offset, unwritten=rest)


def _locked(file: IO[str]) -> bool:
    """Take a lock that the system releases when the program ends."""
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    # The holder's name is only for people: a full disk must not keep a table from starting.
    with suppress(OSError):
        os.ftruncate(file.fileno(), 0)
        os.write(file.fileno(), f"{os.getpid()}\n".encode())
    return True

"""The journal of one game, JSON lines in batches that are whole or missing, and the thread that writes it.

A batch is some lines and then a `durable` line with their checksum, written and synced together. The end of the last
whole batch is therefore the last fact that surely happened, also after a power cut during a write: what follows was
never acted upon and is cut off. A broken batch before a whole one is damage. The game then returns to the state before
it; from what follows only the last position of the board and the hub's receipts are used (`Damage`).

Lines: the game file's header (with `game`, `tournament`), its inputs (a ruling from the hub with its `ruling_id`),
`receipt` lines of the hub, `heard` (a press before its verdict), and `durable`. A batch without lines is a heartbeat.

Nobody waits for the writer. What may leave the device only after the sync is passed to it as a callback.
"""

from __future__ import annotations

import errno
import json
import os
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from flagfall.base.errors import Failed, Invalid
from flagfall.base.message import Message
from flagfall.base.private_file import sync_folder, write_private
from flagfall.base.trouble import trouble
from flagfall.othello.board import Position
from flagfall.othello.game import Header
from flagfall.othello.gamefile import input_object, parse_header, parse_input
from flagfall.othello.inputs import Input, Press, Shown
from table_app.record.spare import AliveMark, Spare

if TYPE_CHECKING:
    from flagfall.link.messages import Receipt

# With a heartbeat at most this late, at most a second of the spare content is lost.
RETRY_S = 0.25

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


class SyncedDisk:
    """Durable storage. Both methods raise OSError, and then the bytes after `offset` are undefined."""

    def write(self, path: Path, offset: int, content: bytes) -> None:
        """Durably makes `content` the rest of the file from `offset` on."""
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            # The remains of a failed or torn write are removed first.
            os.ftruncate(descriptor, offset)
            os.lseek(descriptor, offset, os.SEEK_SET)
            rest = memoryview(content)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if offset == 0:
            sync_folder(path.parent)

    def replace(self, path: Path, content: bytes) -> None:
        """Durably replaces the whole file; after a failure it has the old or the new content."""
        write_private(path, content)


@dataclass(slots=True)
class _Batch:
    path: Path
    at_ns: int
    lines: list[Object] = field(default_factory=list)
    new: bool = False
    before: bytes = b""  # the content of earlier batches, which stands before these lines


class _Whole(Struct, frozen=True):
    path: Path
    content: bytes


_Job = _Batch | _Whole | Callable[[], None]


class JournalWriter:
    """The thread that writes and syncs the journals and small files of the state directory.

    `trouble` is called with why the disk fails, None when it works again; it and the callbacks run in that thread.
    """

    def __init__(
        self,
        disk: SyncedDisk,
        trouble: Callable[[Message | None], None],
        spare: Spare | None = None,
        alive: AliveMark | None = None,
    ) -> None:
        """Prepare to write. `spare` keeps content that the disk does not take, `alive` the instant up to
        which it is kept."""
        self._disk = disk
        self._spare = spare or Spare(None)
        self._alive = alive
        self._spared = set(self._spare.names())
        self._trouble = trouble
        self._jobs: deque[_Job] = deque()
        self._changed = threading.Condition()
        self._closing = False
        self._failing = False
        self._ends: dict[Path, int] = {}
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def resume(self, path: Path, good_bytes: int, unwritten: bytes = b"", last_ns: int = 0) -> None:
        """Continue an existing journal; to be called before anything is appended to it. `unwritten`: what follows
        those bytes, up to `last_ns`, and is not on the disk."""
        self._ends[path] = good_bytes
        if unwritten:
            self.after_durable(_Batch(path, last_ns, before=unwritten))

    def begin(self, path: Path, header: Object, at_ns: int) -> None:
        """Begin a new journal with its first line; an existing one of that name is overwritten."""
        self.after_durable(_Batch(path, at_ns, [header], new=True))

    def append(self, path: Path, lines: list[Object], at_ns: int) -> None:
        """Append lines to a journal (none: a heartbeat); everything up to `at_ns` is recorded with them."""
        self.after_durable(_Batch(path, at_ns, lines))

    def replace(self, path: Path, content: bytes) -> None:
        """Replace a small file."""
        self.after_durable(_Whole(path, content))

    def after_durable(self, job: _Job) -> None:
        """Have a job done once everything given before is on disk: a callback, or more to be written."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify()

    def close(self) -> None:
        """Write the rest, if the disk allows it."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join(timeout=5.0)

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._jobs and not self._closing:
                    self._changed.wait()
                if not self._jobs:
                    return
                job = self._jobs.popleft()
                if isinstance(job, _Batch):
                    self._join(job)
            if not self._do(job) and self._closing:
                return

    def _join(self, job: _Batch) -> None:
        """Join the waiting jobs for this journal and put callbacks after it, so that one sync serves all."""
        later: list[_Job] = []
        while self._jobs:
            following = self._jobs[0]
            if isinstance(following, _Batch) and following.path == job.path and not following.new:
                job.lines += following.lines
                job.at_ns = max(job.at_ns, following.at_ns)
            elif callable(following):
                later.append(following)
            else:
                break
            self._jobs.popleft()
        self._jobs.extendleft(reversed(later))

    def _do(self, job: _Job) -> bool:
        """Do a job, again and again until the disk takes it. Return False if the program ends before that."""
        if not isinstance(job, (_Batch, _Whole)):
            job()
            return True
        while True:
            try:
                if isinstance(job, _Whole):
                    self._disk.replace(job.path, job.content)
                else:
                    offset = 0 if job.new else self._ends[job.path]
                    content = job.before + batch(job.lines, job.at_ns)
                    self._disk.write(job.path, offset, content)
                    self._ends[job.path] = offset + len(content)
            except OSError as failure:
                self._failing = True
                self._trouble(of_disk(job.path.name, failure))
                self._keep_aside(job)
                with self._changed:
                    if self._closing:
                        return False
                    self._changed.wait_for(lambda: self._closing, timeout=RETRY_S)
            else:
                if self._failing:
                    self._failing = False
                    self._trouble(None)
                if isinstance(job, _Batch) and job.path.name in self._spared:
                    self._spared.discard(job.path.name)
                    self._spare.forget(job.path.name)
                return True

    def _keep_aside(self, job: _Batch | _Whole) -> None:
        """Keep everything that waits in the spare memory, each journal from its end on disk."""
        kept: dict[Path, tuple[int, bytes]] = {}
        alive_ns = 0
        with self._changed:
            for waiting in (job, *self._jobs):
                if not isinstance(waiting, _Batch):
                    continue
                end = 0 if waiting.new else self._ends.get(waiting.path, 0)
                offset, before = (0, b"") if waiting.new else kept.get(waiting.path, (end, b""))
                kept[waiting.path] = offset, before + waiting.before + batch(waiting.lines, waiting.at_ns)
                alive_ns = max(alive_ns, waiting.at_ns)
        for path, (offset, content) in kept.items():
            self._spared.add(path.name)
            self._spare.keep(path.name, offset, content)
        if alive_ns and self._alive is not None:
            self._alive.put(alive_ns)


def of_disk(file: str, failure: OSError) -> Message:
    """Return why a file could not be written."""
    known = {errno.ENOSPC: "disk_full", errno.EROFS: "disk_read_only"}
    key = known.get(failure.errno or 0, "disk_fails")
    return trouble(key, file=file, why=failure.strerror or str(failure))

"""The writer thread: syncs everything that must not be lost to disk, in the order of events.

Callers never wait. What may leave the device only afterwards is passed as a callback.
"""

from __future__ import annotations

import errno
import os
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import Struct

from flagfall.link.private_file import sync_folder, write_private
from flagfall.link.trouble import trouble
from flagfall.othello.message import Message
from table_app.record.journal import batch
from table_app.record.spare import AliveMark, Spare

# With a heartbeat at most this late, at most a second of the spare content is lost.
RETRY_S = 0.25

Object = Mapping[str, Any]


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
    before: bytes = b""

    def content(self) -> bytes:
        return self.before + batch(self.lines, self.at_ns)


class _Whole(Struct, frozen=True):
    path: Path
    content: bytes


_Job = _Batch | _Whole | Callable[[], None]


class JournalWriter:
    """Owns the journals and small files of the state directory. `trouble` is called with why the disk fails, None when
    it works again; it and the callbacks run in the writer thread."""

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
            if not self._done(job) and self._closing:
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

    def _done(self, job: _Job) -> bool:
        if not isinstance(job, (_Batch, _Whole)):
            job()
            return True
        while True:
            try:
                self._write(job)
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
                return True

    def _write(self, job: _Batch | _Whole) -> None:
        if isinstance(job, _Whole):
            self._disk.replace(job.path, job.content)
            return
        offset = 0 if job.new else self._ends[job.path]
        content = job.content()
        self._disk.write(job.path, offset, content)
        self._ends[job.path] = offset + len(content)
        if job.path.name in self._spared:
            self._spared.discard(job.path.name)
            self._spare.forget(job.path.name)

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
                kept[waiting.path] = offset, before + waiting.content()
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

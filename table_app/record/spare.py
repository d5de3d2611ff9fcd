"""Keeps in memory what the disk does not take; this memory outlives the program, so a killed table resumes where it
was.

A power cut erases it, but not the mark of the instant until which the table was alive. There is one file for each
journal: the length of the part on disk, a line feed, then everything that follows it.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from flagfall.base.private_file import write_private

# Environment variables of systemd that name such a folder.
PLACES = ("RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR")
SHARED_MEMORY = Path("/dev/shm")


def spare_folder(state_dir: Path, environment: Mapping[str, str]) -> Path | None:
    """Return a private folder for this state folder; None if the system has no such memory."""
    named = [Path(environment[name]) for name in PLACES if environment.get(name)]
    for place in (*named, SHARED_MEMORY):
        if place.is_dir() and os.access(place, os.W_OK):
            import hashlib  # a replay reads journals and needs no spare

            return place / f"flagfall-{hashlib.sha256(str(state_dir.resolve()).encode()).hexdigest()[:16]}"
    return None


class Spare:
    """Never raises: without it the record is as if there were no such memory."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder

    def keep(self, name: str, offset: int, content: bytes) -> None:
        """Keep `content`, which follows the first `offset` bytes of the journal `name`."""
        with suppress(OSError):
            if self._folder is not None:
                self._folder.mkdir(mode=0o700, exist_ok=True)
            if self._folder is not None and self._is_ours():
                write_private(self._folder / name, b"%d\n%b" % (offset, content))

    def kept(self, name: str) -> tuple[int, bytes] | None:
        """Return the length of the journal on disk and the content kept for it; None if there is none."""
        try:
            if self._folder is None or not self._is_ours():
                return None
            first, _, content = (self._folder / name).read_bytes().partition(b"\n")
            return int(first), content
        except (OSError, ValueError):
            return None

    def names(self) -> list[str]:
        """Return the names of journals for which something is kept."""
        try:
            return [file.name for file in self._folder.iterdir()] if self._folder and self._is_ours() else []
        except OSError:
            return []

    def forget(self, name: str) -> None:
        """Forget the content of a journal, which is on disk now."""
        with suppress(OSError):
            if self._folder is not None:
                (self._folder / name).unlink(missing_ok=True)
                self._folder.rmdir()  # unless other content is kept there

    def _is_ours(self) -> bool:
        """Return True if the folder belongs to this user: another could write to this table's record."""
        if self._folder is None or self._folder.is_symlink():
            return False
        return self._folder.stat().st_uid == os.geteuid()


_DIGITS = 20


class AliveMark:
    """The instant until which the table was alive, in a file of fixed size: a full disk takes it, and it survives a
    power cut."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def make(self) -> None:
        """Reserve its place on the disk while there is some."""
        with suppress(OSError):
            if not self._path.exists():
                write_private(self._path, self._content(0))

    def put(self, at_ns: int) -> None:
        """Overwrite the mark in place, synced."""
        with suppress(OSError), self._path.open("r+b", buffering=0) as file:
            file.write(self._content(at_ns))
            os.fsync(file.fileno())

    def at_ns(self) -> int:
        """Return the instant of the mark; 0 if nothing is known, or the write was torn."""
        try:
            content = self._path.read_bytes()
            at_ns = int(content[:_DIGITS])
        except (OSError, ValueError):
            return 0
        return at_ns if content == self._content(at_ns) else 0

    def _content(self, at_ns: int) -> bytes:
        digits = b"%0*d" % (_DIGITS, at_ns)
        return b"%b %08x\n" % (digits, zlib.crc32(digits))

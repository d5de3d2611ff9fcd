"""Replaces a file in one step that a power cut does not undo; by default only its owner may read it. And reads one
that may be damaged."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

import msgspec

Of = TypeVar("Of")

# The world list and the list of all pages outside are the largest that are read: a few megabytes.
MOST_BYTES = 64 << 20


def write_private(
    path: Path, content: bytes, owner: tuple[int, int] | None = None, mode: int = 0o600, durable: bool = True
) -> None:
    """Give `path` this `content` and `mode`, durably with its name unless `durable` is false, or raise
    OSError and change nothing. `owner`: user and group of the file, if this program is root."""
    with replacing(path, owner, mode, durable) as file:
        file.write(content)


@contextmanager
def replacing(
    path: Path, owner: tuple[int, int] | None = None, mode: int = 0o600, durable: bool = True
) -> Iterator[BinaryIO]:
    """Yield a new file that replaces `path` at the end of the block, and is removed if the block raises."""
    new = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            if owner is not None:
                os.fchown(descriptor, *owner)
            yield file
            file.flush()
            if durable:
                os.fsync(file.fileno())
        new.replace(path)
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    if durable:
        sync_folder(path.parent)


def is_exposed(path: Path) -> bool:
    """Return True if others than its owner can read it. OSError if there is no such file."""
    return bool(stat.S_IMODE(path.stat().st_mode) & 0o077)


def sync_folder(path: Path) -> None:
    """Make the names in the folder durable."""
    with suppress(PermissionError):  # of a folder that may be written to but not listed
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def read_json(
    path: Path,
    kind: type[Of],
    most_bytes: int = MOST_BYTES,
    report: Callable[[str], None] = lambda fault: None,
) -> Of:
    """Return the JSON of a file as this kind; an empty one where there is no such file, or other content.

    `report` gets one line about a file that is damaged or larger than `most_bytes`.
    """
    try:
        with path.open("rb") as file:
            content = file.read(most_bytes + 1)
        if len(content) > most_bytes:
            report(f"{path.name}: expected {most_bytes} bytes at most")
            return kind()
        return msgspec.json.decode(content, type=kind)
    except FileNotFoundError:
        return kind()
    except OSError as fault:
        report(f"{path.name}: {fault.strerror or fault!r}")
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as fault:
        report(f"{path.name}: expected the content that this program has written: {str(fault)[:200]}")
    return kind()

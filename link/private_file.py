"""A file replaced in one step that a power cut does not undo; only its owner may read it unless it says else."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO


def write_private(
    path: Path, content: bytes, owner: tuple[int, int] | None = None, mode: int = 0o600, durable: bool = True
) -> None:
    """`path` has `content` and `mode` when this returns, durably with its name unless that is not asked for; or
    OSError, and it is as before. `owner`: user and group who get it, where this program is root."""
    with replacing(path, owner, mode, durable) as file:
        file.write(content)


@contextmanager
def replacing(
    path: Path, owner: tuple[int, int] | None = None, mode: int = 0o600, durable: bool = True
) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when the block ends, and goes where it does not end well."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
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


def sync_folder(path: Path) -> None:
    """Makes the names in it durable."""
    # Windows has no such thing as a directory that can be opened and synced.
    with suppress(PermissionError):
        folder = os.open(path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

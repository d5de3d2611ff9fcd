"""A small file replaced in one step that a power cut does not undo; only its owner may read it unless it says else."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path


def write_private(
    path: Path, content: bytes, owner: tuple[int, int] | None = None, mode: int = 0o600
) -> None:
    """`path` has `content` and `mode`, durably with its name when this returns; or OSError, and it is as before.
    `owner`: user and group who get it, where this program is root."""
    new = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            if owner is not None:
                os.fchown(descriptor, *owner)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    # Windows has no such thing as a directory that can be opened and synced.
    with suppress(PermissionError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

"""Files that somebody else has put there, on a stick for example: their names may lead to a pipe, a device or a folder.

A link to `/dev/zero` claims no bytes and has no end, and a pipe that nobody writes to is waited for for ever.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_PART_BYTES = 1 << 20


def open_foreign(path: Path) -> BinaryIO:
    """Open an ordinary file for reading. OSError for anything else, without waiting for it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "expected an ordinary file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_foreign(path: Path, most_bytes: int) -> bytes:
    """Return the content of an ordinary file. More than `most_bytes` are never read, but for one byte that shows it:
    a file may grow while it is read. OSError for anything but a file."""
    with open_foreign(path) as file:
        return read_up_to(file, most_bytes + 1)


def read_up_to(file: BinaryIO, most_bytes: int) -> bytes:
    """Return what the file has, `most_bytes` at most. It takes memory for what is there: one call of `read` would take
    it for the limit."""
    parts: list[bytes] = []
    while most_bytes and (part := file.read(min(most_bytes, _PART_BYTES))):
        parts.append(part)
        most_bytes -= len(part)
    return b"".join(parts)

"""How the pins' and the disk's failures become faults of the device."""

from __future__ import annotations

import errno

from link.trouble import trouble
from othello.errors import FlagfallError
from othello.message import Message, Value


class PinsError(FlagfallError):
    """The pins cannot be reached; one line, with a remedy."""

    def __init__(self, key: str, **values: Value) -> None:
        super().__init__(trouble(key, **values))


def of_disk(file: str, failure: OSError) -> Message:
    """Why a file could not be written."""
    known = {errno.ENOSPC: "disk_full", errno.EROFS: "disk_read_only"}
    key = known.get(failure.errno or 0, "disk_fails")
    return trouble(key, file=file, why=failure.strerror or str(failure))

"""How the pins' and the disk's failures become faults of the device."""

from __future__ import annotations

import errno

from link.trouble import Trouble


class PinsError(Exception):
    """The pins cannot be reached; one line, with a remedy."""

    def __init__(self, key: str, **places: object) -> None:
        self.trouble = Trouble.of(key, **places)
        super().__init__(str(self.trouble).removeprefix("buttons: "))


def of_disk(file: str, failure: OSError) -> Trouble:
    """Why a file could not be written."""
    known = {errno.ENOSPC: "disk_full", errno.EROFS: "disk_read_only"}
    key = known.get(failure.errno or 0, "disk_fails")
    return Trouble.of(key, file=file, why=failure.strerror or str(failure))

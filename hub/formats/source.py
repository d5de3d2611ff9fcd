"""Reads a file named on the command line, with a limit of size."""

from __future__ import annotations

import os
from pathlib import Path

from hub.text import FormatError

LARGEST_BYTES = 32 * 1024 * 1024


def read_source(path: str | os.PathLike[str], largest_bytes: int = LARGEST_BYTES) -> bytes:
    """The whole file; FormatError (without a place) if it cannot be read or is larger than `largest_bytes`."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(largest_bytes + 1)
    except (OSError, ValueError) as fault:
        raise FormatError("", "a readable file", _reason(fault)) from None
    if len(data) > largest_bytes:
        raise FormatError("", f"at most {largest_bytes} bytes", "a larger file")
    return data


def _reason(fault: Exception) -> str:
    if isinstance(fault, OSError) and fault.strerror:
        return fault.strerror.lower()
    return str(fault) or type(fault).__name__

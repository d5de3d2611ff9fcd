"""Names on a stick that lead to something else than a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

# What a name may lead to on a stick with a file system of Linux.
NO_FILES: dict[str, Callable[[Path], object]] = {
    "a device without end": lambda place: place.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a folder": lambda place: place.mkdir(),
    "nothing": lambda place: place.symlink_to("nowhere"),
    "itself": lambda place: place.symlink_to(place.name),
}

"""Which graphics device the display hangs on: its number changes between starts of a Raspberry Pi, its connector not.

/sys/class/drm/card1-HDMI-A-1/status says "connected"; SDL is then told to open card 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

DRM = Path("/sys/class/drm")
_NAME = re.compile(r"card(\d+)-(.+)")


def connected(folder: Path = DRM) -> Iterator[tuple[int, str]]:
    """Number of the device and name of each connector with a display, in the order of their names."""
    for path in sorted(folder.glob("card*-*/status")):
        match = _NAME.fullmatch(path.parent.name)
        try:
            there = path.read_text("ascii").strip() == "connected"
        except (OSError, ValueError):
            continue
        if match is not None and there:
            yield int(match.group(1)), match.group(2)


def device_of(connector: str, folder: Path = DRM) -> int | None:
    """The device of the display at `connector`, "" for the first that is there; None if there is none."""
    return next((number for number, name in connected(folder) if connector in ("", name)), None)

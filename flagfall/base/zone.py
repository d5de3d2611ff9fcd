"""Time zones of IANA by name, as `Europe/Paris`: of an event, and of a card."""

from __future__ import annotations

import datetime
import re
from functools import cache
from zoneinfo import ZoneInfo

ZONE_EXPECTED = "a time zone such as Europe/Paris or Asia/Tokyo"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+){0,3}")
_LONGEST_NAME = 64


def is_zone_name(text: str) -> bool:
    """Return whether a text has the form of a zone's name."""
    return len(text) <= _LONGEST_NAME and _NAME.fullmatch(text) is not None


@cache
def zone_of(name: str) -> datetime.tzinfo | None:
    """Return the zone of this name; None if this machine knows none."""
    if not is_zone_name(name):
        return None
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # OSError: a folder of zones, as "Europe"
        return None

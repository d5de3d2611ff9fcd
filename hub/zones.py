"""The time of day at an event: its time zone, and the times that people type there.

Zones are those of IANA by name (`Europe/Paris`). A zone that this machine does not know, as a newer one in a file from
elsewhere, counts as the hub's own: the record never depends on what a machine knows of zones.
"""

from __future__ import annotations

import datetime
import os
import re
import unicodedata
from functools import cache
from pathlib import Path
from zoneinfo import available_timezones

from flagfall.base.zone import zone_of
from hub.text import Refused

_LOCAL = Path("/etc/localtime")
# A typed time that is past by more is meant for tomorrow.
FORGOTTEN = datetime.timedelta(hours=1)


@cache
def zone_names() -> tuple[str, ...]:
    """Return the names to choose from: those of places, and UTC."""
    places = (name for name in available_timezones() if "/" in name)
    return (
        "UTC",
        *sorted(name for name in places if not name.startswith(("Etc/", "SystemV/", "posix/", "right/"))),
    )


@cache
def own_zone_name() -> str:
    """Return the name of the zone that this machine is set to; "" if it has none of IANA's."""
    for name in (
        os.environ.get("TZ", "").removeprefix(":"),
        str(_LOCAL.resolve()).partition("/zoneinfo/")[2],
    ):
        if name and zone_of(name) is not None:
            return name
    return ""


def zone_or_own(name: str) -> datetime.tzinfo:
    """Return the zone of this name; the machine's own if it has none, or an unknown one."""
    return zone_of(name) or zone_of(own_zone_name()) or datetime.UTC


def checked_zone(name: str) -> str:
    """Return the name of a zone that this machine knows. Refused otherwise."""
    if zone_of(name) is None:
        raise Refused(
            "expected a time zone of the list, such as Europe/Paris or Asia/Tokyo, got {said!r}",
            field="time_zone",
            said=name[:80],
        )
    return name


_SEPARATED = re.compile(
    r"(\d{1,2})\s*(?:[:.,h時点]|uhr)\s*(\d{2})(?::00)?\s*(?:分|min\.?|uhr|h)?|(\d{1,2})\s+(\d{2})"
)
_TOGETHER = re.compile(r"(\d{1,2})(\d{2})")
_HOUR = re.compile(r"(\d{1,2})\s*(?:h|時|uhr)(半)?")
_HOUR_OF_HALF = re.compile(r"(\d{1,2})")
_BEFORE_NOON = ("am", "a.m.", "午前")
_AFTER_NOON = ("pm", "p.m.", "午後")


def read_time(text: str) -> datetime.time | None:
    """Return the typed time of day; None if it is none, or could be two.

    14:30, 14.30, 14,30, 14h30, 14 h 30, 14 Uhr 30, 14 30, 1430, 930, 14h, 2:30 pm, 2 p.m., 14時30分, 14時半, 午後2時半,
    in digits of any script. Not read: a bare hour (14), a minute of one digit (14.3), an hour past 23, other seconds
    than 00.
    """
    plain = unicodedata.normalize("NFKC", text).casefold().strip()
    plain = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in plain)
    half, plain = _half_of_day(plain)
    minute = "00"
    if parts := _SEPARATED.fullmatch(plain):
        hour, minute = parts[1] or parts[3], parts[2] or parts[4]
    elif parts := _TOGETHER.fullmatch(plain):
        hour, minute = parts[1], parts[2]
    elif parts := _HOUR.fullmatch(plain):
        hour, minute = parts[1], "30" if parts[2] else "00"
    elif half is not None and (parts := _HOUR_OF_HALF.fullmatch(plain)):
        hour = parts[1]
    else:
        return None
    hours = int(hour)
    if half is not None:
        if not 0 < hours <= 12 and not (hours == 0 and "午" in text):
            return None
        hours = hours % 12 + 12 * half
    try:
        return datetime.time(hours, int(minute))
    except ValueError:
        return None


def _half_of_day(text: str) -> tuple[int | None, str]:
    """Return 0 before noon, 1 after it, None without such a word; and the rest of the text."""
    for half, words in enumerate((_BEFORE_NOON, _AFTER_NOON)):
        for word in words:
            rest = text.removeprefix(word) if "午" in word else text.removesuffix(word)
            if rest != text:
                return half, rest.strip()
    return None, text


def next_instant(time: datetime.time, now: datetime.datetime, zone: datetime.tzinfo) -> datetime.datetime:
    """Return the next instant at which clocks in this zone show `time`, or the last one if that is at most an hour ago.

    Of a time that comes twice in one night, the first that is not over. Refused for a time that the night when clocks
    go forward leaves out.
    """
    today = now.astimezone(zone).date()
    for day in (today - datetime.timedelta(1), today, today + datetime.timedelta(1)):
        typed = datetime.datetime.combine(day, time, zone)
        for instant in (typed, typed.replace(fold=1)):
            if instant.astimezone(datetime.UTC) < now - FORGOTTEN:
                continue
            if not _exists(instant):
                raise Refused(
                    "{said} does not exist on {day}: clocks go forward over it that night",
                    field="starts",
                    said=f"{time:%H:%M}",
                    day=day.isoformat(),
                )
            return instant
    raise AssertionError("the time of tomorrow is to come")


def _exists(typed: datetime.datetime) -> bool:
    """Return whether clocks in its zone ever show this time."""
    back = typed.astimezone(datetime.UTC).astimezone(typed.tzinfo)
    return back.replace(tzinfo=None, fold=0) == typed.replace(tzinfo=None, fold=0)


def comes_twice(instant: datetime.datetime) -> bool:
    """Return whether clocks in its zone show this time a second time that night."""
    return instant.utcoffset() != instant.replace(fold=1 - instant.fold).utcoffset() and _exists(instant)


def clock_text(instant: datetime.datetime, zone: datetime.tzinfo) -> str:
    """Return hours and minutes there; of a time that comes twice with its offset."""
    local = instant.astimezone(zone)
    return f"{local:%H:%M}" + (f" (UTC{_offset(local)})" if comes_twice(local) else "")


def _offset(local: datetime.datetime) -> str:
    text = f"{local:%z}"
    return f"{text[:3]}:{text[3:5]}"

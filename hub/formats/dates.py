"""Dates as people write them (24/10/2013, 24-26.10.13, 2013-10-24, October 24th, 2013, 24 octobre 2013)."""

from __future__ import annotations

import datetime
import re
import unicodedata
from collections.abc import Iterable
from enum import StrEnum

_MONTHS = (
    ("jan", "gen", "ene", "tammi", "led", "sty"),
    ("feb", "fev", "helmi", "uno", "lut"),
    ("mar", "mrt", "maal", "brez"),
    ("apr", "avr", "abr", "huhti", "dub", "kwi"),
    ("may", "mai", "maj", "mei", "mag", "touko", "kve"),
    ("jun", "juin", "giu", "kesa", "cerven", "cze"),
    ("jul", "juil", "lug", "heina", "cervenec", "lip"),
    ("aug", "aou", "ago", "elo", "srp", "sie"),
    ("sep", "set", "syys", "zar", "wrz"),
    ("oct", "okt", "ott", "out", "loka", "rij", "paz"),
    ("nov", "marras", "lis"),
    ("dec", "dez", "des", "dic", "joulu", "pro", "gru"),
)
_YEAR_FIRST = re.compile(r"(?<![\d/.\-])(\d{4})\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_DAY_FIRST = re.compile(r"(?<!\d)(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{4}|\d{2})(?!\d)")
_DAYS_BEFORE = re.compile(
    r"(\d{1,2})(?:\s*[/.]\s*(\d{1,2}))?\s*[/.]?\s*(?:-|–|&|\+|and|et|und|to|au)\s*$", re.IGNORECASE
)
_PACKED = re.compile(r"(?<!\d)((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_WORD = re.compile(r"[^\W\d_]{3,12}")
_TIME = re.compile(r"[T\s]+\d{1,2}:\d\d(?::\d\d(?:\.\d+)?)?Z?(?:\s*[ap]\.?m\.?)?\Z", re.IGNORECASE)
_TWO_WAYS = re.compile(r"(\d{1,2})\s*([-/. ])\s*(\d{1,2})\s*\2\s*(\d{4})\.?", re.ASCII)
_ONE_WAY = re.compile(
    r"(\d{4})\s*[-/.年 ]\s*(\d{1,2})\s*[-/.月 ]\s*(\d{1,2})[日.]?|(\d{4})(\d\d)(\d\d)", re.ASCII
)


class DayOrder(StrEnum):
    """The order of day and month in the dates of a column, from all of its cells together."""

    DAY_FIRST = "day"
    MONTH_FIRST = "month"
    EITHER = "either"  # no cell decides it, or cells contradict each other: a person must say it
    PLAIN = ""  # in no date the order matters


def order_of_days(cells: Iterable[str]) -> DayOrder:
    """Return the one order that the dates of a column have: 12/25/2010 makes all of them month first.

    Dots stand behind days and months in no country that writes the month first.
    """
    orders = set()
    for cell in cells:
        match = _TWO_WAYS.fullmatch(_TIME.sub("", cell.strip()))
        if match is None or match[1] == match[3]:
            continue
        first, second = int(match[1]), int(match[3])
        if second > 12 >= first:
            orders.add(DayOrder.MONTH_FIRST)
        elif first > 12 >= second:
            orders.add(DayOrder.DAY_FIRST)
        elif first <= 12:
            orders.add(DayOrder.PLAIN if match[2] == "." else DayOrder.EITHER)
    certain = orders & {DayOrder.DAY_FIRST, DayOrder.MONTH_FIRST}
    if len(certain) == 1:
        return certain.pop()
    if certain or DayOrder.EITHER in orders:
        return DayOrder.EITHER
    return DayOrder.DAY_FIRST if orders else DayOrder.PLAIN


def written_day(text: str, order: DayOrder) -> str | None:
    """Return the one day as YYYY-MM-DD, or None for another text or one whose order would have to be guessed."""
    text = _TIME.sub("", text.strip()[:60])
    if match := _ONE_WAY.fullmatch(text):
        day_of_text = _certain(match[1] or match[4], match[2] or match[5], match[3] or match[6])
    elif match := _TWO_WAYS.fullmatch(text):
        first, second = match[1], match[3]
        if order is DayOrder.EITHER and first != second:
            return None
        month, day = (first, second) if order is DayOrder.MONTH_FIRST else (second, first)
        day_of_text = _certain(match[4], month, day)
    else:
        named = _with_month_names(text)
        day_of_text = named[0] if len(named) == 1 else None
    return day_of_text.isoformat() if day_of_text is not None else None


def _certain(year: str, month: str, day: str) -> datetime.date | None:
    try:
        return datetime.date(int(year), int(month), int(day))
    except ValueError:
        return None


def written_days(text: str) -> tuple[str | None, str | None]:
    """Return (first day, last day or None) as YYYY-MM-DD, or (None, None) without a certain day. The day comes before
    the month."""
    text = text[:100]
    days = [_day(m[1], m[2], m[3]) for m in _YEAR_FIRST.finditer(text)]
    if not days:
        days = [_day(m[4], m[3], m[1]) for m in _DAY_FIRST.finditer(text)]
        if len(days) == 1 and days[0] is not None:
            match = _DAY_FIRST.search(text)
            before = _DAYS_BEFORE.search(text[: match.start()]) if match else None
            if before is not None:
                last = days[0]
                days.insert(0, _day(str(last.year), before[2] or str(last.month), before[1]))
    if not days:
        days = [_day(m[1], m[2], m[3]) for m in _PACKED.finditer(text)]
    if not days:
        days = _with_month_names(text)
    if not days or days[0] is None:
        return None, None
    first, last_day = days[0], days[-1]
    later = last_day is not None and last_day > first
    return first.isoformat(), last_day.isoformat() if later and last_day is not None else None


def _day(year: str, month: str, day: str) -> datetime.date | None:
    """Return the date, or None if there is no such day. A month above 12 means American order."""
    y, m, d = int(year), int(month), int(day)
    if len(year) <= 2:
        y += 1900 if y >= 70 else 2000
    if m > 12 >= d:
        m, d = d, m
    try:
        return datetime.date(y, m, d)
    except ValueError:
        return None


def _with_month_names(text: str) -> list[datetime.date | None]:
    plain = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    months = [m for m in map(_month, _WORD.findall(plain)) if m]
    year = re.search(r"(?<!\d)(19|20)\d\d(?!\d)", plain)
    if not months or year is None:
        return []
    rest = plain[: year.start()] + " " + plain[year.end() :]
    days = re.findall(r"(?<!\d)\d{1,2}(?!\d)", rest)[:2]
    return [_day(year[0], str(months[min(nth, len(months) - 1)]), day) for nth, day in enumerate(days)]


def _month(word: str) -> int | None:
    best = [
        (len(name), number)
        for number, names in enumerate(_MONTHS, start=1)
        for name in names
        if word.startswith(name)
    ]
    return max(best)[1] if best else None

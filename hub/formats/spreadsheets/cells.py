"""The cells of spreadsheets as values of the tournament file; what cannot be read stays the text that it is."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Mapping

from hub.formats.spreadsheets.countries import country_code
from hub.formats.spreadsheets.headings import gender, plain, truth
from hub.formats.written_dates import written_days

_OF_A_NUMBER = re.compile(r"(?<=\d)\.0+\Z")
_THOUSANDS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))|(?<=\A\d)[.,](?=\d{3}\Z)")
_UNRATED = ("-", "--", "–", "—", "?", "n/a", "na", "none", "unrated", "new")
_DAY_0 = datetime.date(1899, 12, 30)
"""From which spreadsheets count days; a number of five digits is a day from 1927 on."""


def listed_number(said: str) -> str:
    """Plain digits, without zeros in front, as a spreadsheet keeps numbers; any other id stays as it is."""
    digits = _OF_A_NUMBER.sub("", plain(said))
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else plain(said)


def whole(said: str) -> int | str:
    digits = _OF_A_NUMBER.sub("", plain(said))
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else said


def _truth(said: str) -> bool | str:
    found = truth(said)
    return said if found is None else found


def _rating(said: str) -> float | str | None:
    figures = plain(said)
    if figures.casefold() in _UNRATED:
        return None
    try:
        rating = float(_THOUSANDS.sub("", figures).replace(",", "."))
    except ValueError:
        return said
    if not math.isfinite(rating) or abs(rating) > 100_000 or "_" in figures:
        return said
    return int(rating) if rating == int(rating) else rating


def _day(said: str) -> str:
    written = plain(said)
    if re.fullmatch(r"[1-5]\d{4}(?:\.0+)?", written, re.ASCII):
        return (_DAY_0 + datetime.timedelta(int(written[:5]))).isoformat()
    return written_days(written)[0] or said


PLAYER_CELLS: Mapping[str, Callable[[str], object]] = {
    "id": listed_number,
    "country": lambda said: country_code(plain(said)),
    "team": plain,
    "gender": gender,
    "born": _day,
    "rating": _rating,
    "past_semifinalist": _truth,
    "additional": _truth,
    "extra_young": _truth,
    "from_round": whole,
    "withdrawn_after": whole,
    "division": plain,
    "categories": str.split,
}
RESULT_CELLS: Mapping[str, Callable[[str], object]] = {
    "round": whole,
    "table": whole,
    "reason": lambda said: plain(said).casefold(),
    "title": plain,
    "stage": plain,
}

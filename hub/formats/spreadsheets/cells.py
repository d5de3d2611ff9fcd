"""The cells of spreadsheets as values of the tournament file. A cell that cannot be read stays text."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable, Mapping

from hub.formats.countries import country_code
from hub.formats.dates import DayOrder, written_day
from hub.formats.names import plain
from hub.formats.spreadsheets.headings import gender, truth

_OF_A_NUMBER = re.compile(r"(?<=\d)\.0+\Z")
_THOUSANDS = re.compile(r"(?<=\d)[\s'’](?=\d{3}(?!\d))|(?<=\A\d)[.,](?=\d{3}\Z)")
_BOTH_MARKS = re.compile(r"(\d{1,3}(?:,\d{3})+)\.(\d+)|(\d{1,3}(?:\.\d{3})+),(\d+)", re.ASCII)
_UNRATED = ("-", "--", "–", "—", "?", "n/a", "na", "none", "unrated", "new")
# Spreadsheets count days from here; a number of five digits is a day from 1927 on.
_DAY_0 = datetime.date(1899, 12, 30)
# Begins a cell whose formula has no result in the file.
FORMULA = "\x1f"
# The result of a formula that fails, in the programs' languages.
ERROR = re.compile(r"#(?:[A-ZÄÖÜÉ/0]{2,8}[!?]?)|Err:\d{3}")
# A long number as a spreadsheet shows it: its last digits are gone.
SHORTENED = re.compile(r"[-+]?\d+(?:[.,]\d+)?[eE][+]?\d+", re.ASCII)


def listed_number(text: str) -> str:
    """Return plain digits without zeros in front, as a spreadsheet keeps numbers. Any other id stays as it is."""
    digits = _OF_A_NUMBER.sub("", plain(text))
    return digits.lstrip("0") or "0" if digits.isascii() and digits.isdigit() else plain(text)


def whole(text: str) -> int | str:
    digits = _OF_A_NUMBER.sub("", plain(text))
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else text


# Rulebooks need no more of a birth: the year decides who is young (`woc-2017` B.2).
YEAR = re.compile(r"(?:19|20)\d\d(?:\.0+)?", re.ASCII)


def _truth(text: str) -> bool | str:
    value = truth(text)
    return text if value is None else value


def _rating(text: str) -> float | str | None:
    figures = plain(text)
    if figures.casefold() in _UNRATED:
        return None
    if match := _BOTH_MARKS.fullmatch(figures):
        figures = f"{re.sub('[.,]', '', match[1] or match[3])}.{match[2] or match[4]}"
    try:
        rating = float(_THOUSANDS.sub("", figures).replace(",", "."))
    except ValueError:
        return text
    if not math.isfinite(rating) or "_" in figures:
        return text
    return int(rating) if rating == int(rating) else rating


def day(text: str, order: DayOrder) -> str:
    """Return a date of birth as YYYY-MM-DD, or the text as it is if its day would have to be guessed."""
    written = plain(text)
    if re.fullmatch(r"[1-5]\d{4}(?:\.0+)?", written, re.ASCII):
        return (_DAY_0 + datetime.timedelta(int(written[:5]))).isoformat()
    if YEAR.fullmatch(written):
        return f"{written[:4]}-01-01"
    return written_day(written, order) or text


PLAYER_CELLS: Mapping[str, Callable[[str], object]] = {
    "id": listed_number,
    "country": lambda text: country_code(text) or plain(text),
    "team": plain,
    "gender": gender,
    "born": lambda text: day(text, DayOrder.EITHER),
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
    "reason": lambda text: plain(text).casefold(),
    "title": plain,
    "stage": plain,
}

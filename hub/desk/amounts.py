"""Amounts as people type them in one line: best first, with blanks between, and any mark for thousands.

`1 000`, `1'000`, `1,000`, `1.000` and `1 000,50` are one amount. A blank also ends an amount, and which it does follows
from the digits: no amount begins with 0, and none is higher than the one before it. What could be read in two ways
otherwise is refused.
"""

from __future__ import annotations

import re
import unicodedata

from hub.text import Refused

# Blanks at which no line breaks, thin ones, and apostrophes never end an amount.
_MARKS = str.maketrans(dict.fromkeys("\u00a0\u202f\u2009\u2007\u2008'’‘ʼ＇´`", "'"))
_ENDS = re.compile(r"[;；、\n]+|[,，](?=\s|$)")
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:'[0-9]{3})+|[0-9]{1,9}")
_MOST_DIGITS = 9


def cents_in(text: str, field: str) -> tuple[int, ...]:
    """Return the amounts of money in hundredths."""
    return _amounts(text, field, 100)


def wholes_in(text: str, field: str) -> tuple[int, ...]:
    """Return the whole amounts."""
    return _amounts(text, field, 1)


def _amounts(text: str, field: str, unit: int) -> tuple[int, ...]:
    plain = "".join(_plain(character) for character in text.translate(_MARKS))
    amounts: list[int] = []
    for part in _ENDS.split(plain):
        words = part.split()
        if words:
            amounts += _best_first(words, amounts[-1:], text, field, unit)
    return tuple(amounts)


def _plain(character: str) -> str:
    """Return a digit or sign of full width as a plain one."""
    digit = unicodedata.decimal(character, None)
    return unicodedata.normalize("NFKC", character) if digit is None else str(digit)


def _best_first(words: list[str], before: list[int], text: str, field: str, unit: int) -> list[int]:
    """Return the amounts of words with blanks between: the reading with the fewest blanks within an amount in which no
    amount is higher than the one before it."""
    # Reached so far: number of blanks within amounts, the amounts.
    readings: dict[int, list[tuple[int, list[int]]]] = {0: [(0, before)]}
    for start in range(len(words)):
        for joined, amounts in readings.get(start, ()):
            for end in range(start + 1, min(len(words), start + 3) + 1):
                amount = _amount("'".join(words[start:end]), unit) if _may_join(words[start:end]) else None
                if amount is not None and (not amounts or amount <= amounts[-1]):
                    reading = (joined + end - start - 1, [*amounts, amount])
                    readings[end] = _fewest([*readings.get(end, ()), reading])
    found = readings.get(len(words), ())
    if found:
        return found[0][1][len(before) :]
    raise _refusal(words, text, field, unit)


def _may_join(words: list[str]) -> bool:
    """Return True if these words may be one amount: two of three digits, as 500 600, are rather in a wrong order."""
    return len(words) == 1 or len(words[0]) < 3 or words[1].startswith("0")


def _fewest(readings: list[tuple[int, list[int]]]) -> list[tuple[int, list[int]]]:
    """Return the readings that may still be the best: for each last amount the one with the fewest blanks within."""
    best: dict[int, tuple[int, list[int]]] = {}
    for reading in sorted(readings, key=lambda reading: reading[0]):
        best.setdefault(reading[1][-1], reading)
    return sorted(best.values(), key=lambda reading: reading[0])


def _amount(word: str, unit: int) -> int | None:
    """Return one amount in units, None if this is none, or could be several."""
    whole, mark, rest = _apart(word)
    digits = whole.replace("'", "")
    if not _GROUPS.fullmatch(whole) or len(digits) > _MOST_DIGITS or (len(digits) > 1 and digits[0] == "0"):
        return None
    if mark and (unit == 1 or not re.fullmatch(r"[0-9]{1,2}", rest)):
        return None
    return unit * int(digits) + (int(rest.ljust(2, "0")) if rest else 0)


def _apart(word: str) -> tuple[str, str, str]:
    """Return the whole part with ' as the mark for thousands, the decimal mark, and what stands behind it.

    The last point or comma is decimal unless three digits follow it, or it stands twice.
    """
    at = max(word.rfind("."), word.rfind(","))
    if at < 0:
        return word, "", ""
    mark, rest = word[at], word[at + 1 :]
    if len(rest) == 3 or word.count(mark) > 1:
        if "." in word and "," in word:
            return "", "", ""  # two marks for thousands
        groups = word.split(mark)
        # Each a whole amount that is not higher than the one before: several without blanks between them.
        if all(len(group) == 3 and group[0] != "0" for group in groups) and groups == sorted(
            groups, reverse=True
        ):
            return "", "", ""
        return word.replace(mark, "'"), "", ""
    return re.sub("[.,]", "'", word[:at]), mark, rest


def _refusal(words: list[str], text: str, field: str, unit: int) -> Refused:
    wrong = next(
        (word for word in words if _amount(word, unit) is None and not re.fullmatch(r"0[0-9]{2}", word)), ""
    )
    if not wrong:
        return Refused(
            "expected the best place's prize first, and none higher after it, got {said!r}",
            field=field,
            said=text.strip()[:60],
        )
    if unit == 1:
        return Refused(
            "expected whole points with blanks between them, such as 10 7 5, got {said!r}",
            field=field,
            said=wrong[:40],
        )
    return Refused(
        "expected amounts with blanks between them, such as 1000 500 100.50, got {said!r}",
        field=field,
        said=wrong[:40],
    )

"""The reader of the bytes of `flagfall-tournament/1`; `hub.form.tournament` reads the fields."""

from __future__ import annotations

import json
import math
from contextlib import suppress

import msgspec

from flagfall.othello.errors import shown
from flagfall.othello.fields import name_twice
from flagfall.othello.foreign_text import check_depth
from hub.form.tournament import tournament_from_json
from hub.model.tournament import Tournament
from hub.text import FormatError

MOST_VALUES = 4_000_000  # each takes memory before it is checked; 10,000 players and 13 rounds need 700,000


def read_tournament(data: bytes) -> Tournament:
    """Return the tournament of a file's bytes. Raise FormatError naming the field (or the line, if it is not JSON)."""
    return tournament_from_json(_decode(data))


def _decode(data: bytes) -> object:
    data = data.removeprefix(b"\xef\xbb\xbf")
    if sum(map(data.count, (b"{", b"[", b","))) > MOST_VALUES:
        raise FormatError("", f"at most {MOST_VALUES} values", "more")
    try:
        check_depth(data)
    except ValueError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    try:
        with suppress(json.JSONDecodeError):  # msgspec reports it with its line
            json.loads(data, object_pairs_hook=_check_pairs, parse_int=str)
        return msgspec.json.decode(data)
    except RecursionError:
        raise FormatError("", "JSON", "too deep a nesting") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        reason, _, place = str(fault).rpartition(" (byte ")
        line = ""
        if place.endswith(")") and place[:-1].isdigit():
            breaks = data.count(b"\n", 0, int(place[:-1]))
            line = f"line {breaks + 1}"
        raise FormatError(line, "JSON", reason.removeprefix("JSON is malformed: ") or str(fault)) from None


def _check_pairs(pairs: list[tuple[str, object]]) -> None:
    if (twice := name_twice(pairs)) is not None:
        raise FormatError(shown(twice), "each name once in an object", "it again")
    for name, value in pairs:
        if any(item in (math.inf, -math.inf) for item in (value if isinstance(value, list) else (value,))):
            raise FormatError(shown(name), "a number that a computer can hold", "a larger one")

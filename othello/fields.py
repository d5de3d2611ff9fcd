"""Fields of one JSON object, taken out by their kind; an error is one line with the field and what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from othello.errors import Invalid, shown
from othello.notation import parse_square
from othello.side import Side

LAST_NS = 2**63 - 1
MOST_EXTRA_MINUTES = 600
LONGEST_REMARK = 200
"""Characters of a reason or of a note."""

Object = Mapping[str, Any]
_E = TypeVar("_E", bound=StrEnum)


def name_twice(pairs: list[tuple[str, object]]) -> str | None:
    """A name that stands twice in a JSON object: one of its values would be lost without a word."""
    if len(dict(pairs)) == len(pairs):
        return None
    return Counter(name for name, _ in pairs).most_common(1)[0][0]


class Fields:
    """Takes typed fields out of one object; `path` stands before their names in errors."""

    def __init__(self, fields: Object, path: str = "") -> None:
        self._fields = fields
        self._path = path

    def __contains__(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def _wrong(self, key: str, expected: str) -> Invalid:
        return Invalid(self._path + key, expected, shown(self._fields.get(key)))

    def text(self, key: str, default: str | None = None) -> str:
        value = self._fields.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "text")
        return value

    def remark(self, key: str) -> str:
        """A line for people to read, "" if there is none."""
        value = self._fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str) or len(value) > LONGEST_REMARK or not value.isprintable():
            raise self._wrong(key, f"one line of at most {LONGEST_REMARK} characters")
        return value

    def one_of(self, key: str, *choices: str) -> str:
        value = self._fields.get(key)
        if not isinstance(value, str) or value not in choices:
            raise self._wrong(key, "one of " + ", ".join(choices))
        return value

    def choice(self, key: str, kind: type[_E]) -> _E:
        return kind(self.one_of(key, *kind))

    def side(self, key: str) -> Side:
        return self.choice(key, Side)

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._fields.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def whole(self, key: str, low: int, high: int) -> int:
        value = self._fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return value

    def number(self, key: str, low: float, high: float, default: float | None = None) -> float:
        value = self._fields.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
            raise self._wrong(key, f"a number from {low:g} to {high:g}")
        return value

    def square(self, key: str) -> int:
        try:
            return parse_square(self.text(key))
        except ValueError:
            raise self._wrong(key, "a square a1..h8") from None

    def sub(self, key: str) -> Fields:
        value = self._fields.get(key, {})
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return Fields(value, f"{self._path}{key}.")

    def at_ns(self) -> int:
        return self.whole("at_ns", 0, LAST_NS)

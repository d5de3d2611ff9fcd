"""Fields of one JSON object, each read as the type that it has; Invalid names the field and what was expected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import ceil, floor
from typing import Annotated, Any

from msgspec import Meta

from flagfall.base.convert import convert, one_of
from flagfall.base.errors import Invalid, shown
from flagfall.base.message import Message

LAST_NS = 2**63 - 1
# Characters of a reason or of a note.
LONGEST_REMARK = 200

Object = Mapping[str, Any]


def name_twice(pairs: list[tuple[str, object]]) -> str | None:
    """Return a name that stands twice in a JSON object: one of its values would be lost silently."""
    if len(dict(pairs)) == len(pairs):
        return None
    return Counter(name for name, _ in pairs).most_common(1)[0][0]


AtNs = Annotated[int, Meta(ge=0, le=LAST_NS)]
_NEEDED = object()


def number_type(least: float, most: float) -> Any:
    """Return the type of a number within these limits, whole or not."""
    whole = Annotated[int, Meta(ge=ceil(least), le=floor(most))]
    return whole | Annotated[float, Meta(ge=least, le=most)]


class Fields:
    """Takes typed fields out of one object; `path` stands before their names in errors."""

    def __init__(self, fields: Object, path: str = "") -> None:
        self._fields = fields
        self._path = path

    def __contains__(self, key: str) -> bool:
        return self._fields.get(key) is not None

    def read(self, key: str, kind: Any, default: Any = _NEEDED) -> Any:
        """Return the field's value, the default if there is no such field."""
        if default is not _NEEDED and key not in self._fields:
            return default
        return convert(self._fields.get(key), kind, path=self._path + key)

    def read_if(self, key: str, kind: Any) -> Any:
        """Return the field's value, None if it is null or there is no such field."""
        return self.read(key, kind) if key in self else None

    def wrong(self, key: str, expected: str | Message) -> Invalid:
        return Invalid(self._path + key, expected, shown(self._fields.get(key)))

    def remark(self, key: str) -> str:
        """Return a line for people to read, "" if there is none."""
        value = self._fields.get(key)
        if value is None:
            return ""
        if not isinstance(value, str) or len(value) > LONGEST_REMARK or not value.isprintable():
            raise self.wrong(key, Message.of("one line of at most {most} characters", most=LONGEST_REMARK))
        return value

    def one_of(self, key: str, *choices: str) -> str:
        value = self._fields.get(key)
        if not isinstance(value, str) or value not in choices:
            raise self.wrong(key, one_of(choices))
        return value

    def sub(self, key: str) -> Fields:
        return Fields(self.read(key, dict, {}), f"{self._path}{key}.")

"""Fields of decoded JSON, each read as the type that it has; FormatError names the path of the field."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from flagfall.othello.convert import convert, one_of
from flagfall.othello.errors import Invalid, shown
from flagfall.othello.fields import number_type
from flagfall.othello.message import N_
from hub.text import FormatError

_Kind = TypeVar("_Kind")
_LARGEST_INT = 1_000_000_000
_NEEDED: Any = object()

LineText = Annotated[str, Meta(max_length=500)]
_ID = N_("an id (text of 1 to 64 printable characters)")
_Id = Annotated[str, Meta(min_length=1, max_length=64, description=_ID)]
Count = Annotated[int, Meta(ge=0, le=_LARGEST_INT)]
# A round or a table, counted from 1.
Number = Annotated[int, Meta(ge=1, le=_LARGEST_INT)]
Rating: Any = Annotated[number_type(-_LARGEST_INT, _LARGEST_INT), Meta(description="a number")]
_Day = Annotated[datetime.date, Meta(description="a date YYYY-MM-DD")]
_Disc = Annotated[int, Meta(ge=0, le=64)]
# Discs; null while the game is being played.
Score = Annotated[tuple[_Disc, _Disc], Meta(description="[black, white] or null")]


class JsonFields:
    """One JSON object at `path`. Fields that were read are remembered: `rest()` returns those that the format does not
    know.

    An optional field that is null counts as absent. Every reader raises FormatError with the field's path.
    """

    def __init__(self, value: object, path: str) -> None:
        if not isinstance(value, dict):
            raise FormatError(path, "an object", shown(value))
        self.path = path
        self._value: dict[str, object] = value
        self._taken: set[str] = set()

    def at(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def rest(self) -> Mapping[str, object]:
        return {name: value for name, value in self._value.items() if name not in self._taken}

    def take(self, name: str) -> object:
        self._taken.add(name)
        return self._value.get(name)

    def declared(self, name: str, kind: Any, default: Any = None) -> Any:
        """Return a value of this type, or the default. A value of another type stays as it is among the unknown ones.

        The default itself stays there too, so that the file says the same when it is written again.
        """
        if name not in self._value:
            return default
        try:
            value = msgspec.convert(self._value[name], kind)
        except msgspec.ValidationError:
            return default
        if value != default:
            self._taken.add(name)
        return value

    def misfits(self, *names: str) -> Mapping[str, object]:
        """Take those of these fields whose value is not of the type that `declared` asked for."""
        here = [name for name in names if name not in self._taken and self._value.get(name) is not None]
        return {name: self.take(name) for name in here}

    def read(self, name: str, kind: Any, default: Any = _NEEDED) -> Any:
        """Return the field's value, or the default if there is no such field."""
        value = self.take(name)
        if value is None and default is not _NEEDED:
            return default
        return read_value(value, kind, self.at(name))

    def identity(self, name: str) -> str:
        return identity(self.take(name), self.at(name))

    def choice(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        value = self.take(name)
        if value is None and default is not None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise FormatError(self.at(name), one_of(choices), shown(value))
        return value

    def day(self, name: str) -> str | None:
        day: datetime.date | None = self.read(name, _Day, None)
        return None if day is None else day.isoformat()

    def items(self, name: str, needed: bool = False) -> list[object]:
        items: list[object] = self.read(name, list[Any], _NEEDED if needed else [])
        return items


def read_value(value: object, kind: type[_Kind], path: str) -> _Kind:
    """Return the value as this type."""
    try:
        return convert(value, kind, path=path)
    except Invalid as fault:
        raise FormatError(fault.field, fault.expected, fault.got) from None


def identity(value: object, path: str) -> str:
    """Return an id."""
    text = read_value(value, _Id, path)
    if not text.strip() or not text.isprintable():
        raise FormatError(path, _ID, shown(value))
    return text

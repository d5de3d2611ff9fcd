"""Reads fields of decoded JSON, each with the path that an error names."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from hub.text import FormatError
from othello.errors import shown
from othello.message import Message

_LONGEST_TEXT = 500
_LARGEST_INT = 1_000_000_000


class JsonFields:
    """One JSON object at `path`. Fields that were read are remembered: `rest()` is what the format does not know.

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
        """Return a value of this type, or the default; a value of another type stays as it is among the unknown ones.

        So does the default itself, that the file says the same when it is written again.
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
        """Take those of these fields that have a value of another type than `declared` has asked for."""
        here = [name for name in names if name not in self._taken and self._value.get(name) is not None]
        return {name: self.take(name) for name in here}

    def needed(self, name: str, expected: str | Message) -> object:
        value = self.take(name)
        if value is None:
            raise FormatError(self.at(name), expected, "null" if name in self._value else "nothing")
        return value

    def text(self, name: str, default: str = "") -> str:
        value = self.take(name)
        return default if value is None else text(value, self.at(name))

    def identity(self, name: str, expected: str = "an id") -> str:
        value = self.needed(name, expected)
        return identity(value, self.at(name))

    def choice(self, name: str, choices: Collection[str], default: str) -> str:
        value = self.take(name)
        if value is None:
            return default
        if not isinstance(value, str) or value not in choices:
            raise FormatError(
                self.at(name),
                Message.of("one of {choices}", choices=", ".join(filter(None, choices))),
                shown(value),
            )
        return value

    def truth(self, name: str) -> bool:
        value = self.take(name)
        if value is None:
            return False
        if not isinstance(value, bool):
            raise FormatError(self.at(name), "true or false", shown(value))
        return value

    def whole(self, name: str, least: int, default: int, most: int = _LARGEST_INT) -> int:
        value = self.take(name)
        return default if value is None else whole(value, self.at(name), least, most)

    def whole_or_none(self, name: str, least: int) -> int | None:
        value = self.take(name)
        return None if value is None else whole(value, self.at(name), least, _LARGEST_INT)

    def number_or_none(self, name: str) -> float | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= _LARGEST_INT:
            raise FormatError(self.at(name), "a number", shown(value))
        return value

    def date_or_none(self, name: str) -> str | None:
        value = self.take(name)
        if value is None:
            return None
        if isinstance(value, str) and len(value) == 10:
            try:
                datetime.date.fromisoformat(value)
            except ValueError:
                pass
            else:
                return value
        raise FormatError(self.at(name), "a date YYYY-MM-DD", shown(value))

    def items(self, name: str, needed: bool = False) -> list[object]:
        value = self.needed(name, "a list") if needed else self.take(name)
        if value is None and not needed:
            return []
        if not isinstance(value, list):
            raise FormatError(self.at(name), "a list", shown(value))
        return value


def text(value: object, path: str) -> str:
    if not isinstance(value, str):
        raise FormatError(path, "a text", shown(value))
    if len(value) > _LONGEST_TEXT:
        raise FormatError(path, Message.of("at most {most} characters", most=_LONGEST_TEXT), f"{len(value)}")
    return value


def identity(value: object, path: str) -> str:
    if not isinstance(value, str) or not value.strip() or not value.isprintable() or len(value) > 64:
        raise FormatError(path, "an id (text of 1 to 64 printable characters)", shown(value))
    return value


def whole(value: object, path: str, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        expected = Message.of("a whole number {least} to {most}", least=least, most=most)
        if most == _LARGEST_INT and not (isinstance(value, int) and value > most):
            expected = Message.of("a whole number from {least}", least=least)
        raise FormatError(path, expected, shown(value))
    return value


def score(value: object, path: str) -> tuple[int, int] | None:
    """[black, white] in discs, each 0 to 64; null while the game is being played."""
    if value is None:
        return None
    if not isinstance(value, list) or len(value) != 2:
        raise FormatError(path, "[black, white] or null", shown(value))
    black, white = value
    return whole(black, f"{path}[0]", 0, 64), whole(white, f"{path}[1]", 0, 64)

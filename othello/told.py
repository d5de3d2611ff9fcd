"""What is told to people: an English text, and the values that a translation of it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self


@dataclass(frozen=True)
class Told:
    """One line; `str()` is its English text. `places` fill the text's braces: sides, states, figures, names, or
    a tuple of lines."""

    TEXTS: ClassVar[Mapping[str, str]]
    """The English text by `key`, one mapping for each kind of line."""

    key: str
    places: tuple[tuple[str, object], ...] = ()

    @classmethod
    def of(cls, key: str, /, **places: object) -> Self:
        return cls(key, tuple(places.items()))

    def __str__(self) -> str:
        return self.TEXTS[self.key].format(**{name: _in_english(value) for name, value in self.places})


def _in_english(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


class LawWarning(Told):
    """One warning of a game."""

    TEXTS: ClassVar[Mapping[str, str]] = MappingProxyType(
        {
            "time_too_short": "{minutes:g} minutes each: {rulebook} never plays with less than {least:g}",
            "resigned_after_default": "{player} resigned after winning by default: the guaranteed score stands, "
            "tell the director",
        }
    )

"""What is told to people: an English text, and the values that a translation of it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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

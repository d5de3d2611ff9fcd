"""What is told to people: an English text, and the values that a translation of it needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import Formatter
from typing import ClassVar, Self

SIDES = {"black": "Black", "white": "White"}

TEXTS = {
    **SIDES,
    "state_waiting": "waiting",
    "state_running": "running",
    "state_stopped": "stopped",
    "state_correcting": "being corrected",
    "state_finished": "finished",
    "state_signed": "signed",
}
"""The words of sides and states in a line that is shown to people, by their keys."""

_LONGEST_PLACE = 80


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

    @classmethod
    def read(cls, said: object) -> Self | None:
        """What `as_object` has made, its places as texts; None for everything else, also a key that is new."""
        match said:
            case {"key": str(key), "places": dict(places)} if key in cls.TEXTS:
                names = {name for _, name, _, _ in Formatter().parse(cls.TEXTS[key]) if name is not None}
                if places.keys() == names and all(map(_is_short, places.values())):
                    return cls(key, tuple(places.items()))
        return None

    def as_object(self) -> dict[str, object]:
        """For a message or a file, beside the English text: the key, and each place as in that text."""
        return {"key": self.key, "places": {name: str(_in_english(value)) for name, value in self.places}}

    def __str__(self) -> str:
        return self.TEXTS[self.key].format(**{name: _in_english(value) for name, value in self.places})


def _in_english(value: object) -> object:
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_PLACE and value.isprintable()


class LawWarning(Told):
    """One warning of a game."""

    TEXTS: ClassVar[Mapping[str, str]] = {
        "time_too_short": "{minutes:g} minutes each: {rulebook} never plays with less than {least:g}",
        "resigned_after_default": "{player} resigned after winning by default: the guaranteed score stands, "
        "tell the director",
    }

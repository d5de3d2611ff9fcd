"""One text for people, translatable: an English template and the values that fill its places.

The English template is also the key in the catalogues (`link/words.py`), which say a message in another language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import ClassVar, Protocol, Self, TypeAlias, cast

import msgspec
from msgspec import UNSET, UnsetType

Plain: TypeAlias = int | float | str
Value: TypeAlias = "Plain | Message | tuple[str | Message, ...]"
Shown: TypeAlias = Callable[[str, Plain], object]
Label: TypeAlias = Callable[[str], str]

_MARK = "\x04"
"""Between context and text, as in gettext's own files."""


def N_(text: str) -> str:
    """Return the text; the mark lets the catalogues have it where it is translated elsewhere."""
    return text


def P_(context: str, text: str) -> str:
    """Return the key of a text with another meaning than the same text elsewhere."""
    return f"{context}{_MARK}{text}"


def without_context(text: str) -> str:
    """Return the English text of a key."""
    return text.rpartition(_MARK)[2]


class Words(Protocol):
    """The texts of one language."""

    def text(self, text: str) -> str:
        """Return the translated template of an English one."""

    def plural(self, one: str, more: str, count: int, /) -> str:
        """Return the translated template for so many."""


class Message(msgspec.Struct, frozen=True):
    """`values` fill the places of `text`: numbers, texts, other messages, or several of these. Without values `text` is
    used as it is."""

    text: str
    values: Mapping[str, Value] = {}
    # The singular form, where `values["count"]` is the number and `text` the plural form.
    one: str | UnsetType = UNSET
    # The path of the field, or the place of a file, that the text is about, if any.
    field: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """ValueError for a place without a value."""
        if self.values and not places_of(self.text) <= self.values.keys():
            raise ValueError(f"expected every place filled, got {self.text!r}")

    @classmethod
    def of(cls, text: str, /, *, field: str = "", **values: Value) -> Message:
        """Return the message with its values by name."""
        return cls(text, values, field=field or UNSET)

    @classmethod
    def plural(cls, one: str, more: str, count: int, /, **values: Value) -> Message:
        """Return the message whose form is chosen by a number; `{count}` is filled in."""
        return cls(more, {"count": count, **values}, one)

    def __str__(self) -> str:
        return say(self, _English())


def say(
    message: Message,
    words: Words,
    shown: Shown = lambda name, value: value,
    label: Label = lambda field: f"{field}: ",
) -> str:
    """Return the message in the language of `words`, the `label` of its field in front.

    `shown` gives what is shown of a value, by the name of its place.
    """

    def filler(name: str, value: Value) -> object:
        if isinstance(value, Message):
            return say(value, words, shown, label)
        if not isinstance(value, tuple):
            return shown(name, value)
        sentences = any(isinstance(part, Message) for part in value)
        joint = words.text(P_("between sentences", "; ")) if sentences else ", "
        return joint.join(str(filler(name, part)) for part in value)

    if message.one is UNSET:
        template = words.text(message.text)
    else:
        template = words.plural(message.one, message.text, cast(int, message.values["count"]))
    if message.values:
        values = {name: filler(name, value) for name, value in message.values.items()}
        template = filled(template, message.text, values)
    return label(message.field) + template if message.field else template


def filled(template: str, english: str, values: Mapping[str, object]) -> str:
    """Return the translated template with its places filled in, the English one if the translation has other places."""
    try:
        return template.format_map(values)
    except (KeyError, IndexError, ValueError, AttributeError):  # an error in a translation must stop no clock
        return without_context(english).format_map(values)


def places_of(template: str) -> set[str]:
    """Return the names of a template's places."""
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


class _English:
    """The language of the sources, which needs no catalogue."""

    def text(self, text: str) -> str:
        return without_context(text)

    def plural(self, one: str, more: str, count: int, /) -> str:
        return one if count == 1 else more


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

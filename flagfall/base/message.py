"""One text for people, translatable: an English template and the values that fill its places.

The English template is also the key in the catalogues (`flagfall/base/words.py`), which say a message in another
language.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from string import Formatter
from typing import Protocol, TypeAlias, cast

import msgspec
from msgspec import UNSET, UnsetType

Plain: TypeAlias = int | float | str
Value: TypeAlias = "Plain | Message | tuple[str | Message, ...]"
Shown: TypeAlias = Callable[[str, Plain], object]
Label: TypeAlias = Callable[[str], str]

# Between context and text, as in gettext's own files.
_MARK = "\x04"
_AS_IT_IS = "{it}"
# Characters of a value that another program sends.
_LONGEST_PLACE = 80


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

    def plural(self, singular: str, more: str, count: int, /) -> str:
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
    # The name by which programs know the message, where it has one.
    key: str | UnsetType = UNSET
    # The clause of the rulebook's text that it follows from, if any; it stands behind the text.
    clause: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """ValueError for a place without a value."""
        if self.values and not places_of(self.text) <= self.values.keys():
            raise ValueError(f"expected every place filled, got {self.text!r}")

    @classmethod
    def of(cls, text: str, /, *, field: str = "", **values: Value) -> Message:
        """Return the message with its values by name."""
        return cls(text, values, field=field or UNSET)

    @classmethod
    def plural(cls, singular: str, more: str, count: int, /, **values: Value) -> Message:
        """Return the message whose form is chosen by a number; `{count}` is filled in."""
        return cls(more, {"count": count, **values}, singular)

    @classmethod
    def keyed(cls, texts: Mapping[str, str], key: str, values: Mapping[str, Value]) -> Message:
        """Return the message that has this key in a table of English texts."""
        return cls(texts[key], values, key=key)

    @classmethod
    def read(cls, texts: Mapping[str, str], value: object) -> Message | None:
        """Return what `as_object` has made, its values as texts; None for anything else, also a key that is new."""
        match value:
            case {"key": str(key), "places": dict(values), **more} if key in texts:
                names = places_of(texts[key])
                if values.keys() == names and all(map(_is_short, values.values())):
                    message, clause = cls.keyed(texts, key, values), more.get("clause")
                    known = isinstance(clause, str) and _is_short(clause)
                    return msgspec.structs.replace(message, clause=clause) if known else message
        return None

    def as_object(self) -> dict[str, object]:
        """Return the key, each value as in the English text, and the clause if there is one, for a message or a file,
        beside that text."""
        names = places_of(self.text)
        shown = {
            name: str(Message(_AS_IT_IS, {"it": it})) for name, it in self.values.items() if name in names
        }
        told: dict[str, object] = {"key": self.key, "places": shown}
        return told if self.clause is UNSET else told | {"clause": self.clause}

    def __str__(self) -> str:
        return say(self, _English())


def say(
    message: Message,
    words: Words,
    shown: Shown = lambda name, value: value,
    label: Label = lambda field: f"{field}: ",
) -> str:
    """Return the message in the language of `words`, the `label` of its field in front.

    `shown` gives what is shown of a value, by the name of its place. A clause follows in parentheses.
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
    if message.clause:
        template = f"{template} ({message.clause})"
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

    def plural(self, singular: str, more: str, count: int, /) -> str:
        return singular if count == 1 else more


def _is_short(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _LONGEST_PLACE and value.isprintable()

"""A translatable message (English template and values, translated by `hub.console.rendering`), exceptions that carry
one, and how they show a value of a file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from string import Formatter
from typing import TypeAlias, cast

import msgspec
from msgspec import UNSET, UnsetType

from link.words import FIRST, N_, Catalogue, words_in
from othello.errors import Invalid, one_line

PEOPLE = frozenset(("player", "players", "other", "black", "white", "high", "low"))
"""Places that hold ids of players: a page shows names there."""
_ENGLISH = words_in(FIRST)
_SHOWN = 60
"""Letters of a value of a file that an error line shows."""

Plain: TypeAlias = int | float | str
Value: TypeAlias = "Plain | Text | tuple[str | Text, ...]"


class Text(msgspec.Struct, frozen=True):
    """`text` is English with {places}; it is also the key in the catalogues. `values` fill the places: numbers, texts,
    other messages, or several of these. Without values `text` is used as it is. `one`: the singular form, if
    `values["count"]` is the number and `text` the plural form."""

    text: str
    values: Mapping[str, Value] = {}
    one: str | UnsetType = UNSET
    # The path of the field, or the place of a file, that the text is about, if any.
    field: str | UnsetType = UNSET

    def __post_init__(self) -> None:
        """ValueError for a place without a value."""
        if self.values:
            places = {name for _, name, _, _ in Formatter().parse(self.text) if name is not None}
            if not places <= self.values.keys():
                raise ValueError(f"expected every place filled, got {self.text!r}")

    def __str__(self) -> str:
        return self.said_in(_ENGLISH, lambda name, value: value)

    def said_in(
        self,
        words: Catalogue,
        shown: Callable[[str, Plain], object],
        label: Callable[[str], str] = lambda field: f"{field}: ",
    ) -> str:
        """Return the text in this language, its field's `label` before it; `shown` gives what is shown of a value, by
        the name of its place."""
        text = self._text_in(words, shown, label)
        return label(self.field) + text if self.field else text

    def _text_in(
        self, words: Catalogue, shown: Callable[[str, Plain], object], label: Callable[[str], str]
    ) -> str:
        if self.one is UNSET:
            said = words.text(self.text)
        else:
            said = words.plural(self.one, self.text, cast(int, self.values["count"]))
        if not self.values:
            return said

        def filled(name: str, value: Value) -> object:
            if isinstance(value, Text):
                return value.said_in(words, shown, label)
            if not isinstance(value, tuple):
                return shown(name, value)
            lines = any(isinstance(one, Text) for one in value)
            joint = words.pgettext("between sentences", "; ") if lines else ", "
            return joint.join(str(filled(name, one)) for one in value)

        return said.format_map({name: filled(name, value) for name, value in self.values.items()})


NO_PAGE = Text("There is no such page.")


def line(text: str, /, *, field: str = "", **values: Value) -> Text:
    return Text(text, values, field=field or UNSET)


def plural(one: str, more: str, count: int, /, **values: Value) -> Text:
    """The form for so many; `{count}` is filled in."""
    return Text(more, {"count": count, **values}, one)


class Fault(ValueError):
    """One translatable `line` with what was expected."""

    def __init__(self, text: str | Text, /, *, field: str = "", **values: Value) -> None:
        self.line = text if isinstance(text, Text) else line(text, field=field, **values)
        super().__init__(one_line(str(self.line)))


class Refused(Fault):
    """A request, or an entry of the ledger, makes no sense where it stands."""


def refused(fault: Invalid, whole: str = "") -> Refused:
    """Return the refusal of a field; `whole` is the name of what was sent, where it is at fault and no field of it."""
    return Refused(Text(fault.sentence, field=fault.place or whole or UNSET))


class UnknownGame(Refused):
    """There is no such tournament or game."""


class FormatError(Refused):
    """`where` is a field path, a line or a byte of the source; the text is one printable line. `expected` is a constant
    text, or a `Text` with values; likewise `got`."""

    def __init__(self, where: str, expected: str | Text, got: str | Text | None = None) -> None:
        self.where = where
        self.expected = expected
        self.got = got
        super().__init__(
            N_("expected {expected}") if got is None else N_("expected {expected}, got {got}"),
            field=where,
            expected=expected if isinstance(expected, Text) else Text(expected),
            **({} if got is None else {"got": got}),
        )


def quoted(text: str) -> str:
    """Return a text of a list between quotation marks, in its own letters, on one line and of a readable length."""
    return f'"{one_line(text[:_SHOWN])}{"…" if len(text) > _SHOWN else ""}"'


def shown(value: object) -> str:
    """A value of a file for an error line: JSON, plain letters, cut to a readable length."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, bytes):
        value = value[:_SHOWN].decode("latin-1")
    if isinstance(value, str):
        value = value[: _SHOWN + 1]
    text = json.dumps(value, ensure_ascii=True, default=repr)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"

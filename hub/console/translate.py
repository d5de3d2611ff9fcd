"""Translates the hub's texts into the reader's language, with players' names for ids.

The English text of a `hub.text.Text` is its key in the catalogues. A text that is in no catalogue stays English.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from hub.event_words import rulebook_name
from hub.text import PEOPLE, Plain, Text
from link.words import Catalogue

_FIELD = re.compile(r"(?:\w+\[\d+\]\.)?([a-z_]+)(?=: )")

_WORDED = frozenset(("title", "stage", "rule", "system", "reason"))
"""Places whose values have texts of their own in the catalogue."""

_FIGURES = frozenset(("count", "seconds"))
"""Places that may hold a decimal fraction as a text."""


def field_of(line: Text) -> str:
    """The form's field with which a line begins, "" without one."""
    found = _FIELD.match(str(line))
    return found[1] if found is not None else ""


class Translator:
    """`name_of` gives a player's name for an id."""

    def __init__(self, words: Catalogue, name_of: Callable[[str], str]) -> None:
        self._words = words
        self._name_of = name_of

    def __call__(self, line: Text | str) -> str:
        """A `str` is a person's own text and stays as it is."""
        if isinstance(line, str):
            return line
        said = line.said_in(self._words, self._shown)
        field = _FIELD.match(said)
        if field is None or not self._words.has(f"field.{field[1]}"):
            return said
        label = self._words.named(f"field.{field[1]}")
        return label + self._words.pgettext("after the name of a field", ": ") + said[field.end() + 2 :]

    def _shown(self, name: str, value: Plain) -> object:
        if not isinstance(value, str):
            return value
        if name in PEOPLE:
            return self._name_of(value)
        if name == "rulebook":
            return rulebook_name(self._words, value)
        if name in _FIGURES:
            return value.replace(".", self._words.pgettext("decimal mark", "."))
        key = f"{name}.{value}"
        return self._words.named(key) if name in _WORDED and self._words.has(key) else value

"""What the hub says of itself, in the reader's language and with people's names.

The folder `lines` holds a catalogue for each language besides English: its keys are the English texts of
`hub.line.Line`, also of those that tables say (`hub.console.heard`). What is in no catalogue is said in English.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from importlib import resources

from hub.line import PEOPLE, Line
from hub.web.words import Words

_FIELD = re.compile(r"(?:\w+\[\d+\]\.)?([a-z_]+)(?=: )")

WORDED = frozenset(("title", "stage", "rule", "system", "reason"))
"""Places whose values the pages' own words name."""

FIGURES = frozenset(("count", "seconds"))
"""Places that may hold a decimal fraction as a text."""

Catalogue = Mapping[str, str]


def catalogues() -> Mapping[str, Catalogue]:
    """By language."""
    files = resources.files("hub.console").joinpath("lines").iterdir()
    return {file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8")) for file in files}


def field_of(line: Line) -> str:
    """The field of a form that a line begins with, "" if it begins with none."""
    found = _FIELD.match(str(line))
    return found[1] if found is not None else ""


class Speech:
    """`catalogue` is that of the reader's language, {} for English; `name_of` gives the name to a player's id."""

    def __init__(self, words: Words, catalogue: Catalogue, name_of: Callable[[str], str]) -> None:
        self._words = words
        self._catalogue = catalogue
        self._name_of = name_of

    def __call__(self, line: Line | str) -> str:
        """A text is somebody's own: it stays as it is."""
        if isinstance(line, str):
            return line
        said = self._said(line)
        field = _FIELD.match(said)
        if field is None or not self._words.has(f"field.{field[1]}"):
            return said
        label = self._words(f"field.{field[1]}")
        return label + self._words("field_joint") + said[field.end() + 2 :]

    def _said(self, line: Line) -> str:
        text = self._catalogue.get(line.text, line.text)
        if not line.values:
            return text
        return text.format_map({name: self._value(name, value) for name, value in line.values.items()})

    def _value(self, name: str, value: object) -> object:
        if isinstance(value, Line):
            return self._said(value)
        if isinstance(value, tuple):
            joint = self._words("line_joint") if any(isinstance(one, Line) for one in value) else ", "
            return joint.join(str(self._value(name, one)) for one in value)
        if not isinstance(value, str):
            return value
        if name in PEOPLE:
            return self._name_of(value)
        if name in FIGURES:
            return value.replace(".", self._words("decimal_mark"))
        key = f"{name}.{value}"
        return self._words(key) if name in WORDED and self._words.has(key) else value

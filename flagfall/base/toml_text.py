"""Writes TOML: settings of a card and a table, a rulebook of one's own. `flagfall.base.foreign_text` reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping


def toml_text(table: Mapping[str, object]) -> str:
    """Return the lines of `table`, whose names are bare keys: its values, then each table in it under a heading. Those
    hold values alone."""
    lines = [f"{key} = {_written(value)}\n" for key, value in table.items() if not isinstance(value, Mapping)]
    for name, inner in table.items():
        if isinstance(inner, Mapping):
            lines.append(f"\n[{name}]\n")
            lines += [f"{key} = {_written(value)}\n" for key, value in inner.items()]
    return "".join(lines)


def toml_value(value: object) -> str:
    """Return a text, a number, a truth value or a list of them as TOML writes it on one line."""
    # JSON's strings, numbers and booleans are valid TOML, except for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _written(value: object) -> str:
    """Return the value on one line, but a text of several lines as such."""
    if (
        isinstance(value, str)
        and "\n" in value
        and "'''" not in value
        and value.replace("\n", "").isprintable()
    ):
        return f"'''\n{value}'''"
    return toml_value(value)

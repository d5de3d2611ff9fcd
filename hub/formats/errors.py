"""What a reader says when a file is not what it should be: one line, with the place and what was expected."""

from __future__ import annotations

import json

from hub.text import Text, line
from link.words import N_

_SHOWN = 60


class FormatError(ValueError):
    """`where` is a field path, a line or a byte of the source; the text is one printable line.

    `expected` is the same words every time, or a `Text` with what changes in its places; likewise `got`.
    """

    def __init__(self, where: str, expected: str | Text, got: str | Text | None = None) -> None:
        self.where = where
        self.expected = expected
        self.got = got
        if where:
            said = (
                N_("{where}: expected {expected}")
                if got is None
                else N_("{where}: expected {expected}, got {got}")
            )
        else:
            said = N_("expected {expected}") if got is None else N_("expected {expected}, got {got}")
        self.line = line(
            said,
            where=where,
            expected=expected if isinstance(expected, Text) else Text(expected),
            **({} if got is None else {"got": got}),
        )
        super().__init__(one_line(str(self.line)))


def shown(value: object) -> str:
    """A value of a file as it may stand in an error line: JSON, plain letters, cut to a readable length."""
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


def one_line(text: str) -> str:
    """`text` with everything that could start a second line, or steer a terminal, shown as ?."""
    return "".join(character if character.isprintable() else "?" for character in text)

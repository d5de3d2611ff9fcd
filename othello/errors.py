"""The base class of Flagfall's exceptions, and the one that names a field which is not as expected."""

from __future__ import annotations

import json

LONGEST_SHOWN = 60  # characters of a value in an error


class FlagfallError(Exception):
    """A refusal or a failure that Flagfall foresees; its text is one line for people."""


class Invalid(FlagfallError, ValueError):
    """A value that is not as expected: "source: field: expected ..., got ..."."""

    def __init__(
        self, field: str, expected: str, got: str | None = None, source: str = "", unknown: str = ""
    ) -> None:
        super().__init__(field, expected, got, source, unknown)
        # The path of the field, as "flag.score[1]"; "" for the whole text or object.
        self.field = field
        self.expected = expected
        # The value as an error shows it; None where it says no more, or is a secret.
        self.got = got
        # The file, line, variable or option that the field stands in.
        self.source = source
        # "field" or "key" where there is none of this name; `expected` then lists those there are.
        self.unknown = unknown

    def __str__(self) -> str:
        return one_line(": ".join(part for part in (self.place, self.sentence) if part))

    @property
    def sentence(self) -> str:
        """The line without its place."""
        unknown = f"unknown {self.unknown}, " if self.unknown else ""
        got = "" if self.got is None else f", got {self.got}"
        return one_line(f"{unknown}expected {self.expected}{got}")

    @property
    def place(self) -> str:
        """The source and the field, "" for the whole of a text."""
        return ": ".join(part for part in (self.source, self.field) if part)

    def of(self, source: object) -> Invalid:
        """Return the same fault with `source` before its place."""
        place = f"{source}: {self.source}" if self.source else str(source)
        return type(self)(self.field, self.expected, self.got, place, self.unknown)


def one_line(text: str) -> str:
    """Return `text` with every character that could begin a second line or control a terminal replaced by ?."""
    return "".join(character if character.isprintable() else "?" for character in text)


def shown(value: object) -> str:
    """Return a value as an error shows it: JSON on one line, at most LONGEST_SHOWN characters."""
    if value is None:
        return "nothing"
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    text = one_line(text)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"

"""The exceptions that every room shares: their base class, a value that is not as expected, and a part that fails."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from flagfall.base.message import Message, Value

LONGEST_SHOWN = 60  # characters of a value in an error
_MOST_SHOWN = 8  # values of a list in an error


class FlagfallError(Exception):
    """A refusal or a failure that Flagfall foresees; `message` is one line for people."""

    def __init__(self, text: str | Message, /, *, field: str = "", **values: Value) -> None:
        from flagfall.base.message import Message  # with msgspec, for which a command's help does not wait

        self.message = text if isinstance(text, Message) else Message.of(text, field=field, **values)
        super().__init__(one_line(str(self.message)))

    def __reduce__(self) -> tuple[object, ...]:
        """Let the error come out of a child process as it is, whatever its constructor takes."""
        return _restored, (type(self), self.args, self.__dict__)


def _restored(kind: type[FlagfallError], args: tuple[object, ...], state: dict[str, object]) -> FlagfallError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(state)
    return error


class Failed(FlagfallError):
    """A file, device, program or server that does not do its part: "place: what happened"."""


class Invalid(FlagfallError, ValueError):
    """A value that is not as expected: "source: field: expected ..., got ..."."""

    def __init__(
        self,
        field: str,
        expected: str | Message,
        got: str | Message | None = None,
        source: str = "",
        unknown: str = "",
    ) -> None:
        from flagfall.base.message import N_, Message

        # The path of the field, as "flag.score[1]"; "" for the whole text or object.
        self.field = field
        self.expected = expected if isinstance(expected, Message) else Message(expected)
        # The value as an error shows it; None where it says no more, or is a secret.
        self.got = got
        # The file, line, variable or option that the field stands in.
        self.source = source
        # "field" or "key" where there is none of this name; `expected` then lists those there are.
        self.unknown = unknown
        place = ": ".join(part for part in (source, field) if part)
        values = {"expected": self.expected} | ({} if got is None else {"got": got})
        sentences = {  # by what is unknown, and whether the value is shown
            ("", True): N_("expected {expected}, got {got}"),
            ("", False): N_("expected {expected}"),
            ("field", False): N_("unknown field, expected {expected}"),
            ("key", False): N_("unknown key, expected {expected}"),
        }
        sentence = Message(sentences[unknown, got is not None], values)
        nothing_typed = N_(
            "expected something, got nothing"
        )  # each language has a sentence of its own for it
        if str(sentence) == nothing_typed:
            sentence = Message(nothing_typed)
        super().__init__(sentence.text, field=place, **sentence.values)

    def of(self, source: object) -> Self:
        """Return the same fault with `source` before its place."""
        place = f"{source}: {self.source}" if self.source else str(source)
        return type(self)(self.field, self.expected, self.got, place, self.unknown)


def one_line(text: str) -> str:
    """Return `text` with every character that could begin a second line or control a terminal replaced by ?."""
    return "".join(character if character.isprintable() else "?" for character in text)


def why_unreached(fault: BaseException) -> str:
    """Return in one line why an address gave no answer: the system's words, without what urllib writes around them."""
    reason = getattr(fault, "reason", fault)
    return one_line(str(getattr(reason, "strerror", None) or reason))


def shown(value: object) -> str:
    """Return a value as an error shows it: JSON on one line, at most LONGEST_SHOWN characters; what is larger by its
    kind."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping | list | tuple) and not _is_small(value):
        return "an object" if isinstance(value, Mapping) else f"a list of {len(value)}"
    if isinstance(value, bytes):
        value = value[: LONGEST_SHOWN + 1].decode("latin-1")
    if isinstance(value, str):
        value = value[: LONGEST_SHOWN + 1]
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        text = type(value).__name__
    text = one_line(text)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 1] + "…"


def _is_small(values: Mapping[Any, object] | list[object] | tuple[object, ...]) -> bool:
    items = values.values() if isinstance(values, Mapping) else values
    return len(values) <= _MOST_SHOWN and not any(isinstance(item, Mapping | list | tuple) for item in items)

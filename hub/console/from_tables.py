"""Texts of tables, in a form that the console can show in the reader's language."""

from __future__ import annotations

from msgspec.structs import replace

from flagfall.base.message import N_, Message, Value
from flagfall.base.trouble import TROUBLES
from flagfall.othello.refusals import REFUSALS, SIDES, WORDS
from hub.text import PEOPLE

_AT_TABLE = {**SIDES, "judge": N_("judge"), "director": N_("director")}


def refusal_text(refusal: object, english: str) -> Message | str:
    """Return a refusal by its key and places as a table sends them; `english` if they are not known here."""
    known = Message.read(REFUSALS, refusal)
    return english if known is None else _with_words(known)


def trouble_texts(troubles: object, english: str) -> tuple[Message | str, ...]:
    """Return the faults of one part of a device by their keys; none where it is "ok", `english` if a key is unknown."""
    known = [Message.read(TROUBLES, trouble) for trouble in troubles] if isinstance(troubles, list) else []
    if not known or None in known:
        return () if english in ("", "ok") else (english,)
    return tuple(_with_words(trouble) for trouble in known if trouble is not None)


def who_text(who: str) -> Message | str:
    """Return the name of the caller or helper: "black", "white", "judge" or "director"; other words are people's
    own."""
    return Message(_AT_TABLE[who]) if who in _AT_TABLE else who


def call_text(why: str) -> Message:
    """Return the line that a table calls the director, with the caller or the reason."""
    caller = who_text(why)
    if isinstance(caller, Message):
        return Message.of("{who} calls the director", who=caller)
    return (
        Message.of("calls the director: {line}", line=caller) if caller else Message.of("calls the director")
    )


def _with_words(message: Message) -> Message:
    return replace(message, values={name: _value(name, str(value)) for name, value in message.values.items()})


def _value(name: str, value: str) -> Value:
    # Here a side, or a number of discs under a side's name, and no player's id.
    if name in PEOPLE or name == "side":
        return Message(WORDS.get(value, value))
    return Message(WORDS.get(f"state_{value}", value)) if name == "state" else value

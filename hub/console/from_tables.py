"""Texts of tables, in a form that the console can show in the reader's language."""

from __future__ import annotations

from hub.text import PEOPLE
from link.trouble import TEXTS as TROUBLES
from link.trouble import Trouble
from othello.message import N_, SIDES, Message, Value
from othello.message import TEXTS as WORDS
from othello.refusals import Refusal

_AT_TABLE = {**SIDES, "judge": N_("judge"), "director": N_("director")}


def refusal_text(refusal: object, english: str) -> Message | str:
    """A refusal by its key and places as a table sends them; `english` where they are not known here."""
    known = Refusal.read(refusal)
    if known is None:
        return english
    return Message(Refusal.TEXTS[known.key], {name: _place(name, str(said)) for name, said in known.places})


def trouble_texts(troubles: object, english: str) -> tuple[Message | str, ...]:
    """The faults of one part of a device, likewise; none where it is "ok"."""
    known = [Trouble.read(one) for one in troubles] if isinstance(troubles, list) else []
    if not known or None in known:
        return () if english in ("", "ok") else (english,)
    return tuple(
        Message(TROUBLES[one.key], {name: _place(name, str(said)) for name, said in one.places})
        for one in known
        if one is not None
    )


def who_text(who: str) -> Message | str:
    """Who calls, or was helped: "black", "white", "judge" or "director"; other words are people's own."""
    return Message(_AT_TABLE[who]) if who in _AT_TABLE else who


def call_text(why: str) -> Message:
    """That a table calls the director, and who there, or why."""
    said = who_text(why)
    if isinstance(said, Message):
        return Message.of("{who} calls the director", who=said)
    return Message.of("calls the director: {line}", line=said) if said else Message.of("calls the director")


def _place(name: str, said: str) -> Value:
    # Here a side, or a number of discs under a side's name, and no player's id.
    if name in PEOPLE or name == "side":
        return Message(WORDS.get(said, said))
    return Message(WORDS.get(f"state_{said}", said)) if name == "state" else said

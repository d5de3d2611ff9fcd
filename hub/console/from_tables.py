"""Texts of tables, in a form that the console can show in the reader's language."""

from __future__ import annotations

from hub.text import PEOPLE, Text, Value, line
from link.trouble import TEXTS as TROUBLES
from link.trouble import Trouble
from link.words import N_
from othello.refusals import Refusal
from othello.told import SIDES
from othello.told import TEXTS as WORDS

_AT_TABLE = {**SIDES, "judge": N_("judge"), "director": N_("director")}


def refusal_text(refusal: object, english: str) -> Text | str:
    """A refusal by its key and places as a table sends them; `english` where they are not known here."""
    known = Refusal.read(refusal)
    if known is None:
        return english
    return Text(Refusal.TEXTS[known.key], {name: _place(name, str(said)) for name, said in known.places})


def trouble_texts(troubles: object, english: str) -> tuple[Text | str, ...]:
    """The faults of one part of a device, likewise; none where it is "ok"."""
    known = [Trouble.read(one) for one in troubles] if isinstance(troubles, list) else []
    if not known or None in known:
        return () if english in ("", "ok") else (english,)
    return tuple(
        Text(TROUBLES[one.key], {name: _place(name, str(said)) for name, said in one.places})
        for one in known
        if one is not None
    )


def who_text(who: str) -> Text | str:
    """Who calls, or was helped: "black", "white", "judge" or "director"; other words are people's own."""
    return Text(_AT_TABLE[who]) if who in _AT_TABLE else who


def call_text(why: str) -> Text:
    """That a table calls the director, and who there, or why."""
    said = who_text(why)
    if isinstance(said, Text):
        return line("{who} calls the director", who=said)
    return line("calls the director: {line}", line=said) if said else line("calls the director")


def _place(name: str, said: str) -> Value:
    # Here a side, or a number of discs under a side's name, and no player's id.
    if name in PEOPLE or name == "side":
        return Text(WORDS.get(said, said))
    return Text(WORDS.get(f"state_{said}", said)) if name == "state" else said

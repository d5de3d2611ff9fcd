"""The referee's refusals, warnings and the device's troubles in the language of the screen; in English where the
catalogue lacks one."""

from __future__ import annotations

from othello.game import Reason, State
from othello.law_warnings import LawWarning
from othello.refusals import Refusal
from othello.side import Side
from othello.told import Told
from table_app.words import Catalogue


def told_text(told: Told, words: Catalogue) -> str:
    """A short sentence; of a refusal as after a colon."""
    match told:
        case Refusal():
            key = f"refused_{told.key}"
        case LawWarning():
            key = f"warning_{told.key}"
        case _:
            key = f"trouble_{told.key}"
    if key not in words.entries:
        return str(told)
    return words(key, **{name: _said(value, words) for name, value in told.places})


def _said(value: object, words: Catalogue) -> object:
    match value:
        case Side():
            return words(value.value)
        case State():
            return words(f"state_{value.value}")
        case Reason():
            return words(f"reason_{value.value}")
        case Told():
            return told_text(value, words)
        case tuple():
            return " · ".join(str(_said(one, words)) for one in value)
    return value

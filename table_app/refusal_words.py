"""The referee's reasons for a refusal in the language of the screen; in English where the catalogue lacks one."""

from __future__ import annotations

from othello.game import Reason, State
from othello.refusals import Refusal
from othello.side import Side
from table_app.words import Catalogue


def refusal_text(why: Refusal, words: Catalogue) -> str:
    """A short sentence, as after a colon."""
    key = f"refused_{why.key}"
    if key not in words.entries:
        return str(why)
    return words(key, **{name: _said(value, words) for name, value in why.places})


def _said(value: object, words: Catalogue) -> object:
    match value:
        case Side():
            return words(value.value)
        case State():
            return words(f"state_{value.value}")
        case Reason():
            return words(f"reason_{value.value}")
    return value

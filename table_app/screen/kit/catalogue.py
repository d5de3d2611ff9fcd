"""The screen's texts in the language of this device."""

from __future__ import annotations

from link.words import FIRST, Catalogue, words_in
from othello.errors import Invalid
from othello.game import State
from othello.message import LawWarning, Told
from othello.reason import Reason
from othello.refusals import Refusal
from othello.side import Side
from table_app.config import Config
from table_app.texts import TEXTS


def load_words(language: str = FIRST) -> Catalogue:
    """The catalogue of a language; Invalid names the available ones."""
    return words_in(language, TEXTS)


def words_of(config: Config) -> Catalogue:
    """The catalogue of this device's language; Invalid names the available ones."""
    try:
        return load_words(config.language)
    except Invalid as fault:
        raise fault.of("language") from None


def told_text(told: Told, words: Catalogue) -> str:
    """A short sentence; a refusal in the form that follows a colon. Seconds have the form of the clocks beside them."""
    places = {name: _place_text(value, words) for name, value in told.places}
    if "seconds" in places:
        minutes, seconds = divmod(float(str(places["seconds"])), 60)
        return words.named(f"refused_{told.key}", left=f"{minutes:.0f}:{seconds:04.1f}")
    if isinstance(told, Refusal):
        return words(told.TEXTS[told.key], **places)
    return words.named(f"{'warning' if isinstance(told, LawWarning) else 'trouble'}_{told.key}", **places)


def _place_text(value: object, words: Catalogue) -> object:
    match value:
        case Side():
            return words.named(value.value)
        case State():
            return words.named(f"state_{value.value}")
        case Reason():
            return words.named(f"reason_{value.value}")
        case Told():
            return told_text(value, words)
        case tuple():
            return " · ".join(str(_place_text(one, words)) for one in value)
    return value

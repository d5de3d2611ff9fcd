"""The screen's texts in the language of this device."""

from __future__ import annotations

from flagfall.base.errors import Invalid
from flagfall.base.message import Message, Plain
from flagfall.base.words import FIRST, Catalogue, words_in
from flagfall.othello.game import Phase, State
from flagfall.othello.reason import Reason
from flagfall.othello.side import Side
from table_app.config import Config
from table_app.texts import TEXTS


def load_words(language: str = FIRST) -> Catalogue:
    """Return the catalogue of a language; Invalid names the available ones."""
    return words_in(language)


def words_of(config: Config) -> Catalogue:
    """Return the catalogue of this device's language; Invalid names the available ones."""
    try:
        return load_words(config.language)
    except Invalid as fault:
        raise fault.of("language") from None


def message_text(message: Message, words: Catalogue) -> str:
    """Return a message as the screen shows it: sides, states and reasons by the names that they have there."""

    def shown(name: str, value: Plain) -> object:
        match value:
            case Side():
                return words(TEXTS[value.value])
            case State() | Phase():
                return words(TEXTS[f"state_{value.value}"])
            case Reason():
                return words(TEXTS[f"reason_{value.value}"])
        return value

    return words.say(message, shown)

"""The words of the screen, in the language of this device."""

from __future__ import annotations

from link.words import FIRST, Catalogue, WordsError, words_in
from table_app.config import Config, ConfigError
from table_app.texts import TEXTS


def load_words(language: str = FIRST) -> Catalogue:
    """WordsError names the languages there are."""
    return words_in(language, TEXTS)


def words_of(config: Config) -> Catalogue:
    """The language of this device; ConfigError names those that there are."""
    try:
        return load_words(config.language)
    except WordsError as error:
        raise ConfigError(f"language: {error}") from None

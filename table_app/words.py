"""The few words of the screen, from one catalogue a language: `words/*.toml`; a new file is a new language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

from table_app.config import Config, ConfigError


class WordsError(ValueError):
    """One line: the key and what was expected."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`catalogue("wins", player="Black")` is the text with its places filled in."""

    language: str
    entries: Mapping[str, str]

    def __call__(self, key: str, **places: object) -> str:
        return self.entries[key].format(**places)


def parse_catalogue(language: str, text: str) -> Catalogue:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise WordsError(f"{language}: not TOML: {error}") from None
    entries: dict[str, str] = {}
    for key, value in table.items():
        if not isinstance(value, str):
            raise WordsError(f"{language}: {key}: expected text, got {value!r}")
        entries[key] = value
    return Catalogue(language, entries)


def languages() -> tuple[str, ...]:
    folder = resources.files("table_app").joinpath("words")
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir()))


def load_words(language: str = "en") -> Catalogue:
    """WordsError names the languages there are."""
    if language not in languages():
        raise WordsError(f"expected one of {', '.join(languages())}, got {language!r}")
    file = resources.files("table_app").joinpath(f"words/{language}.toml")
    return parse_catalogue(language, file.read_text("utf-8"))


def words_of(config: Config) -> Catalogue:
    """The language of this device; ConfigError names those that there are."""
    try:
        return load_words(config.language)
    except WordsError as error:
        raise ConfigError(f"language: {error}") from None

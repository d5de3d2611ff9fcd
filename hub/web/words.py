"""The words of all pages, from one catalogue a language: `words/<language>/*.toml`; a new folder is a new language.

The files of a language are read together (a key stands in one of them), so that each part of the site keeps its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

DEFAULT = "en"
_FOLDER = "words"


class WordsError(ValueError):
    """One line: the file, the key and what was expected."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """`words("round_of", round=3, planned=7)` is the text with its places filled in."""

    language: str
    entries: Mapping[str, str]

    def __call__(self, key: str, **places: object) -> str:
        return self.entries[key].format(**places)

    def many(self, key: str, count: int, **places: object) -> str:
        """The text for so many; `<key>_one` where the language has another form for one."""
        one = f"{key}_one"
        singular = count == 1 or (count == 0 and self.language == "fr")
        chosen = one if singular and one in self.entries else key
        return self(chosen, count=count, **places)

    def has(self, key: str) -> bool:
        return key in self.entries


def languages() -> tuple[str, ...]:
    """Those there are, the default first."""
    names = {entry.name for entry in resources.files("hub.web").joinpath(_FOLDER).iterdir() if entry.is_dir()}
    return (DEFAULT, *sorted(names - {DEFAULT}))


def load_words(language: str = DEFAULT) -> Catalogue:
    """WordsError names the languages there are, or the file and key that is not as expected."""
    if language not in languages():
        raise WordsError(f"expected one of {', '.join(languages())}, got {language!r}")
    entries: dict[str, str] = {}
    folder = resources.files("hub.web").joinpath(_FOLDER).joinpath(language)
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if file.name.endswith(".toml"):
            _add(entries, f"{language}/{file.name}", file.read_text("utf-8"))
    return Catalogue(language, entries)


def preferred(accepted: str, known: tuple[str, ...]) -> str:
    """The first of a browser's `Accept-Language` that is known, by its weights; the default where none is."""
    wishes: list[tuple[float, int, str]] = []
    for place, part in enumerate(accepted[:500].split(",")):
        tag, _, weight = part.partition(";")
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight.strip() else 1.0
        except ValueError:
            continue
        wishes.append((-quality, place, tag.strip().partition("-")[0].lower()))
    for quality, _, language in sorted(wishes):
        if quality < 0 and language in known:
            return language
    return DEFAULT


def _add(entries: dict[str, str], file: str, text: str) -> None:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise WordsError(f"{file}: expected TOML: {fault}") from None
    for key, value in table.items():
        if not isinstance(value, str):
            raise WordsError(f"{file}: {key}: expected a text, got {value!r:.60}")
        if key in entries:
            raise WordsError(f"{file}: {key}: expected in one file of a language, found in two")
        entries[key] = value

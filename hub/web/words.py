"""The words of the hub's pages: each part of the site has a folder `words/*.toml`; a new file is a new language."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources

FIRST = "en"


class WordsError(ValueError):
    """One line: the language, the key and what was expected."""


@dataclass(frozen=True, slots=True)
class Words:
    """`words("round", number=3)` is the text with its places filled in; a key that is not there is a KeyError.

    `entries` are the catalogue's keys; tables of the file are joined by dots ("state.waiting").
    """

    language: str
    entries: Mapping[str, str]

    def __call__(self, key: str, **places: object) -> str:
        return self.entries[key].format(**places)

    def has(self, key: str) -> bool:
        return key in self.entries


def parse_words(language: str, text: str) -> Words:
    """WordsError naming what is not text."""
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise WordsError(f"{language}: expected TOML: {fault}") from None
    entries: dict[str, str] = {}
    for key, value in table.items():
        for name, said in value.items() if isinstance(value, dict) else ((None, value),):
            full = key if name is None else f"{key}.{name}"
            if not isinstance(said, str):
                raise WordsError(f"{language}: {full}: expected text, got {said!r}")
            entries[full] = said
    return Words(language, entries)


def words_of(package: str) -> dict[str, Words]:
    """Every catalogue of a package's folder `words` by its language, the first one first."""
    folder = resources.files(package).joinpath("words")
    files = sorted(folder.iterdir(), key=lambda file: (file.name != f"{FIRST}.toml", file.name))
    names = [file.name.removesuffix(".toml") for file in files]
    return {name: parse_words(name, file.read_text("utf-8")) for name, file in zip(names, files, strict=True)}


def chosen_language(known: Mapping[str, Words], cookie: str, accepted: str) -> str:
    """The language of a reader: what he chose (`cookie`), else the first of `Accept-Language` there is."""
    if cookie in known:
        return cookie
    weighed = []
    for at, part in enumerate(accepted[:500].split(",")):
        tag, _, weight = part.partition(";q=")
        try:
            weighed.append((-float(weight or 1), at, tag.strip().lower().partition("-")[0]))
        except ValueError:
            continue
    return next((tag for _, _, tag in sorted(weighed) if tag in known), FIRST)

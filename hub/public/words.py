"""The words of the public pages, of the hall's view and of what is printed: `words/*.toml`, one file a language."""

from __future__ import annotations

from collections.abc import Mapping

from hub.web.words import Words, words_of


def public_words() -> Mapping[str, Words]:
    """Every catalogue by its language, the first one first. WordsError naming what is not text."""
    return words_of("hub.public")


def many(words: Words, key: str, count: float, **places: object) -> str:
    """The text for so many; `<key>_one` where the language has a form of its own for one."""
    one = f"{key}_one"
    singular = 0 < count <= 1 or (count < 2 and words.language == "fr")
    return words(one if singular and words.has(one) else key, count=count, **places)

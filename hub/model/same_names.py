"""Names of one person in several spellings, and names that several players of an event have."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from hub.model.letters import plain_letters
from hub.model.players import Player, has_own_number

_UMLAUTS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "AE", "Ö": "OE", "Ü": "UE", "ø": "oe", "å": "aa"}
)


def name_keys(name: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a name in their alphabetical order, without accents and case; again with ü as ue."""
    for spelt in (name, unicodedata.normalize("NFC", name).translate(_UMLAUTS)):
        yield tuple(sorted(re.findall(r"\w+", plain_letters(spelt))))


def same_name(name: str, other_name: str) -> bool:
    """Return True if two names have the same words in any order, or one has all words of the other and that has at
    least two."""
    for key in name_keys(name):
        for other_key in name_keys(other_name):
            shared = {*key} & {*other_key}
            if key and (key == other_key or (len(shared) > 1 and len(shared) in (len(key), len(other_key)))):
                return True
    return False


def key_of(name: str) -> tuple[str, ...]:
    """Return the words of a name in any order, without accents and case."""
    return next(name_keys(name))


def same_names(players: Iterable[Player]) -> Iterator[tuple[str, int]]:
    """Yield each name that several players have, and their number. Numbers of the rating list tell homonyms apart."""
    named: dict[tuple[str, ...], list[Player]] = {}
    for player in players:
        if key := key_of(player.name):
            named.setdefault(key, []).append(player)
    for group in named.values():
        if len(group) > 1 and not all(map(has_own_number, group)):
            yield group[0].name, len(group)


def of_name(players: Iterable[Player], name: str) -> tuple[Player, ...]:
    """Return the players who have this name."""
    sought = {*name_keys(name)} - {()}
    return tuple(player for player in players if sought & {*name_keys(player.name)})

"""Names that several players of an event have: often one person who was entered twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from hub.formats.names import name_keys
from hub.model.players import Player, has_own_number


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

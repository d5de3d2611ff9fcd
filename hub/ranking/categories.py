"""Category lists of `cc-2024` II.6: no finals, the order of the main final list."""

from __future__ import annotations

from dataclasses import dataclass

from hub.ranking.finals import OPEN, Finals
from hub.ranking.places import Place, shared_places

SMALLEST_CATEGORY = 6  # II.6.1, but for the youth
YOUTH = "youth"


@dataclass(frozen=True, slots=True)
class Category:
    """`too_small`: fewer than six, which the director may merge with another or allow (II.6.1)."""

    name: str
    places: tuple[Place, ...]
    too_small: bool


def categories(finals: Finals) -> tuple[Category, ...]:
    """Every category that a player carries, by name; who is level in the main list is level here (II.6.3)."""
    main = finals.lists[OPEN]
    place = {entry.player: entry.place for entry in main}
    players = finals.qualifying.players
    names = sorted({name for player in players.values() for name in player.categories})
    found = []
    for name in names:
        members = [entry.player for entry in main if name in players[entry.player].categories]
        too_small = len(members) < SMALLEST_CATEGORY and name.lower() != YOUTH
        found.append(Category(name, shared_places(members, place.__getitem__), too_small))
    return tuple(found)

"""Places in a list: one for each player, or shared by those who are level."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from itertools import groupby

import msgspec


class ListPlace(msgspec.Struct, frozen=True):
    place: int
    player: str


def distinct_places(players: Sequence[str]) -> tuple[ListPlace, ...]:
    return tuple(ListPlace(place, player) for place, player in enumerate(players, start=1))


def shared_places(
    players: Sequence[str], level: Callable[[str], Hashable], first: int = 1
) -> tuple[ListPlace, ...]:
    """Return a place for each player in the given order. Neighbours of the same `level` share a place."""
    places: list[ListPlace] = []
    for _, group in groupby(players, key=level):
        place = first + len(places)
        places += [ListPlace(place, player) for player in group]
    return tuple(places)

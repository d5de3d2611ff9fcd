"""Lists with shared places: level players have the same number, and the next numbers are skipped (5, 5, 7)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True, slots=True)
class Place:
    place: int
    player: str


def distinct_places(players: Sequence[str], first: int = 1) -> tuple[Place, ...]:
    return tuple(Place(place, player) for place, player in enumerate(players, start=first))


def shared_places(
    players: Sequence[str], level: Callable[[str], Hashable], first: int = 1
) -> tuple[Place, ...]:
    """Neighbours of the same `level` share a place; the order of `players` is kept."""
    places: list[Place] = []
    for _, group in groupby(players, key=level):
        place = first + len(places)
        places += [Place(place, player) for player in group]
    return tuple(places)

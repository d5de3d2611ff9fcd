"""Grand Prix points of a final list: each place has its points, and players who share places share these."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hub.ranking.standings import ListPlace


def shared_points(places: Sequence[ListPlace], points: Sequence[int]) -> dict[str, int]:
    """Return the points of every player of a list.

    `points` are those of the first places; every place behind has the last ones. The points of a shared place are
    those of all its places, divided by its players and rounded up.
    """
    shared: dict[str, int] = {}
    for _, group in groupby(places, key=lambda entry: entry.place):
        players = [entry.player for entry in group]
        first = len(shared)
        total = sum(points[min(at, len(points) - 1)] for at in range(first, first + len(players)))
        shared |= dict.fromkeys(players, -(-total // len(players)))
    return shared

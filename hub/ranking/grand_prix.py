"""Grand Prix points of a final list, whose shared places share their points, and of a season."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class SeasonLine:
    """A player in the standings of a season."""

    place: int
    player: str
    points: int
    # Their points of single events, the most first.
    of_events: tuple[int, ...]
    # Level with another player in everything: a play-off match decides.
    plays_off: bool = False


def season(events: Sequence[Mapping[str, int]]) -> tuple[SeasonLine, ...]:
    """Return the standings of a season: by the sum of the points, then by more events with the most points, then with
    the next, and so on."""
    players = dict.fromkeys(player for points in events for player in points)
    of_events = {
        player: tuple(sorted((points[player] for points in events if player in points), reverse=True))
        for player in players
    }
    merit = {player: (sum(won), won) for player, won in of_events.items()}
    order = sorted(players, key=lambda player: merit[player], reverse=True)
    lines: list[SeasonLine] = []
    for _, group in groupby(order, key=lambda player: merit[player]):
        level, place = [*group], len(lines) + 1
        lines += [
            SeasonLine(place, player, merit[player][0], of_events[player], len(level) > 1) for player in level
        ]
    return tuple(lines)

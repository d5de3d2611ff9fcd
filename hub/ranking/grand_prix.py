"""Shared places share their amounts: Grand Prix points and prizes of a list follow one rule. And the points of a
season."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from hub.ranking.places import ListPlace


def shared_amounts(
    places: Sequence[ListPlace], amounts: Sequence[int], *, behind: int = 0, unit: int = 1, up: bool = False
) -> dict[str, int]:
    """Return the amount of every player of a list.

    `amounts` are those of the first places; every place further back has `behind`. The amounts of a shared place are
    those of all its places, divided by its players and rounded to a multiple of `unit`: down, or `up`.
    """
    shared: dict[str, int] = {}
    for _, group in groupby(places, key=lambda entry: entry.place):
        players = [entry.player for entry in group]
        first = len(shared)
        total = sum(amounts[at] if at < len(amounts) else behind for at in range(first, first + len(players)))
        divisor = unit * len(players)
        shared |= dict.fromkeys(players, unit * (-(-total // divisor) if up else total // divisor))
    return shared


def shared_points(places: Sequence[ListPlace], points: Sequence[int]) -> dict[str, int]:
    """Return the points of every player of a list, rounded up. Every place behind `points` has the last ones."""
    return shared_amounts(places, points, behind=points[-1], up=True)


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

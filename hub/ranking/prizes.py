"""Who qualifies for the world championship and who is given a prize (`cc-2024` V), as the lists stand."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from hub.ranking.categories import categories
from hub.ranking.finals import DIVISION, OPEN, Finals
from hub.ranking.places import ListPlace
from othello.rulebook import rulebook

WORLD_PLACES = "world_places"
"""Key in a tournament's `extra` for the number of places given by the committee (V.1)."""
FIRST_PLACES = 4  # V.2, V.3
OF_A_GROUP = 3  # V.4: "outside the top three"


class PrizeList(msgspec.Struct, frozen=True):
    """`title`: "open", a category's name, "division:<name>", or another title; `winners` in the order of the list."""

    title: str
    kind: str
    winners: tuple[ListPlace, ...]


class Prizes(msgspec.Struct, frozen=True):
    """`least` places are the rulebook's own, 0 where it speaks of none. `qualified`: for the world championship, the
    champion first. `settled`: no game can change this any more."""

    least: int
    world_places: int
    qualified: tuple[str, ...]
    lists: tuple[PrizeList, ...]
    settled: bool


def prizes_of(finals: Finals) -> Prizes:
    least = rulebook(finals.qualifying.tournament.rulebook).event.world_places
    said = finals.qualifying.tournament.extra.get(WORLD_PLACES)
    count = max(least, said) if isinstance(said, int) and least else least
    first = finals.lists[OPEN]
    lists = [PrizeList(OPEN, "title", _first(first, FIRST_PLACES))]
    for title, places in finals.lists.items():
        if title != OPEN:
            kind = "division" if title.startswith(DIVISION) else "title"
            lists.append(PrizeList(title, kind, _first(places, OF_A_GROUP)))
    lists += [PrizeList(one.name, "category", _first(one.places, OF_A_GROUP)) for one in categories(finals)]
    settled = finals.qualifying.complete and not finals.due
    return Prizes(least, count, _in_order(finals, first)[:count], tuple(lists), settled)


def _first(places: Sequence[ListPlace], count: int) -> tuple[ListPlace, ...]:
    """Everybody down to place `count`, all who share it."""
    return tuple(place for place in places if place.place <= count)


def _in_order(finals: Finals, places: Sequence[ListPlace]) -> tuple[str, ...]:
    """Players who share a place are in the order of the qualifying list; expelled ones get none (VI.2.e)."""
    expelled = {one.player for one in finals.qualifying.tournament.withdrawals if one.expelled}
    rank = finals.qualifying.rank
    ordered = sorted(places, key=lambda place: (place.place, rank[place.player]))
    return tuple(place.player for place in ordered if place.player not in expelled)

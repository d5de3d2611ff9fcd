"""Additions of `cc-2024` to the lists: categories (II.6: no finals, the order of the main final list), qualifiers for
the world championship, and prizes (V)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from hub.model.games import DIVISION, OPEN
from hub.model.players import Player
from hub.model.tournament import Tournament
from hub.ranking.finals import Finals
from hub.ranking.places import ListPlace, shared_places
from hub.rulebook import SMALLEST_LIST, rules_of

YOUTH = "youth"


class Category(msgspec.Struct, frozen=True):
    """The list of one category."""

    name: str
    places: tuple[ListPlace, ...]
    # Fewer than six players: the director may merge it with another or allow it (II.6.1).
    too_small: bool


def category_names(tournament: Tournament, player: Player) -> tuple[str, ...]:
    """Return the categories of a player after the tournament's `merged_categories` (II.6.1) have been applied."""
    into = merged_categories(tournament)
    named = (into.get(name, name) for name in player.categories)
    return tuple(dict.fromkeys(named))


def merged_categories(tournament: Tournament) -> Mapping[str, str]:
    """Return the merged categories, {from: into}."""
    return tournament.merged_categories or {}


def allowed_categories(tournament: Tournament) -> tuple[str, ...]:
    """Return the categories that the director allows though they are small."""
    return tournament.allowed_categories or ()


def categories(finals: Finals) -> tuple[Category, ...]:
    """Return every category by name. Players level in the main list are level here (II.6.3)."""
    main = finals.lists[OPEN]
    place = {entry.player: entry.place for entry in main}
    players = finals.qualifying.tournament.by_id
    tournament = finals.qualifying.tournament
    carried = {player.id: category_names(tournament, player) for player in players.values()}
    lists = []
    for name in sorted({name for names in carried.values() for name in names}):
        members = [entry.player for entry in main if name in carried[entry.player]]
        too_small = len(members) < SMALLEST_LIST and name.lower() != YOUTH
        lists.append(Category(name, shared_places(members, place.__getitem__), too_small))
    return tuple(lists)


FIRST_PLACES = 4  # V.2, V.3
OF_A_GROUP = 3  # V.4: "outside the top three"


class PrizeList(msgspec.Struct, frozen=True):
    """The winners of prizes in one list."""

    # "open", a category's name, "division:<name>", or another title.
    title: str
    kind: str
    # In the order of the list.
    winners: tuple[ListPlace, ...]


class Prizes(msgspec.Struct, frozen=True):
    """Prizes and places at the world championship."""

    # Places that the rulebook itself gives, 0 if it speaks of none.
    least: int
    world_places: int
    # Players for the world championship, the champion first.
    qualified: tuple[str, ...]
    lists: tuple[PrizeList, ...]
    # No game can change this any more.
    settled: bool


def prizes_of(finals: Finals) -> Prizes:
    least = rules_of(finals.qualifying.tournament).law.event.world_places
    declared = finals.qualifying.tournament.world_places
    count = max(least, declared or 0) if least else 0
    first = finals.lists[OPEN]
    lists = [PrizeList(OPEN, "title", _down_to(first, FIRST_PLACES))]
    for title, places in finals.lists.items():
        if title != OPEN:
            kind = "division" if title.startswith(DIVISION) else "title"
            lists.append(PrizeList(title, kind, _down_to(places, OF_A_GROUP)))
    lists += [
        PrizeList(category.name, "category", _down_to(category.places, OF_A_GROUP))
        for category in categories(finals)
    ]
    settled = finals.qualifying.complete and not finals.due
    return Prizes(least, count, _in_order(finals, first)[:count], tuple(lists), settled)


def _down_to(places: Sequence[ListPlace], count: int) -> tuple[ListPlace, ...]:
    """Return everybody down to place `count`, with all who share it."""
    return tuple(place for place in places if place.place <= count)


def _in_order(finals: Finals, places: Sequence[ListPlace]) -> tuple[str, ...]:
    """Return the players in order of place, level ones in the order of the qualifying list, without expelled ones
    (VI.2.e)."""
    expelled = {
        withdrawal.player for withdrawal in finals.qualifying.tournament.withdrawals if withdrawal.expelled
    }
    rank = finals.qualifying.rank
    ordered = sorted(places, key=lambda place: (place.place, rank[place.player]))
    return tuple(place.player for place in ordered if place.player not in expelled)

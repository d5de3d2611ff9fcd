"""Category lists of `cc-2024` II.6: no finals, the order of the main final list."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from hub.ranking.finals import OPEN, Finals
from hub.ranking.places import ListPlace, shared_places
from hub.rulebook import SMALLEST_LIST
from hub.tournament import Player, Tournament

YOUTH = "youth"
MERGED, ALLOWED = "merged_categories", "allowed_categories"
"""Keys in a tournament's `extra` for the director's decisions (II.6.1)."""


class Category(msgspec.Struct, frozen=True):
    """`too_small`: fewer than six, which the director may merge with another or allow (II.6.1)."""

    name: str
    places: tuple[ListPlace, ...]
    too_small: bool


def category_names(tournament: Tournament, player: Player) -> tuple[str, ...]:
    """The categories a player stands in, once `merged_categories` of the tournament (II.6.1) is applied."""
    into = merged_categories(tournament)
    named = (into.get(name, name) for name in player.categories)
    return tuple(dict.fromkeys(named))


def merged_categories(tournament: Tournament) -> Mapping[str, str]:
    """Which categories have been merged, {from: into}."""
    said = tournament.extra.get(MERGED)
    pairs = said.items() if isinstance(said, dict) else ()
    return {name: into for name, into in pairs if isinstance(name, str) and isinstance(into, str)}


def allowed_categories(tournament: Tournament) -> tuple[str, ...]:
    """Those that the director allows though they are small."""
    said = tournament.extra.get(ALLOWED)
    return tuple(name for name in said if isinstance(name, str)) if isinstance(said, list) else ()


def categories(finals: Finals) -> tuple[Category, ...]:
    """Every category of a player, by name; players level in the main list are level here (II.6.3)."""
    main = finals.lists[OPEN]
    place = {entry.player: entry.place for entry in main}
    players = finals.qualifying.players
    tournament = finals.qualifying.tournament
    carried = {player.id: category_names(tournament, player) for player in players.values()}
    found = []
    for name in sorted({name for names in carried.values() for name in names}):
        members = [entry.player for entry in main if name in carried[entry.player]]
        too_small = len(members) < SMALLEST_LIST and name.lower() != YOUTH
        found.append(Category(name, shared_places(members, place.__getitem__), too_small))
    return tuple(found)

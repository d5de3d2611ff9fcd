"""The prizes of an event by list: each place has its prize, and players who share places share these."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hub.model.lists import PrizeFund
from hub.ranking.categories import categories
from hub.ranking.finals import Finals
from hub.ranking.grand_prix import shared_amounts, shared_points
from hub.ranking.places import ListPlace
from hub.ranking.teams import team_standings

TEAMS = "teams"
CATEGORY = "category:"


class Winner(msgspec.Struct, frozen=True):
    """A line of a prize list."""

    place: int
    # A player's id; of the list of teams a team's name.
    player: str
    cents: int
    points: int
    # The number of winners on this place.
    sharing: int


class PrizeTable(msgspec.Struct, frozen=True):
    """The winners of one list."""

    title: str
    winners: tuple[Winner, ...]
    # Money that nobody gets: what rounding leaves, and prizes of places that have no player.
    left_cents: int
    # The list has prizes of this kind.
    has_money: bool
    has_points: bool


def prize_lists(finals: Finals) -> Iterator[tuple[str, tuple[ListPlace, ...]]]:
    """Yield the title and places of every list that can have prizes."""
    yield from finals.lists.items()
    for category in categories(finals):
        yield CATEGORY + category.name, category.places
    teams = finals.teams or team_standings(finals.qualifying.tournament)
    if teams:
        yield TEAMS, tuple(ListPlace(team.place, team.team) for team in teams)


def prize_tables(finals: Finals) -> tuple[PrizeTable, ...]:
    """Return the lists for which the director has set prizes, in the order of the lists."""
    fund = finals.qualifying.tournament.prizes or PrizeFund()
    tables = []
    for title, places in prize_lists(finals):
        prizes = fund.lists.get(title)
        if prizes is None:
            continue
        cents = shared_amounts(places, prizes.cents, unit=fund.round_to_cents)
        points = shared_points(places, (*prizes.points, 0)) if prizes.points else {}
        at_place = [entry.place for entry in places]
        winners = tuple(
            Winner(
                entry.place,
                entry.player,
                cents[entry.player],
                points.get(entry.player, 0),
                at_place.count(entry.place),
            )
            for entry in places
            if cents[entry.player] or points.get(entry.player)
        )
        left = sum(prizes.cents) - sum(cents.values())
        tables.append(PrizeTable(title, winners, left, bool(prizes.cents), bool(prizes.points)))
    return tuple(tables)

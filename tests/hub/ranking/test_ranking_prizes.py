"""Prizes: shared places add and divide, to the cent; nothing is given twice, and one rule shares points and money."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from helpers.finals_values import of_points
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import read_tournament, write_tournament
from hub.model.lists import ROUNDINGS, ListPrizes, PrizeFund
from hub.ranking.finals import finals_of
from hub.ranking.grand_prix import shared_amounts, shared_points
from hub.ranking.places import shared_places
from hub.ranking.prizes import prize_tables

FIVE = {"a": 5, "b": 4, "c": 4, "d": 3, "e": 3}


def open_prizes(fund: PrizeFund, points: dict[str, int] | None = None, **fields: Any) -> Any:
    """Return the prize table of the open list, whose players share places behind the finals."""
    value = of_points(points or FIVE, "bof", **fields)
    tournament = replace(tournament_from_json(value), prizes=fund)
    return {table.title: table for table in prize_tables(finals_of(tournament))}["open"]


@pytest.mark.parametrize(
    ("levels", "cents", "unit", "expected"),
    [
        ([2, 1, 0], [30_000, 20_000, 10_000], 1, [30_000, 20_000, 10_000]),
        ([2, 1, 1], [30_000, 20_000, 5_000], 1, [30_000, 12_500, 12_500]),
        ([1, 1], [2_501], 1, [1_250, 1_250]),
        ([1, 1, 1], [10_000], 1, [3_333, 3_333, 3_333]),
        ([1, 1, 1], [10_000], 100, [3_300, 3_300, 3_300]),
        ([3, 2, 2, 2], [300, 200], 50, [300, 50, 50, 50]),
        ([1, 0], [], 1, [0, 0]),
    ],
)
def test_shared_places_add_and_divide_and_exact_halves_stay_exact(
    levels: list[int], cents: list[int], unit: int, expected: list[int]
) -> None:
    players = [str(number) for number in range(len(levels))]
    places = shared_places(players, lambda player: levels[int(player)])
    assert list(shared_amounts(places, cents, unit=unit).values()) == expected


@given(
    st.lists(st.integers(0, 4), max_size=20),
    st.lists(st.integers(0, 100_000), max_size=12).map(lambda cents: sorted(cents, reverse=True)),
    st.sampled_from(ROUNDINGS),
)
def test_no_more_is_given_than_there_is_and_a_better_place_never_gets_less(
    results: list[int], cents: list[int], unit: int
) -> None:
    results.sort(reverse=True)
    players = [str(number) for number in range(len(results))]
    places = shared_places(players, lambda player: results[int(player)])
    shared = list(shared_amounts(places, cents, unit=unit).values())
    assert sum(shared) <= sum(cents[: len(players)])
    assert shared == sorted(shared, reverse=True) and all(amount % unit == 0 for amount in shared)
    for result in set(results):
        first, count = results.index(result), results.count(result)
        fair = Fraction(sum(cents[first : first + count]), count)
        assert all(0 <= fair - shared[at] < unit for at in range(first, first + count))
    assert shared_points(places, (7, 0)) == shared_amounts(places, (7,), up=True), (
        "one rule for points and money"
    )


def test_a_list_has_its_winners_what_is_left_and_who_shares() -> None:
    fund = PrizeFund(
        {"open": ListPrizes((30_000, 20_000, 10_000, 5_001), (10, 7, 5)), "nobody's": ListPrizes((100,))},
        "EUR",
    )
    table = open_prizes(fund)
    by_player = {winner.player: winner for winner in table.winners}
    assert sum(winner.cents for winner in table.winners) + table.left_cents == 65_001
    level = [winner for winner in table.winners if winner.sharing > 1]
    assert all(len({w.cents for w in level if w.place == winner.place}) == 1 for winner in level)
    assert set(by_player) <= set(FIVE) and table.has_points


def test_prizes_of_places_without_a_player_are_left_and_a_list_of_points_has_no_money() -> None:
    table = open_prizes(PrizeFund({"open": ListPrizes((500, 400, 300, 200, 100, 50, 25))}))
    assert table.left_cents >= 75 and not table.has_points
    of_points_alone = open_prizes(PrizeFund({"open": ListPrizes(points=(3, 2, 1))}))
    assert not of_points_alone.has_money and of_points_alone.left_cents == 0
    assert all(winner.cents == 0 and winner.points for winner in of_points_alone.winners)


def test_categories_and_teams_have_prizes_too() -> None:
    players = {player: {"categories": ["senior"], "country": "FRA"} for player in "bcd"}
    fund = PrizeFund({"category:senior": ListPrizes((500,)), "teams": ListPrizes((300,))})
    value = of_points(FIVE, "cc-2024", players=players)
    tables = {t.title: t for t in prize_tables(finals_of(replace(tournament_from_json(value), prizes=fund)))}
    assert sum(winner.cents for winner in tables["category:senior"].winners) == 500
    assert "teams" not in tables or all(winner.player for winner in tables["teams"].winners)


def test_the_fund_is_written_to_the_file_and_read_back() -> None:
    fund = PrizeFund({"open": ListPrizes((30_000, 12_550), (10,))}, "EUR", 50)
    tournament = replace(tournament_from_json(of_points(FIVE)), prizes=fund)
    assert read_tournament(write_tournament(tournament)).prizes == fund
    assert b'"cents":' in write_tournament(tournament).replace(b" ", b"")

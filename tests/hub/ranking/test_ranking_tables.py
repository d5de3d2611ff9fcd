"""Category lists and the cross table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from helpers.finals_values import EIGHT, TEN, of_points, win

from hub.form.tournament import tournament_from_json
from hub.model.tournament import Absence
from hub.ranking.categories import (
    allowed_categories,
    categories,
    category_names,
    merged_categories,
    prizes_of,
)
from hub.ranking.cross_table import Cell, cross_table
from hub.ranking.finals import finals_of

Value = dict[str, Any]


def evening(**fields: Any) -> Value:
    return {
        "format": "flagfall-tournament/1",
        "rulebook": "cc-2024",
        "system": "swiss",
        "rounds_planned": 3,
        "players": [{"id": player} for player in "abcdefg"],
        "rounds": [
            {
                "games": [
                    {"black": "a", "white": "b", "score": [40, 24]},
                    {"black": "d", "white": "c", "score": [32, 32]},
                    {"black": "e", "white": "f"},
                ],
                "byes": ["g"],
            }
        ],
        "lots": list("abcdefg"),
    } | fields


def test_a_row_for_each_player_and_a_cell_for_each_round() -> None:
    rows = {row.standing.player: row.cells for row in cross_table(tournament_from_json(evening()))}
    assert list(rows)[:2] == ["a", "g"]
    place = {player: number for number, player in enumerate(rows, start=1)}
    assert rows["a"] == (Cell("game", "b", place["b"], "black", (40, 24)),)
    assert rows["b"] == (Cell("game", "a", place["a"], "white", (24, 40)),)
    assert rows["f"] == (Cell("game", "e", place["e"], "white", None),)
    assert rows["g"] == (Cell("bye"),)
    two = tournament_from_json(evening(rounds=[*evening()["rounds"], {"games": []}]))
    assert all(row.cells[1] == Cell("unplayed") for row in cross_table(two))


@pytest.mark.clause("cc-2024 II.6.1", "cc-2024 II.6.2", "cc-2024 II.6.3")
def test_categories_follow_the_main_list_and_need_six_but_for_the_youth() -> None:
    of: dict[str, list[str]] = {"b": ["60+", "youth"], "e": ["60+"], "f": ["60+"], "a": ["60+"]}
    value = evening(players=[{"id": p, "categories": of.get(p, [])} for p in "abcdefg"])
    finals = finals_of(tournament_from_json(value))
    sixty, youth = categories(finals)
    assert {match.title for match in finals.due} <= {"open"} and set(finals.lists) == {"open"}, (
        "no finals of their own"
    )
    assert (sixty.name, sixty.too_small, youth.name, youth.too_small) == ("60+", True, "youth", False)
    # b, e and f have no point and are level behind the four; the game of e and f is still being played.
    assert [(place.place, place.player) for place in sixty.places] == [(1, "a"), (2, "e"), (2, "f"), (2, "b")]


@pytest.mark.clause("cc-2024 II.6.1")
def test_five_are_too_few_for_a_category_and_six_are_enough() -> None:
    players = {player: {"categories": ["five"] if player < "f" else ["Youth"]} for player in TEN}
    players["a"]["categories"] = ["six", "five"]
    for player in "bcdef":
        players[player]["categories"].append("six")
    finals = finals_of(tournament_from_json(of_points(TEN, "cc-2024", players=players)))
    lines = [(category.name, len(category.places), category.too_small) for category in categories(finals)]
    assert lines == [("Youth", 5, False), ("five", 5, True), ("six", 6, False)]


@pytest.mark.clause("cc-2024 II.6.1")
def test_the_director_merges_categories_and_allows_small_ones() -> None:
    carried = {"id": "a", "categories": ["50+", "60+", "women"]}
    value = evening(players=[carried, {"id": "b"}], rounds=[], lots=[])
    tournament = tournament_from_json(
        value | {"merged_categories": {"50+": "60+"}, "allowed_categories": ["60+"]}
    )
    assert merged_categories(tournament) == {"50+": "60+"}
    assert category_names(tournament, tournament.player("a")) == ("60+", "women")
    assert allowed_categories(tournament) == ("60+",)
    undecided = tournament_from_json(value)
    assert (merged_categories(undecided), allowed_categories(undecided)) == ({}, ())


PLAYED = [
    win("open", "third-place", "c", "d"),
    win("open", "final", "a", "b"),
    win("open", "final", "a", "b"),
]


@pytest.mark.clause("cc-2024 V.1", "cc-2024 V.2", "cc-2024 V.3", "cc-2024 V.4")
def test_prizes_go_to_the_first_four_of_the_open_list_and_to_three_of_each_division_and_category() -> None:
    players = {p: {"division": "B", "categories": ["60+"]} for p in "efghij"}
    value = of_points(TEN, "cc-2024", players=players, finals=PLAYED)
    prizes = prizes_of(finals_of(tournament_from_json(value)))
    lists = [
        (prize_list.title, prize_list.kind, [(winner.place, winner.player) for winner in prize_list.winners])
        for prize_list in prizes.lists
    ]
    assert lists == [
        ("open", "title", [(1, "a"), (2, "b"), (3, "c"), (4, "d")]),
        ("division:B", "division", [(1, "e"), (2, "f"), (3, "g"), (4, "h")][:3]),
        ("60+", "category", [(1, "e"), (2, "f"), (2, "g")]),
    ]
    assert not prizes.settled, "the division's finals are due"
    women = prizes_of(finals_of(tournament_from_json(of_points(TEN))))
    assert [(prize_list.title, prize_list.kind) for prize_list in women.lists] == [
        ("open", "title"),
        ("women", "title"),
        ("young", "title"),
    ]


@pytest.mark.clause("cc-2024 V.1", "cc-2024 V.2", "cc-2024 VI.2.e")
def test_the_champion_goes_to_the_world_championship_and_as_many_as_the_committee_gives_places() -> None:
    value = of_points(EIGHT, "cc-2024", finals=PLAYED)

    def qualified(**more: Any) -> tuple[int, int, tuple[str, ...]]:
        prizes = prizes_of(finals_of(tournament_from_json(value | more)))
        return prizes.least, prizes.world_places, prizes.qualified

    assert qualified() == (1, 1, ("a",))
    assert qualified(world_places=3) == (1, 3, ("a", "b", "c"))
    assert qualified(world_places=0) == (1, 1, ("a",))
    expelled = [{"player": "a", "after_round": 10, "after_finals": 3, "expelled": True, "why": "VI.2.e"}]
    assert qualified(world_places=2, withdrawals=expelled) == (1, 2, ("b", "c"))
    assert qualified(world_places=7)[2] == tuple("abcdefg"), (
        "f and g are level: in the order of the provisional list"
    )
    assert qualified(rulebook="woc-2019", world_places=3, finals=[]) == (0, 0, ())


@pytest.mark.clause("cc-2024 V.2")
def test_prizes_are_settled_after_the_last_game() -> None:
    def settled(**more: Any) -> bool:
        return prizes_of(finals_of(tournament_from_json(of_points(EIGHT, "cc-2024", **more)))).settled

    assert settled(finals=PLAYED)
    assert not settled(finals=PLAYED[:2])
    assert not settled(finals=[], rounds_planned=11)


def test_half_a_point_for_a_missed_round_has_a_cell_of_its_own() -> None:
    tournament = tournament_from_json(evening(rounds=[{"games": [], "byes": ["c"]}]))
    missed = replace(tournament, absences=(Absence("a", 1, half_point=True), Absence("b", 1)))
    rows = {row.standing.player: row.cells for row in cross_table(missed)}
    assert (rows["a"], rows["b"], rows["c"]) == ((Cell("half"),), (Cell("unplayed"),), (Cell("bye"),))

"""Category lists and the cross table."""

from __future__ import annotations

from typing import Any

import pytest

from hub.formats.tournament_file import tournament_from_json
from hub.ranking.categories import categories
from hub.ranking.cross_table import Cell, cross_table
from hub.ranking.finals_played import finals_of

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
    now = finals_of(tournament_from_json(value))
    sixty, youth = categories(now)
    assert {match.title for match in now.due} <= {"open"} and set(now.lists) == {"open"}, (
        "no finals of their own"
    )
    assert (sixty.name, sixty.too_small, youth.name, youth.too_small) == ("60+", True, "youth", False)
    # b, e and f have no point and are level behind the four; the game of e and f is still being played.
    assert [(place.place, place.player) for place in sixty.places] == [(1, "a"), (2, "e"), (2, "f"), (2, "b")]

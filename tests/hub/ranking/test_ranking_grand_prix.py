"""The preset of a British tournament: its form, its final, and the Grand Prix points of shared places."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from math import ceil
from typing import Any

import pytest
from helpers.finals_values import Value, draw, finals_json, of_points, pairs, places, win
from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.errors import Invalid
from flagfall.othello.rulebook import AT_TABLES, rulebook
from hub.form.tournament import tournament_from_json
from hub.formats.spreadsheets.csv_file import LISTS, write_csv
from hub.ranking.grand_prix import shared_points
from hub.ranking.places import shared_places
from hub.ranking.reports import finals
from hub.rulebook import FORMAT_RULES, FormatRules, _checked, ties_of

BRITISH = FORMAT_RULES["bof"]
NINE = {"a": 9, "b": 8, "c": 7, "d": 7, "e": 7, "f": 4, "g": 3, "h": 3, "i": 3, "j": 3, "k": 2}


def won(value: Value) -> dict[str, int]:
    """Return the Grand Prix points of the open list, in its order."""
    return {entry["player"]: entry["grand_prix"] for entry in finals_json(value)["lists"]["open"]}


def points_of(levels: list[int]) -> list[int]:
    """Return the points of players with these results, best first."""
    results = dict(enumerate(sorted(levels, reverse=True)))
    players = [str(number) for number in results]
    listed = shared_places(players, lambda player: results[int(player)])
    return list(shared_points(listed, BRITISH.grand_prix).values())


def test_the_preset_is_a_tournament_over_the_world_championships_table() -> None:
    law, base = rulebook("bof"), rulebook("woc-2019")
    assert (law.minutes, law.flag, law.score, law.family) == (base.minutes, base.flag, base.score, "woc-2019")
    assert "without the BOF's table rules" in law.title
    assert "bof" not in AT_TABLES and "woc-2019" in AT_TABLES
    assert [BRITISH.system_for(players) for players in (6, 10, 11, 40)] == [
        "double_round_robin", "round_robin", "swiss", "swiss",
    ]  # fmt: skip
    assert (BRITISH.swiss_rounds, BRITISH.bye_discs) == (9, 32)
    assert ties_of(tournament_from_json(of_points(NINE, "bof"))) == ("bq", "discs")


def test_one_final_between_the_first_two_decides_the_title() -> None:
    value = of_points(NINE, "bof")
    before = finals_json(value)
    assert (pairs(before["due"]), before["champions"]["open"]) == ([("open", "final", "a-b")], None)
    after = finals_json(value | {"finals": [win("open", "final", "b", "a")]})
    assert (after["due"], after["champions"]["open"]) == ([], "b")
    assert places(after["lists"]["open"])[:6] == [(1, "b"), (2, "a"), (3, "c"), (3, "d"), (3, "e"), (6, "f")]
    drawn = finals_json(value | {"finals": [draw("open", "final", "a", "b", draw_win="a")]})
    assert drawn["champions"]["open"] == "a"


def test_players_level_on_points_share_the_points_of_their_places() -> None:
    # Published for 2015: three share the third place, 100 each; four the seventh, 75/4, so 19 each.
    value = of_points(NINE, "bof", finals=[win("open", "final", "b", "a")])
    assert won(value) == {
        "b": 200, "a": 160, "c": 100, "d": 100, "e": 100, "f": 60, "g": 19, "h": 19, "i": 19, "j": 19, "k": 5,
    }  # fmt: skip


def test_first_places_that_no_final_has_decided_are_shared() -> None:
    level = {"a": 8, "b": 8, "c": 8, "d": 5, "e": 4}
    assert list(won(of_points(level, "bof")).values()) == [160, 160, 160, 100, 80]
    decided = of_points(level, "bof", finals=[win("open", "final", "b", "a")])
    assert won(decided) == {"b": 200, "a": 160, "c": 120, "d": 100, "e": 80}


def test_nobody_has_points_before_the_rounds_are_complete_or_under_another_rulebook() -> None:
    for value in (of_points(NINE, "bof", rounds_planned=12), of_points(NINE), of_points({}, "bof")):
        assert not any("grand_prix" in entry for entry in finals_json(value)["lists"]["open"])


@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ([9, 8, 7, 6, 5, 5], [200, 160, 120, 100, 70, 70]),  # published, 2015
        ([9, 9], [180, 180]),
        ([99, 98, 97, 96, 95, 94, 93, 92, 1, 1], [200, 160, 120, 100, 80, 60, 40, 20, 8, 8]),
        ([99, 98, 97, 96, 95, 94, 93, 92, *[1] * 5], [200, 160, 120, 100, 80, 60, 40, 20, *[6] * 5]),
        ([], []),
    ],
)
def test_shared_points_of_examples(levels: list[int], expected: list[int]) -> None:
    assert points_of(levels) == expected


@given(
    st.lists(st.integers(0, 6), max_size=30),
    st.lists(st.integers(0, 500), min_size=1, max_size=12).map(lambda all_: sorted(all_, reverse=True)),
)
def test_shared_points_are_the_rounded_up_mean_and_never_invert_the_order(
    results: list[int], points: list[int]
) -> None:
    results.sort(reverse=True)
    players = [str(number) for number in range(len(results))]
    shared = shared_points(shared_places(players, lambda player: results[int(player)]), points)
    assert list(shared) == players
    of_place = [*points, *[points[-1]] * len(results)]
    for result in set(results):
        first, count = results.index(result), results.count(result)
        mean = Fraction(sum(of_place[first : first + count]), count)
        assert {shared[player] for player in players[first : first + count]} == {ceil(mean)}
    assert list(shared.values()) == sorted(shared.values(), reverse=True)


def test_a_worse_place_with_more_points_is_refused() -> None:
    fields: dict[str, Any] = {"systems": BRITISH.systems, "swiss_rounds": 9, "grand_prix": (100, 120)}
    with pytest.raises(Invalid, match="grand_prix: expected the best place's points first"):
        _checked(FormatRules(**fields))


def test_the_points_stand_in_the_spreadsheet_and_in_the_text() -> None:
    tournament = tournament_from_json(of_points(NINE, "bof", finals=[win("open", "final", "b", "a")]))
    rows = list(csv.DictReader(io.StringIO(write_csv(tournament, LISTS))))
    assert [row["grand_prix"] for row in rows[:4]] == ["200", "160", "100", "100"]
    text = finals(tournament, as_json=False)
    assert "Grand Prix:\n  200  b\n  160  a\n  100  c" in text
    others = write_csv(tournament_from_json(of_points(NINE)), LISTS)
    assert "grand_prix" not in others and "Grand Prix" not in finals(
        tournament_from_json(of_points(NINE)), False
    )

"""The team list: best three, games inside the team, top player, second player, equal (reading 27)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hub.form.tournament import tournament_from_json
from hub.ranking.finals_played import finals_of
from hub.ranking.finals_report import finals_value

Value = dict[str, Any]


def teams(points: dict[str, int], games: list[tuple[str, str]] | None = None, **fields: Any) -> Value:
    """Return players `FRA1`: team and number. Points come from byes; `games` are drawn, one a round, and all count."""
    rulebook = fields.pop("rulebook", "woc-2019")
    more = fields.pop("players", {})
    count = max(points.values())
    rounds: list[Value] = [{"byes": [p for p, scored in points.items() if scored > r]} for r in range(count)]
    rounds += [{"games": [{"black": b, "white": w, "score": [32, 32]}]} for b, w in games or []]
    value = {
        "format": "flagfall-tournament/1",
        "rulebook": rulebook,
        "system": "swiss",
        "rounds_planned": len(rounds),
        "players": [{"id": p, "country": p[:3], **more.get(p, {})} for p in points],
        "rounds": rounds,
        "lots": list(points),
    }
    return msgspec.to_builtins(finals_value(finals_of(tournament_from_json(value | fields))))


def ranked(output: Value) -> list[tuple[int, str, float]]:
    return [(line["place"], line["team"], line["points"]) for line in output["lists"]["teams"]]


@pytest.mark.clause("woc-2019 II.1.d", "woc-2019 II.4", "woc-2017 II.1.c", "woc-2017 II.4")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_the_best_three_results_count(rulebook: str) -> None:
    output = teams({"FRA1": 9, "FRA2": 5, "FRA3": 4, "FRA4": 4, "JPN1": 10, "JPN2": 9}, rulebook=rulebook)
    assert ranked(output) == [(1, "JPN", 19), (2, "FRA", 18)]
    assert output["champions"]["teams"] == "JPN"


@pytest.mark.clause("woc-classic II.1.b", "woc-classic II.4")
def test_the_older_rules_sum_all_members_but_the_hosts_fourth() -> None:
    points = {"FRA1": 9, "FRA2": 5, "FRA3": 4, "FRA4": 4, "JPN1": 10, "JPN2": 9}
    fourth = {"FRA4": {"additional": True}}
    assert ranked(teams(points, rulebook="woc-classic")) == [(1, "FRA", 22), (2, "JPN", 19)]
    assert ranked(teams(points, rulebook="woc-classic", players=fourth))[1] == (2, "FRA", 18)


@pytest.mark.clause("woc-2019 II.2", "woc-2019 II.4", "woc-2017 II.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017"])
def test_the_additional_player_never_counts_for_a_team_nor_for_its_games(rulebook: str) -> None:
    points = {"FRA1": 5, "FRA2": 4, "FRA3": 9, "WOF1": 8, "JPN1": 5, "JPN2": 4}
    additional = {"FRA3": {"additional": True}, "WOF1": {"additional": True}}
    output = teams(points, [("FRA1", "FRA3")], players=additional, rulebook=rulebook)
    assert ranked(output) == [(1, "FRA", 9.5), (2, "JPN", 9)]
    output = teams(points, [("FRA1", "FRA3"), ("JPN1", "JPN2")], players=additional, rulebook=rulebook)
    assert ranked(output)[0] == (1, "JPN", 10)
    assert output["lists"]["open"][0]["player"] == "FRA3"


@pytest.mark.clause("woc-2017 B.2")
def test_in_2017_the_extra_young_player_does_not_count_beside_a_full_team() -> None:
    points = {"FRA1": 5, "FRA2": 4, "FRA3": 3, "FRA4": 9, "JPN1": 5, "JPN2": 9, "ITA1": 5, "ITA2": 9}
    young = {p: {"extra_young": True} for p in ("FRA4", "JPN2", "ITA2")}
    output = teams(points, players=young, rulebook="woc-2017", contact_nations=["ITA"])
    assert ranked(output) == [(1, "JPN", 14), (2, "FRA", 12), (3, "ITA", 5)]
    assert ranked(teams(points, players=young))[0] == (1, "FRA", 18)


THREE = pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic"])


@pytest.mark.clause("woc-2019 II.4", "woc-2017 II.4", "woc-classic II.4")
@THREE
def test_games_inside_the_team_break_a_tie_before_the_top_player(rulebook: str) -> None:
    even = {"FRA1": 9, "FRA2": 5, "JPN1": 7, "JPN2": 6}
    played = teams(even, [("JPN1", "JPN2")], rulebook=rulebook)
    assert ranked(played) == [(1, "JPN", 14), (2, "FRA", 14)]
    level = {"FRA1": 9, "FRA2": 5, "JPN1": 7, "JPN2": 7}
    both = teams(level, [("JPN1", "JPN2"), ("FRA1", "FRA2")], rulebook=rulebook)
    assert ranked(both)[0] == (1, "FRA", 15)


@pytest.mark.clause("woc-2019 II.4", "woc-2017 II.4", "woc-classic II.4")
@THREE
def test_games_against_another_team_or_without_a_score_are_not_inside_the_team(rulebook: str) -> None:
    level = {"FRA1": 9, "FRA2": 5, "JPN1": 7, "JPN2": 7, "ITA1": 1, "X": 1}
    outside = [("JPN1", "ITA1"), ("X", "JPN2"), ("JPN2", "X"), ("ITA1", "FRA1")]
    nobody = {"X": {"country": "", "team": ""}}
    output = teams(level, outside, rulebook=rulebook, players=nobody)
    assert ranked(output)[0] == (1, "JPN", 15.5)
    level["FRA2"] = 7
    output = teams(level, outside, rulebook=rulebook, players=nobody)
    assert ranked(output)[0] == (1, "FRA", 16.5)
    open_game = {"games": [{"black": "JPN1", "white": "JPN2"}]}
    value = {"FRA1": 9, "FRA2": 5, "JPN1": 7, "JPN2": 7}
    rounds = [
        {"byes": [player for player, scored in value.items() if scored > number]} for number in range(9)
    ]
    output = teams(value, rulebook=rulebook, rounds=[*rounds, open_game], rounds_planned=10)
    assert [line[:2] for line in ranked(output)] == [(1, "FRA"), (2, "JPN")], "the better top player"


@pytest.mark.clause("woc-2019 II.4", "woc-2017 II.4", "woc-classic II.4")
@THREE
def test_then_the_second_player_and_a_team_without_one_ranks_lower(rulebook: str) -> None:
    # The two first players are level in points, BQ and discs: a lot never decides between teams.
    nobody = {p: {"country": "", "team": ""} for p in "XYZUVW"}
    points = {"FRA1": 7, "JPN1": 7, "FRA2": 3, "FRA3": 3, "JPN2": 4, "JPN3": 2} | dict.fromkeys("XYZUVW", 9)
    assert ranked(teams(points, players=nobody, rulebook=rulebook)) == [(1, "JPN", 13), (2, "FRA", 13)]
    alone = {"FRA1": 7, "JPN1": 7, "JPN2": 0} | dict.fromkeys("XYZUVW", 9)
    assert ranked(teams(alone, players=nobody, rulebook=rulebook)) == [(1, "JPN", 7), (2, "FRA", 7)]
    before_any_round = dict.fromkeys([*"XYZUVW", "FRA1", "JPN1", "JPN2"], 0)
    output = teams(before_any_round, players=nobody, rulebook=rulebook)
    assert ranked(output) == [(1, "JPN", 0), (2, "FRA", 0)]


@pytest.mark.clause("woc-2019 II.4", "woc-2017 II.4", "woc-classic II.4")
@THREE
def test_teams_level_in_all_are_equal_and_nobody_is_champion(rulebook: str) -> None:
    nobody = {p: {"country": "", "team": ""} for p in "XYZU"}
    points = {"X": 9, "Y": 9, "Z": 9, "U": 9, "FRA1": 7, "JPN1": 7, "ITA1": 3}
    output = teams(points, players=nobody, rulebook=rulebook)
    assert ranked(output) == [(1, "FRA", 7), (1, "JPN", 7), (3, "ITA", 3)]
    assert output["champions"]["teams"] is None


@pytest.mark.clause("woc-classic II.4")
def test_the_older_rules_break_ties_for_the_first_place_only() -> None:
    points = {
        "FRA1": 9,
        "JPN1": 8,
        "FRA2": 1,
        "JPN2": 2,
        "ITA1": 7,
        "ITA2": 3,
        "POL1": 4,
        "NED1": 3,
        "NED2": 1,
    }
    output = teams(points, rulebook="woc-classic")
    assert ranked(output) == [(1, "FRA", 10), (2, "JPN", 10), (2, "ITA", 10), (4, "POL", 4), (4, "NED", 4)]
    assert output["champions"]["teams"] == "FRA"
    assert [place for place, *_ in ranked(teams(points))] == [1, 2, 3, 4, 5]


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6")
@THREE
def test_a_withdrawn_players_points_stay_with_his_team(rulebook: str) -> None:
    gone = [{"player": "FRA2", "after_round": 5}]
    output = teams({"FRA1": 9, "FRA2": 5, "JPN1": 10}, rulebook=rulebook, withdrawals=gone)
    assert ranked(output)[0] == (1, "FRA", 14)


def test_the_team_champion_waits_for_a_playoff_that_decides_the_top_player() -> None:
    points = {"A": 9, "B": 9, "C": 9, "FRA1": 7, "JPN1": 7}
    nobody = {p: {"country": "", "team": ""} for p in "ABC"}
    playoff = {"title": "open", "stage": "playoff", "black": "JPN1", "white": "FRA1", "score": [40, 24]}
    assert teams(points, players=nobody)["champions"]["teams"] is None
    output = teams(points, players=nobody, finals=[playoff])
    assert (output["champions"]["teams"], ranked(output)[0]) == ("JPN", (1, "JPN", 7))

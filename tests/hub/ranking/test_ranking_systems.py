"""The number of rounds that a system takes, and the scores that a rulebook can give."""

from __future__ import annotations

import pytest

from hub.model.games import Game
from hub.ranking.scores import half_points_of, half_points_of_games, score_fault
from hub.ranking.systems import BY_SYSTEM, cycle_rounds, planned, qualifying_rounds, rounds_needed
from hub.rulebook import FORMAT_RULES


@pytest.mark.clause("cc-2024 II.4.2")
@pytest.mark.parametrize(
    ("players", "rounds"), [(0, 0), (1, 0), (2, 1), (3, 3), (4, 3), (5, 5), (9, 9), (10, 9)]
)
def test_everybody_meets_everybody_in_one_round_less_than_players_and_an_odd_number_adds_a_bye(
    players: int, rounds: int
) -> None:
    assert cycle_rounds(players) == rounds


@pytest.mark.clause("woc-2019 II.2.a", "woc-2019 II.2.b", "cc-2024 II.2 [9-10]")
def test_cycles_and_the_rounds_that_follow_them() -> None:
    rounds = {system: rounds_needed(system, 8, 13) for system in BY_SYSTEM}
    assert rounds == {
        "swiss": 13,
        "modified_swiss": 13,
        "round_robin": 7,
        "double_round_robin": 14,
        "triple_round_robin": 21,
        "round_robin_then_swiss": 11,
        "round_robin_with_semifinals": 9,
        "leagues": 3,
    }
    assert qualifying_rounds("leagues", 16, 6) == 3
    assert qualifying_rounds("round_robin_with_semifinals", 10, 11) == 9
    assert qualifying_rounds("round_robin_with_semifinals", 10, 5) == 5
    assert qualifying_rounds("round_robin_then_swiss", 8, 11) == 11


def test_few_players_meet_each_other_in_a_club_and_a_text_with_its_own_rounds_plans_none() -> None:
    assert planned(FORMAT_RULES["woc-2019"], 30) is None
    club = FORMAT_RULES["club"]
    assert planned(club, 6, "double_round_robin") == ("double_round_robin", 10)
    assert planned(club, 6, "swiss") == ("swiss", 5), "each meets each other once"
    assert [planned(club, players) for players in (4, 8, 9, 17, 33)] == [
        ("double_round_robin", 6), ("round_robin", 7), ("swiss", 6), ("swiss", 7), ("swiss", 8),
    ]  # fmt: skip


@pytest.mark.clause("woc-2019 IV.8")
@pytest.mark.parametrize(
    ("score", "half_points"),
    [
        ((33, 31), (2, 0)),
        ((31, 33), (0, 2)),
        ((32, 32), (1, 1)),
        ((1, 1), (1, 1)),
        ((0, 0), (0, 0)),
        ((0, 64), (0, 2)),
    ],
)
def test_a_win_is_a_point_a_draw_half_and_what_both_forfeit_none(
    score: tuple[int, int], half_points: tuple[int, int]
) -> None:
    assert half_points_of(score) == half_points


def test_points_are_summed_over_the_games_that_have_a_score() -> None:
    games = [Game("a", "b", (40, 24)), Game("b", "a", (32, 32)), Game("a", "c", None)]
    assert dict(half_points_of_games(games)) == {"a": 3, "b": 1}


@pytest.mark.clause("woc-2019 IV.8")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_all_discs_count_to_64_and_a_wipe_out_is_64_0(rulebook: str) -> None:
    rules = FORMAT_RULES[rulebook]
    right = [(64, 0), (0, 64), (63, 1), (1, 63), (33, 31), (32, 32)]
    assert [score for score in right if score_fault(rules, score, "board") is not None] == []
    assert str(score_fault(rules, (0, 0), "board")) == "a score above 0-0 unless both forfeit"
    assert score_fault(rules, (0, 0), "forfeit") is None
    for score in ((-1, 40), (40, -1), (65, 0), (0, 65), (33, 32), (65, -1)):
        assert str(score_fault(rules, score, "board")) == "at most 64 discs together"


@pytest.mark.clause("usoa 4.3", "usoa 4.4")
def test_where_empty_squares_are_nobodys_a_score_may_sum_to_less_but_a_wipe_out_does_not() -> None:
    silent = [rules for rules in FORMAT_RULES.values() if not rules.empties_to_winner]
    assert silent
    for rules in silent:
        assert score_fault(rules, (40, 1), "board") is None
        assert score_fault(rules, (1, 40), "board") is None
        assert str(score_fault(rules, (40, 0), "board")) == f"64-0 for a wipe-out under {rules.rulebook}"
        assert str(score_fault(rules, (0, 63), "board")) == f"64-0 for a wipe-out under {rules.rulebook}"


def test_where_empty_squares_are_the_winners_a_score_sums_to_64() -> None:
    winners = [rules for rules in FORMAT_RULES.values() if rules.empties_to_winner]
    assert winners
    for rules in winners:
        assert str(score_fault(rules, (40, 23), "board")) == f"64 discs together under {rules.rulebook}"
        assert score_fault(rules, (40, 24), "board") is None

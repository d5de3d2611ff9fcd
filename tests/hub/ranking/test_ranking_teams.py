"""The team list (reading 27), and team matches on boards: byes, line-ups, seats, and teams in their pairing."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from hub.form.tournament import tournament_from_json
from hub.model.games import Pin
from hub.model.tournament import Absence, Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.finals import finals_of
from hub.ranking.reports import finals_value
from hub.ranking.teams import (
    MatchBoard,
    TeamMatch,
    belongs_to,
    boards_of,
    boards_of_matches,
    line_up,
    matches,
    members,
    team_standings,
    team_tournament,
)

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


def event(teams: dict[str, int], boards: int = 3, **more: Any) -> Tournament:
    """Return an event whose teams have so many players each, rated from the first board down."""
    players = [
        {
            "id": f"{team}{number}",
            "name": f"{team} {number}",
            "team": team,
            "country": "FRA",
            "rating": 2000 - number,
        }
        for team, size in teams.items()
        for number in range(1, size + 1)
    ]
    value = {
        "format": "flagfall-tournament/1",
        "name": "Teams",
        "rulebook": "open",
        "system": "swiss",
        "rounds_planned": 5,
        "seed": 3,
        "players": players,
        "rounds": [],
        "team_matches": boards,
    }
    return tournament_from_json(value | more)


def game(black: str, white: str, black_discs: int = 40, **more: Any) -> dict[str, Any]:
    return {"black": black, "white": white, "score": [black_discs, 64 - black_discs], **more}


def test_a_team_stands_beside_its_player_where_teams_meet_and_the_country_elsewhere() -> None:
    tournament = event({"A": 1})
    assert belongs_to(tournament, tournament.player("A1")) == "A"
    alone = event({"A": 1}, 0)
    assert belongs_to(alone, alone.player("A1")) == "FRA"


@pytest.mark.parametrize(
    ("boards", "read"), [(0, 0), (1, 1), (20, 20), (21, 0), (-1, 0), (True, 0), ("3", 0)]
)
def test_a_match_has_one_to_twenty_boards(boards: Any, read: int) -> None:
    assert boards_of(event({"A": 1}, boards)) == read


def test_without_a_line_up_the_highest_rating_sits_at_the_first_board_and_none_at_the_last() -> None:
    tournament = event({}, players=[
        {"id": "unrated", "team": "A"}, {"id": "low", "team": "A", "rating": 1200},
        {"id": "high", "team": "A", "rating": 1900}, {"id": "other", "team": "B", "rating": 2500},
    ])  # fmt: skip
    assert [player.id for player in members(tournament, "A")] == ["high", "low", "unrated"]
    assert line_up(tournament, "A", 1) == ("high", "low", "unrated")


def test_a_team_with_a_bye_has_won_each_of_its_boards_with_32_discs() -> None:
    first = {"games": [game("A1", "B1"), game("B2", "A2")], "byes": ["C1", "C2"]}
    tournament = event({"A": 2, "B": 2, "C": 2}, 2, rounds=[first])
    assert matches(tournament)[1] == TeamMatch(
        1, 0, ("C", None), half_points=(4, 0), discs=(64, 0), over=True
    )
    lines = [
        (line.team, line.match_points, line.half_points, line.discs) for line in team_standings(tournament)
    ]
    assert lines == [("C", 2, 4, 64), ("A", 1, 2, 64), ("B", 1, 2, 64)]


@pytest.mark.parametrize(
    ("player", "half_points", "discs"), [("A2", (4, 0), (72, 24)), ("B2", (2, 2), (40, 56))]
)
def test_whose_opponent_is_missing_has_won_their_board_for_their_team(
    player: str, half_points: tuple[int, int], discs: tuple[int, int]
) -> None:
    tournament = event({"A": 2, "B": 2}, 2, rounds=[{"games": [game("A1", "B1")], "byes": [player]}])
    assert matches(tournament) == (
        TeamMatch(1, 1, ("A", "B"), half_points=half_points, discs=discs, over=True),
    )


def test_a_game_inside_a_team_is_no_match_and_the_next_game_still_counts() -> None:
    first = {"games": [game("A1", "A2"), game("B1", "C1")], "byes": []}
    tournament = event({"A": 2, "B": 1, "C": 1}, rounds=[first])
    assert [(match.table, match.teams) for match in matches(tournament)] == [(2, ("B", "C"))]


def test_matches_stand_in_the_order_of_their_tables_and_begin_at_the_first_of_them() -> None:
    games = [
        game("C1", "D1", table=3),
        game("D2", "C2", table=4),
        game("A1", "B1", table=1),
        game("B2", "A2", table=2),
    ]
    tournament = event({"A": 2, "B": 2, "C": 2, "D": 2}, 2, rounds=[{"games": games, "byes": []}])
    assert [(match.table, match.teams) for match in matches(tournament)] == [(1, ("A", "B")), (3, ("C", "D"))]


def test_won_drawn_and_lost_matches_are_games_of_the_teams_and_an_open_one_has_no_score() -> None:
    rounds = [
        {"games": [game("A1", "B1"), game("C1", "D1", 24)], "byes": []},
        {"games": [game("A1", "C1", 32), game("B1", "D1") | {"score": None}], "byes": []},
    ]
    tournament = event({"A": 1, "B": 1, "C": 1, "D": 1}, 1, rounds=rounds)
    assert [match.match_points for match in matches(tournament)] == [(2, 0), (0, 2), (1, 1), (0, 0)]
    teams = team_tournament(tournament)
    assert [[(*match.players, match.score) for match in round_.games] for round_ in teams.rounds] == [
        [("A", "B", (40, 24)), ("C", "D", (24, 40))],
        [("A", "C", (32, 32)), ("B", "D", None)],
    ]


def test_a_team_counts_for_the_pairing_by_the_mean_rating_of_its_boards() -> None:
    teams = team_tournament(event({"A": 1, "B": 2, "C": 4}, 3))
    assert [team.rating for team in teams.players] == [1999, 1998.5, 1998]
    nobody = team_tournament(event({}, players=[{"id": "x", "team": "X"}]))
    assert [team.rating for team in nobody.players] == [0]


def test_a_team_without_a_player_in_the_coming_round_is_absent() -> None:
    absences = [{"player": "B1", "round": 2}]
    rounds = [{"games": [game("A1", "B1")], "byes": []}]
    teams = team_tournament(event({"A": 1, "B": 1}, 1, rounds=rounds, absences=absences))
    assert teams.absences == (Absence("B", 2),)


def test_teams_meet_each_other_once_in_a_round_robin_and_are_paired_by_points_elsewhere() -> None:
    four = {"A": 1, "B": 1, "C": 1, "D": 1}
    assert team_tournament(event(four, 1, system="modified_swiss")).system == "swiss"
    assert team_tournament(event(four, 1, system="double_round_robin")).system == "double_round_robin"
    rounds: list[dict[str, Any]] = []
    met = []
    for _ in range(3):
        drawn = next_round(
            team_tournament(event(four, 1, system="round_robin", rounds_planned=3, rounds=rounds))
        )
        met += [frozenset(pair.players) for pair in drawn.games]
        rounds.append(
            {"games": [game(f"{pair.black}1", f"{pair.white}1") for pair in drawn.games], "byes": []}
        )
    assert len(set(met)) == 6


def test_who_is_pinned_with_black_has_black_at_their_board() -> None:
    def pinned(black: str, white: str, **more: Any) -> tuple[Pin, ...]:
        pin = {"black": black, "white": white, **more}
        return team_tournament(event({"A": 4, "B": 4}, 3, pins=[pin])).pins

    assert pinned("A1", "B1") == (Pin("A", "B"),)
    assert pinned("A2", "B2") == (Pin("B", "A"),)
    assert pinned("A3", "B3") == (Pin("A", "B"),)
    assert pinned("A4", "B2") == (Pin("A", "B"),), "a reserve sits at no board"
    assert [pinned("A1", "B1", table=table)[0].table for table in (1, 3, 4, 6, 7)] == [1, 1, 2, 2, 3]
    assert pinned("A1", "A2") == ()


def test_two_pins_of_the_same_teams_are_one_match_and_other_pins_stand() -> None:
    pins = [
        {"black": "A3", "white": "A4"},
        {"black": "A1", "white": "B1"},
        {"black": "B2", "white": "A2"},
        {"black": "C1", "white": "D1"},
    ]
    teams = team_tournament(event({"A": 4, "B": 3, "C": 3, "D": 3}, pins=pins))
    assert teams.pins == (Pin("A", "B"), Pin("C", "D"))


def test_colours_alternate_from_board_to_board_and_whoever_has_nobody_opposite_has_won() -> None:
    tournament = event({"A": 3, "B": 2, "C": 3, "D": 3, "E": 1})
    boards, byes = boards_of_matches(tournament, 1, [("A", "B"), ("C", "D")], ["E"])
    assert boards == [
        MatchBoard(1, "A1", "B1", teams=("A", "B"), board=1),
        MatchBoard(2, "B2", "A2", teams=("A", "B"), board=2),
        MatchBoard(4, "C1", "D1", teams=("C", "D"), board=1),
        MatchBoard(5, "D2", "C2", teams=("C", "D"), board=2),
        MatchBoard(6, "C3", "D3", teams=("C", "D"), board=3),
    ]
    assert byes == ("A3", "E1")
    assert boards_of_matches(tournament, 1, [("B", "A")], [])[1] == ("A3",)


def test_the_boards_of_every_match_of_a_round_are_checked() -> None:
    games = [
        game("A1", "B1", table=1),
        game("B2", "A2", table=2),
        game("C1", "D1", table=3),
        game("D2", "C2", table=4),
    ]
    teams = {"A": 2, "B": 2, "C": 2, "D": 2}
    assert check(event(teams, 2, rounds=[{"games": games, "byes": []}]))[0].fault == ""
    games[3] = game("C2", "D2", table=4)
    (round_check,) = check(event(teams, 2, rounds=[{"games": games, "byes": []}]))
    assert round_check.fault == "D is due to have Black on board 2"
    # Each round is held against its own matches.
    games[3] = game("D2", "C2", table=4)
    second = [
        game("A1", "C1", table=1),
        game("C2", "A2", table=2),
        game("B1", "D1", table=3),
        game("B2", "D2", table=4),
    ]
    rounds = [{"games": games, "byes": []}, {"games": second, "byes": []}]
    assert [round_check.fault for round_check in check(event(teams, 2, rounds=rounds))] == [
        "",
        "D is due to have Black on board 2",
    ]

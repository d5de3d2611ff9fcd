"""Team matches on boards: byes, line-ups, who sits where, and the teams as players of their own pairing."""

from __future__ import annotations

from typing import Any

import pytest

from hub.form.tournament import tournament_from_json
from hub.model.games import Pin
from hub.model.tournament import Absence, Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.team_matches import (
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

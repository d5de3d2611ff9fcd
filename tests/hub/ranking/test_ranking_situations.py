"""Worked situations of Japanese and British events, by their numbers; situations 1 to 11 are those of a table.

| situation | test |
|---|---|
| 1 to 11 | `tests/flagfall/othello/test_law_jof.py` |
| 12, a league of four | the tests of leagues |
| 12, three who are level, and the Swiss | here |
| 13, 14 | `test_ranking_grand_prix.py: test_players_level_on_points_share_the_points_of_their_places` |
| 15 to 17 | `test_ranking_grand_prix.py: test_shared_points_of_examples` |
| 18, a season | here |
| 19, seven players | here |
| 20 | here; `test_ranking_grand_prix.py: test_one_final_between_the_first_two_decides_the_title` |
| 21, eleven players | here |
| 22, eight entrants | here |
| 23, draws and the quotient of a bye | here |
| 24, a disc is put on c4 and slid to c5 | `tests/flagfall/othello/test_law_touch_move.py` |
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from helpers.finals_values import finals_json, of_points, pairs, win

from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import tournament_to_json
from hub.model.games import Game, Round
from hub.model.tournament import Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.grand_prix import season
from hub.ranking.standings import standings


def event(rulebook: str, players: str, rounds: list[dict[str, Any]], **more: Any) -> Tournament:
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": rulebook,
            "players": [{"id": player} for player in players],
            "rounds": rounds,
            **more,
        }
    )


def won(winner: str, loser: str, difference: int) -> dict[str, Any]:
    return {"black": winner, "white": loser, "score": [32 + difference // 2, 32 - difference // 2]}


def played_on(tournament: Tournament, rounds: int) -> Tournament:
    """Return the event after so many more rounds; of two players the one whose name comes first wins."""
    for _ in range(rounds):
        pairing = next_round(tournament)
        games = tuple(
            Game(game.black, game.white, (40, 24) if game.black < game.white else (24, 40))
            for game in pairing.games
        )
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))
    return tournament


# 12: three are level, and the Swiss of a Japanese event.


@pytest.mark.clause("jof J13")
@pytest.mark.parametrize("seed", range(8))
def test_situation_12_three_who_are_level_stand_by_lot(seed: int) -> None:
    games = [
        [won("A", "B", 10), won("C", "D", 10)],
        [won("B", "C", 10), won("A", "D", 10)],
        [won("C", "A", 10), won("B", "D", 10)],
    ]
    tournament = event("jof", "ABCD", [{"games": each} for each in games], system="swiss", seed=seed)
    lines = standings(tournament)
    assert {(line.points, line.difference) for line in lines[:3]} == {(2, 10)}
    assert [line.by_lot for line in lines] == [True, True, True, False] and lines[3].player == "D"
    again = standings(event("jof", "DCBA", [{"games": each} for each in games], system="swiss", seed=seed))
    assert [line.player for line in again] == [line.player for line in lines], "the lot is the seed's"


def test_situation_12_every_one_of_three_is_drawn_first_by_some_seed() -> None:
    games = [[won("A", "B", 10)], [won("B", "C", 10)], [won("C", "A", 10)]]
    first = {
        standings(event("jof", "ABC", [{"games": each} for each in games], system="swiss", seed=seed))[
            0
        ].player
        for seed in range(40)
    }
    assert first == {"A", "B", "C"}


def two_rounds(**more: Any) -> Tournament:
    """Return the situation's standings: E 2-0 +32, A 2-0 +18, F +10, H +6, B +2, D -8, G 0-2 -20, C 0-2 -40."""
    rounds = [
        {"games": [won("E", "G", 4), won("A", "C", 4), won("B", "H", 30), won("D", "F", 6)]},
        {"games": [won("E", "B", 28), won("A", "D", 14), won("F", "G", 16), won("H", "C", 36)]},
    ]
    return event("jof", "ABCDEFGH", rounds, system="swiss", rounds_planned=6, **more)


@pytest.mark.parametrize("seed", range(4))
def test_situation_12_neighbours_of_a_score_group_meet(seed: int) -> None:
    tournament = two_rounds(seed=seed)
    assert [(line.player, line.difference) for line in standings(tournament)] == [
        ("E", 32), ("A", 18), ("F", 10), ("H", 6), ("B", 2), ("D", -8), ("G", -20), ("C", -40),
    ]  # fmt: skip
    pairing = next_round(tournament)
    assert [{game.black, game.white} for game in pairing.games] == [
        set(pair) for pair in ("EA", "FH", "BD", "GC")
    ] and pairing.proven


def test_situation_12_a_whole_event_of_neighbours_is_proved_round_by_round() -> None:
    tournament = played_on(two_rounds(), 3)
    # The second round of the situation was paired otherwise.
    assert [line.optimal for line in check(tournament)][2:] == [True] * 3


def test_situation_12_neighbours_who_have_met_do_not_meet_again() -> None:
    rounds = [
        {"games": [won("A", "B", 20), won("C", "D", 10)]},
        {"games": [won("A", "C", 4), won("B", "D", 40)]},
    ]
    tournament = event("jof", "ABCD", rounds, system="swiss", rounds_planned=3)
    assert {frozenset((game.black, game.white)) for game in next_round(tournament).games} == {
        frozenset("AD"), frozenset("BC"),
    }  # fmt: skip


# 18: the season of a Grand Prix.


def test_situation_18_a_season_level_on_points_goes_to_more_200s_and_then_to_a_play_off() -> None:
    events = [{"x": 200, "y": 160}, {"x": 100, "y": 160}, {"x": 60, "y": 40}]
    assert [(line.place, line.player, line.points) for line in season(events)] == [
        (1, "x", 360),
        (2, "y", 360),
    ]
    level = season([{"x": 200, "z": 160}, {"x": 160, "z": 200}])
    assert [(line.place, line.points, line.plays_off) for line in level] == [(1, 360, True), (1, 360, True)]


# 19 and 21: byes.


@pytest.mark.parametrize(("bye_discs", "expected"), [(None, 32), (40, 40)])
def test_situation_19_of_seven_players_everybody_has_one_bye(bye_discs: int | None, expected: int) -> None:
    own = 'based_on = "bof"\nid = "ours"\ntitle = "Ours"\n[tournament]\nbye_discs = 40\n'
    more = {} if bye_discs is None else {"rulebook_text": own}
    tournament = played_on(event("bof", "abcdefg", [], rounds_planned=7, **more), 7)
    assert tournament.system == "round_robin"
    byes = [player for played in tournament.rounds for player in played.byes]
    assert sorted(byes) == list("abcdefg")
    line = next(line for line in standings(tournament) if line.player == "a")
    assert (line.points, line.discs) == (7, 6 * 40 + expected)


def test_situation_21_of_eleven_players_nine_have_a_bye_and_nobody_two() -> None:
    tournament = played_on(event("bof", "abcdefghijk", [], seed=5), 9)
    assert (tournament.system, tournament.rounds_planned) == ("swiss", 9)
    byes = Counter(player for played in tournament.rounds for player in played.byes)
    assert set(byes.values()) == {1} and len(byes) == 9


# 22: the director changes the form on the day.


def test_situation_22_eight_play_everybody_and_then_semi_finals_of_first_and_fourth() -> None:
    own = """
based_on = "cc-2024"
id = "eight"
title = "Eight entrants"
"""
    tournament = event(
        "cc-2024", "abcdefgh", [], system="round_robin_with_semifinals", rounds_planned=7, rulebook_text=own
    )
    tournament = played_on(tournament, 7)
    assert [line.player for line in standings(tournament)] == list("abcdefgh")
    value = tournament_to_json(tournament)
    due = finals_json(value)["due"]
    assert pairs(due) == [("open", "semi-final", "a-d"), ("open", "semi-final", "b-c")]
    assert [(match["chooses"], match["may"]) for match in due] == [("a", "colour"), ("b", "colour")]


# 23: draws, and the quotient of who has met a bye.


def test_situation_23_a_draw_is_half_a_point_and_a_bye_adds_32_and_six_times_ones_own_points() -> None:
    rounds = [
        {"games": [{"black": "a", "white": "b", "score": [32, 32]}], "byes": ["c"]},
        {"games": [won("a", "c", 16)], "byes": ["b"]},
    ]
    tournament = event("bof", "abc", rounds, system="swiss", rounds_planned=2)
    lines = {line.player: line for line in standings(tournament)}
    assert {player: line.points for player, line in lines.items()} == {"a": 1.5, "b": 1.5, "c": 1}
    # a: 32 + 6 x 1.5 of b, 40 + 6 x 1 of c; b: 32 + 6 x 1.5 of a, and the bye; c: 24 + 6 x 1.5 of a, and the bye.
    assert lines["a"].bq == 72 + 6 * 2.5
    assert lines["b"].bq == 32 + 9 + 32 + 6 * 1.5
    assert lines["c"].bq == 24 + 9 + 32 + 6 * 1


def test_situation_20_the_better_of_nine_rounds_may_lose_the_final() -> None:
    after = finals_json(of_points({"p": 9, "q": 8, "r": 7}, "bof", finals=[win("open", "final", "q", "p")]))
    assert after["champions"]["open"] == "q" and [entry["player"] for entry in after["lists"]["open"]] == [
        "q",
        "p",
        "r",
    ]

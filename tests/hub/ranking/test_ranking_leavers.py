"""Events in which a player leaves with so many wins, and play-offs of all who are level with the first."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.finals_values import Value, finals_json, of_points, pairs, places, win

from flagfall.base.errors import Invalid
from hub.form.tournament import tournament_from_json, with_fields
from hub.formats.tournament_file import tournament_to_json
from hub.model.tournament import Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.standings import standings
from hub.rulebook import format_rules
from hub.text import FormatError, Refused

OWN = 'based_on = "jof"\nid = "own"\ntitle = "Own"\n[tournament]\n'


def event(players: str, rounds: list[list[tuple[str, int]]], **more: Any) -> Tournament:
    """Return an event of these rounds; a game is ("ab", the discs of a)."""
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "jof",
            "system": "swiss",
            "rounds_planned": 6,
            "players": [{"id": player} for player in players],
            "rounds": [
                {"games": [{"black": g[0], "white": g[1], "score": [n, 64 - n]} for g, n in games]}
                for games in rounds
            ],
        }
        | more
    )


TWO_WINS = [[("ab", 40), ("cd", 36)], [("ac", 34), ("bd", 50)], [("bc", 40)]]


def test_whoever_has_enough_wins_leaves_and_the_fewest_games_rank_first() -> None:
    # a wins twice at once and leaves; b has its second win a round later, with a greater difference.
    after_two = event("abcd", TWO_WINS[:2], leave_after_wins=2)
    assert {p for g in next_round(after_two).games for p in g.players} == set("bcd") - {
        *next_round(after_two).byes
    }
    played = event("abcd", TWO_WINS, leave_after_wins=2)
    lines = {line.player: line for line in standings(played)}
    assert [line.player for line in standings(played)][:2] == ["a", "b"]
    assert (lines["a"].difference, lines["b"].difference) == (20, 36)
    assert (lines["a"].left_after, lines["b"].left_after, lines["c"].left_after) == (2, 3, 0)
    without = event("abcd", TWO_WINS)
    assert [line.player for line in standings(without)][:2] == ["b", "a"]


def test_rounds_after_leaving_are_not_missed() -> None:
    played = {line.player: line.difference for line in standings(event("abcd", TWO_WINS, leave_after_wins=2))}
    assert played["a"] == 16 + 4, "no walkover of -64"
    assert played["d"] == -8 - 36 - 64, "d stayed away"


def test_in_the_quotient_too_the_rounds_after_leaving_are_not_missed() -> None:
    played = event("abcd", TWO_WINS, rulebook="open", leave_after_wins=2, tie_break="bq")
    lines = {line.player: line for line in standings(played)}
    assert lines["a"].bq == 40 + 34 + 6 * (2 + 1)


def test_a_draw_is_half_a_win_and_a_bye_is_one() -> None:
    drawn = event("ab", [[("ab", 32)]] * 2, leave_after_wins=1, rulebook="open")
    assert {line.left_after for line in standings(drawn)} == {2}
    bye = event("abc", [[("ab", 40)]], leave_after_wins=1)
    with_bye = tournament_from_json(tournament_to_json(bye) | {"rounds": [{"games": [], "byes": ["c"]}]})
    assert [line.player for line in standings(with_bye) if line.left_after] == ["c"]


def test_when_all_have_left_the_director_is_told_to_end_the_rounds() -> None:
    played = event("ab", [[("ab", 40)], [("ab", 20)]], leave_after_wins=1)
    with pytest.raises(Refused, match="everybody has left with 1 wins: set 2 rounds"):
        next_round(played)


def test_a_pin_of_a_player_who_has_left_is_named() -> None:
    played = event("abcd", TWO_WINS[:2], leave_after_wins=2, pins=[{"black": "a", "white": "b"}])
    with pytest.raises(Refused, match="got a, who has left with 2 wins"):
        next_round(played)


def test_32_players_in_six_rounds_of_five_wins() -> None:
    """The whole evening by the program's own pairings: the better number always wins."""
    names = [f"{number:02}" for number in range(32)]
    of = tournament_from_json(
        tournament_to_json(event("ab", [], leave_after_wins=5, level_playoff=4))
        | {"players": [{"id": name} for name in names], "seed": 3}
    )
    for _ in range(6):
        paired = next_round(of)
        games = [
            {"black": g.black, "white": g.white, "score": [40, 24] if g.black < g.white else [24, 40]}
            for g in paired.games
        ]
        round_ = {"games": games, "byes": list(paired.byes)}
        of = tournament_from_json(
            tournament_to_json(of) | {"rounds": [*tournament_to_json(of)["rounds"], round_]}
        )
    assert all(line.optimal for line in check(of))
    lines = standings(of)
    assert (lines[0].player, lines[0].left_after, lines[0].points) == ("00", 5, 5)
    assert {line.left_after for line in lines} == {0, 5, 6}
    assert [line.points for line in lines] == sorted((line.points for line in lines), reverse=True)


def level(points: dict[str, int], **more: Any) -> Value:
    return of_points(points, "jof", level_playoff=4) | more


def test_two_three_and_four_who_are_level_play_off_and_a_fifth_does_not() -> None:
    assert pairs(finals_json(level({"a": 5, "b": 5, "c": 4}))["due"]) == [("open", "final", "a-b")]
    assert pairs(finals_json(level({"a": 5, "b": 5, "c": 5, "d": 4}))["due"]) == [
        ("open", "semi-final", "b-c")
    ]
    assert pairs(finals_json(level(dict.fromkeys("abcde", 5)))["due"]) == [
        ("open", "semi-final", "a-d"),
        ("open", "semi-final", "b-c"),
    ]
    assert pairs(finals_json(level(dict.fromkeys("abcde", 5), level_playoff=2))["due"]) == [
        ("open", "final", "a-b")
    ]


def test_a_first_who_is_alone_has_won() -> None:
    answer = finals_json(level({"a": 5, "b": 4, "c": 4}))
    assert (answer["due"], answer["champions"]["open"]) == ([], "a")
    assert places(answer["lists"]["open"]) == [(1, "a"), (2, "b"), (3, "c")], "each has a place"


def test_a_play_off_decides_the_first_places_and_colours_are_drawn_at_the_table() -> None:
    four = level(dict.fromkeys("abcd", 5) | {"e": 3})
    due = finals_json(four)["due"][0]
    assert (due["chooses"], due["may"], due["minutes"], due["games"]) == (None, "colour", 20, 1)
    semis = [win("open", "semi-final", "d", "a"), win("open", "semi-final", "b", "c")]
    decided = {
        "title": "open",
        "stage": "final",
        "black": "b",
        "white": "d",
        "score": [32, 32],
        "draw_win": "d",
    }
    answer = finals_json(four | {"finals": [*semis, decided]})
    assert (answer["champions"]["open"], answer["due"]) == ("d", [])
    assert [player for _, player in places(answer["lists"]["open"])] == ["d", "b", "a", "c", "e"]
    with pytest.raises(FormatError, match=r"finals\[2\]\.draw_win: expected the player who wins the draw"):
        finals_json(four | {"finals": [*semis, decided | {"draw_win": None}]})


def test_who_left_after_five_games_and_after_six_are_level_for_the_play_off() -> None:
    games = [[("ab", 40), ("cd", 36)], [("ac", 34), ("bd", 50)], [("bc", 40)]]
    played = tournament_to_json(event("abcd", games, leave_after_wins=2, level_playoff=4, rounds_planned=3))
    assert pairs(finals_json(played)["due"]) == [("open", "final", "a-b")]


def test_both_switches_stand_in_a_rulebook_of_ones_own_and_the_event_may_set_others() -> None:
    text = OWN + "leave_after_wins = 2\nlevel_playoff = 4\n"
    rules = format_rules("jof", text)
    assert (rules.leave_after_wins, rules.level_playoff) == (2, 4)
    played = event("abcd", TWO_WINS, rulebook_text=text)
    assert [line.player for line in standings(played)][:2] == ["a", "b"]
    stays = with_fields(played, {"leave_after_wins": 0})
    assert [line.player for line in standings(stays)][:2] == ["b", "a"]
    assert tournament_from_json(tournament_to_json(stays)) == stays
    with pytest.raises(Invalid, match=r"tournament.level_playoff.*0, 2, 3 or 4|level_playoff"):
        format_rules("jof", OWN + "level_playoff = 5\n")
    with pytest.raises(Invalid, match="woc-2019 has finals of its own"):
        format_rules("woc-2019", OWN.replace("jof", "woc-2019") + "level_playoff = 4\n")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"system": "round_robin", "leave_after_wins": 3}, "leave_after_wins: expected a Swiss"),
        ({"leave_after_wins": -1}, "leave_after_wins: expected"),
        ({"leave_after_wins": True}, "leave_after_wins: expected"),
        ({"leave_after_wins": "five"}, "leave_after_wins: expected"),
        ({"level_playoff": 1}, "level_playoff: expected"),
        ({"level_playoff": 5}, "level_playoff: expected"),
        ({"rulebook": "woc-2019", "level_playoff": 4}, "level_playoff: expected nothing, as woc-2019"),
        ({"rulebook": "bof", "level_playoff": 2}, "level_playoff: expected nothing, as bof"),
    ],
)
def test_a_switch_that_makes_no_sense_is_named(fields: dict[str, Any], fault: str) -> None:
    with pytest.raises(FormatError, match=fault):
        event("abcd", [], **fields)


def test_a_rulebook_with_finals_of_its_own_may_let_players_leave() -> None:
    assert event("abcd", [], rulebook="bof", leave_after_wins=5).leave_after_wins == 5

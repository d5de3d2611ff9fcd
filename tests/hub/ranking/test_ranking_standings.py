"""Points, Brightwell quotient, discs and lot: what Appendix A says of every kind of game, bye and gap."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import tournament_to_json
from hub.model.games import FinalPlace, Game
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.ranking.reports import exact, rank
from hub.ranking.standings import as_after, standings

Value = dict[str, Any]
Score = tuple[str, str, int, int]


def tournament(players: str, rounds: list[tuple[list[Score], str]], **fields: Any) -> Tournament:
    """Return a tournament. `rounds`: the games as (black, white, black's discs, white's) and the players with a bye."""
    value: Value = {
        "format": "flagfall-tournament/1",
        "rulebook": "woc-2019",
        "system": "swiss",
        "players": [{"id": player} for player in players],
        "rounds": [
            {"games": [{"black": b, "white": w, "score": [x, y]} for b, w, x, y in games], "byes": list(byes)}
            for games, byes in rounds
        ],
    }
    return tournament_from_json(value | fields)


def bq(of: Tournament) -> dict[str, Fraction]:
    return {line.player: line.bq for line in standings(of)}


@pytest.mark.clause("woc-2019 A.3", "woc-2019 A.3.a", "woc-2019 A.3.b", "woc-2019 A.3.c", "woc-2017 A.3")
@pytest.mark.clause("woc-2017 A.3.a", "woc-2017 A.3.b", "woc-2017 A.3.c", "woc-classic A.3")
@pytest.mark.clause("woc-classic A.3.a", "woc-classic A.3.b", "woc-classic A.3.c", "cc-2024 VII.a.3")
@pytest.mark.clause("cc-2024 VII.a.3.a", "cc-2024 VII.a.3.b", "cc-2024 VII.a.3.c")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"])
def test_a_narrow_win_over_a_player_with_one_point_and_a_bye_make_83(rulebook: str) -> None:
    played = tournament(
        "abc", [([("a", "b", 33, 31)], "c"), ([("b", "c", 40, 24)], "a")], rulebook=rulebook, bq_constant=6
    )
    assert bq(played)["a"] == 33 + 6 * 1 + 32 + 6 * 2 == 83


def test_a_bye_is_a_point_and_32_discs() -> None:
    line = standings(tournament("a", [([], "a")]))[0]
    assert (line.points, line.discs, line.bq) == (1, 32, 32 + 6)


def test_an_unplayed_round_is_no_point_no_disc_but_32_and_c_times_own_points_in_the_bq() -> None:
    first, *_ = standings(tournament("ab", [([("a", "b", 40, 24)], ""), ([], "")]))
    assert (first.player, first.points, first.discs, first.bq) == ("a", 1, 40, 40 + 0 + 32 + 6)


@pytest.mark.clause("woc-classic A.3", "woc-classic A.3.a", "woc-classic A.3.c", "woc-2019 A.3.c")
@pytest.mark.clause("woc-2017 A.3.c", "cc-2024 VII.a.3.c")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"])
def test_the_older_text_knows_byes_only_and_adds_nothing_for_a_round_not_played(rulebook: str) -> None:
    rounds = [([("a", "b", 40, 24)], "c"), ([("a", "b", 40, 24)], "")]
    value = bq(tournament("abc", rounds, rulebook=rulebook, bq_constant=6))
    bye, unplayed = 32 + 6 * 1, 0 if rulebook == "woc-classic" else 32 + 6 * 1
    assert value["c"] == bye + unplayed
    absent = bq(
        tournament("abc", rounds, rulebook=rulebook, bq_constant=6, absences=[{"player": "c", "round": 2}])
    )
    assert absent == value
    gone = bq(
        tournament(
            "abc", rounds, rulebook=rulebook, bq_constant=6, withdrawals=[{"player": "c", "after_round": 1}]
        )
    )
    assert gone == value
    playing = tournament("abc", rounds, rulebook=rulebook, bq_constant=6)
    first, second = playing.rounds
    in_play = replace(second, games=(replace(second.games[0], score=None),))
    value = bq(replace(playing, rounds=(first, in_play)))
    assert (value["a"], value["b"]) == (40 + unplayed, 24 + 6 * 1 + (unplayed and 32)), "its game is left out"


@pytest.mark.clause("woc-2019 II.8", "woc-2017 II.7", "woc-classic II.6", "cc-2024 II.8")
@pytest.mark.clause("woc-2019 A.3.a", "woc-2017 A.3.a", "woc-classic A.3.a", "cc-2024 VII.a.3.a")
@pytest.mark.clause("woc-2019 A.3.c", "woc-2017 A.3.c", "woc-classic A.3.c", "cc-2024 VII.a.3.c")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_games_against_a_withdrawn_player_count_32_and_own_points_but_keep_their_discs(rulebook: str) -> None:
    rounds = [([("a", "b", 60, 4), ("c", "d", 40, 24)], ""), ([("a", "c", 30, 34)], "d")]
    gone = tournament("abcd", rounds, withdrawals=[{"player": "b", "after_round": 1}], rulebook=rulebook)
    line = next(line for line in standings(gone) if line.player == "a")
    assert (line.discs, line.bq) == (90, (32 + 6 * 1) + (30 + 6 * 2))
    his = next(line for line in standings(gone) if line.player == "b")
    unplayed = 0 if rulebook == "woc-classic" else 32
    assert (his.points, his.discs, his.bq) == (0, 4, (4 + 6 * 1) + unplayed)


def test_who_withdrew_after_the_last_round_missed_none() -> None:
    rounds = [([("a", "b", 60, 4)], "")]
    stayed = tournament("ab", rounds)
    left = tournament("ab", rounds, withdrawals=[{"player": "b", "after_round": 1}])
    assert standings(left) == standings(stayed)


def test_a_late_entrants_earlier_rounds_are_unplayed() -> None:
    late = tournament("ab", [([], "a"), ([("b", "a", 34, 30)], "")])
    value = bq(late)
    assert value["b"] == (34 + 6 * 1) + (32 + 6 * 1)


def test_an_opponent_met_twice_is_summed_twice() -> None:
    twice = tournament("ab", [([("a", "b", 40, 24)], ""), ([("b", "a", 34, 30)], "")])
    assert bq(twice) == {"a": 40 + 30 + 2 * 6, "b": 24 + 34 + 2 * 6}


@pytest.mark.clause("woc-2019 A.1", "woc-2017 A.1", "woc-classic A.1", "cc-2024 VII.a.1")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
@given(st.permutations(range(6)), st.lists(st.integers(0, 64), min_size=15, max_size=15))
def test_in_a_round_robin_the_quotient_orders_level_players_as_their_discs_do(
    rulebook: str, circle: list[int], discs: list[int]
) -> None:
    next_discs = iter(discs)
    rounds: list[tuple[list[Score], str]] = []
    for _ in range(5):
        seats = [(str(circle[i]), str(circle[5 - i]), next(next_discs)) for i in range(3)]
        rounds.append(([(b, w, x, 64 - x) for b, w, x in seats], ""))
        circle = [circle[0], circle[-1], *circle[1:-1]]
    lines = standings(tournament("012345", rounds, rulebook=rulebook, system="round_robin"))
    merits = [(line.half_points, line.discs) for line in lines]
    assert merits == sorted(merits, reverse=True)


def test_half_points_and_games_still_being_played() -> None:
    value = tournament("abcd", [([("a", "b", 32, 32)], "")])
    playing = dataclasses.replace(value.rounds[0].games[0], black="c", white="d", score=None)
    games = (*value.rounds[0].games, playing)
    value = dataclasses.replace(value, rounds=(dataclasses.replace(value.rounds[0], games=games),))
    lines = {line.player: (line.points, line.bq, line.discs) for line in standings(value)}
    # Left out: for the two who play it, the round is one not played yet.
    assert lines == {"a": (0.5, 35, 32), "b": (0.5, 35, 32), "c": (0, 32, 0), "d": (0, 32, 0)}
    without = dataclasses.replace(value, rounds=(dataclasses.replace(value.rounds[0], games=games[:1]),))
    assert standings(value) == standings(without)


def test_both_forfeit_and_neither_has_a_point() -> None:
    game = {"black": "a", "white": "b", "score": [0, 0], "reason": "forfeit"}
    value = {"format": "flagfall-tournament/1", "rulebook": "woc-2019", "rounds": [{"games": [game]}]}
    lines = standings(tournament_from_json(value | {"players": [{"id": "a"}, {"id": "b"}]}))
    assert [(line.points, line.discs) for line in lines] == [(0, 0), (0, 0)]


@pytest.mark.clause("woc-2019 A.2", "woc-2017 A.2", "woc-classic A.2", "cc-2024 VII.a.2")
@pytest.mark.parametrize("rulebook", ["woc-2019", "woc-2017", "woc-classic", "cc-2024"])
def test_c_is_6_unless_the_file_says_otherwise(rulebook: str) -> None:
    rounds: list[tuple[list[Score], str]] = [([("a", "b", 40, 24)], ""), ([], "ab"), ([], "ab")]
    assert bq(tournament("ab", rounds, rulebook=rulebook))["a"] == 40 + 6 * 2 + 2 * (32 + 6 * 3)
    assert bq(tournament("ab", rounds, bq_constant=5.5))["a"] == 40 + 11 + 2 * 32 + 33
    thirds = bq(tournament("ab", rounds, bq_constant="64/rounds"))["a"]
    assert thirds == 40 + 64 + Fraction(64, 3) * 8
    assert exact(thirds) == "274 2/3"


TIES = ["woc-2019", "woc-2017", "woc-classic", "cc-2024"]


@pytest.mark.clause("woc-2019 A.4", "woc-2017 A.4", "woc-classic A.4", "cc-2024 VII.a.4")
@pytest.mark.clause("woc-2019 II.3.1", "woc-2017 II.3.1", "woc-classic II.3.1", "cc-2024 II.3")
@pytest.mark.parametrize("rulebook", TIES)
def test_level_in_all_is_settled_by_a_lot_that_is_the_same_whatever_the_order_of_the_file(
    rulebook: str,
) -> None:
    event = tournament("abcdef", [([], "abc")], seed=7, rulebook=rulebook)
    other = dataclasses.replace(event, players=tuple(reversed(event.players)))
    assert standings(event) == standings(other)
    assert all(line.by_lot for line in standings(event))
    orders = {
        tuple(line.player for line in standings(dataclasses.replace(event, seed=seed))) for seed in range(9)
    }
    assert len(orders) > 3
    drawn = dataclasses.replace(event, lots=("c", "a", "b"))
    assert [line.player for line in standings(drawn)][:3] == ["c", "a", "b"]


@pytest.mark.clause("woc-2019 A.4", "woc-2017 A.4", "woc-classic A.4", "cc-2024 VII.a.4")
@pytest.mark.clause("woc-2019 II.3.1", "woc-2017 II.3.1", "woc-classic II.3.1", "cc-2024 II.3")
@pytest.mark.parametrize("rulebook", TIES)
def test_the_quotient_separates_before_the_discs(rulebook: str) -> None:
    # a has beaten d, who has no point, by more discs than b has beaten c, who has one.
    rounds = [([("a", "d", 40, 24), ("b", "c", 38, 26)], ""), ([("c", "d", 33, 31)], "ab")]
    lines = standings(tournament("abcd", rounds, rulebook=rulebook))
    assert [(line.player, line.points, line.bq, line.discs) for line in lines[:2]] == [
        ("b", 2, 38 + 6 + 32 + 12, 70),
        ("a", 2, 40 + 32 + 12, 72),
    ]


@pytest.mark.clause("woc-2019 A.4", "woc-2017 A.4", "woc-classic A.4", "cc-2024 VII.a.4")
@pytest.mark.clause("woc-2019 II.3.1", "woc-2017 II.3.1", "woc-classic II.3.1", "cc-2024 II.3")
@pytest.mark.parametrize("rulebook", TIES)
def test_discs_separate_before_the_lot(rulebook: str) -> None:
    rounds = [([("a", "c", 40, 24), ("b", "d", 34, 30)], ""), ([], "d")]
    lines = standings(tournament("bacd", rounds, rulebook=rulebook))
    bq = 40 if rulebook == "woc-classic" else 78
    level = [line for line in lines if line.player in "ab"]
    assert [(line.player, line.points, line.bq, line.discs, line.by_lot) for line in level] == [
        ("a", 1, bq, 40, False),
        ("b", 1, bq, 34, False),
    ]


def test_wins_then_disc_difference_as_clubs_in_japan_rank() -> None:
    rounds = [([("a", "b", 33, 31), ("c", "d", 60, 4)], ""), ([("a", "d", 34, 30), ("c", "b", 0, 64)], "")]
    lines = standings(tournament("abcd", rounds, tie_break="disc-difference"))
    assert [line.player for line in lines] == ["a", "b", "c", "d"]
    with_a_bye = standings(tournament("abc", [([("a", "b", 40, 24)], "c")], tie_break="disc-difference"))
    assert [(line.player, line.difference) for line in with_a_bye] == [("a", 16), ("c", 0), ("b", -16)]


OWN = 'based_on = "woc-2019"\nid = "own"\ntitle = "Own"\n[tournament]\n'


def ranked_by(*ties: str) -> str:
    return OWN + f"ties = {json.dumps(ties)}\n"


def test_two_who_are_level_are_ordered_by_their_own_game_and_three_by_lot() -> None:
    level = [
        ([("a", "b", 34, 30), ("c", "d", 40, 24)], ""),
        ([("a", "c", 28, 36), ("b", "d", 40, 24)], ""),
        ([("a", "d", 44, 20), ("b", "c", 38, 26)], ""),
    ]  # A 2 wins +20, B 2 wins +24, C 2 wins +12
    assert [
        line.player for line in standings(tournament("cbad", level, rulebook_text=ranked_by("difference")))
    ] == ["b", "a", "c", "d"]
    level[1][0][1] = ("b", "d", 38, 26)  # B +20 too: A has won their game
    lines = standings(tournament("cbad", level, rulebook_text=ranked_by("difference", "mutual")))
    assert [(line.player, line.difference, line.by_lot) for line in lines[:2]] == [
        ("a", 20, False),
        ("b", 20, False),
    ]
    ring = [
        ([("a", "b", 37, 27), ("c", "d", 37, 27)], ""),
        ([("b", "c", 37, 27), ("a", "d", 37, 27)], ""),
        ([("c", "a", 37, 27), ("b", "d", 37, 27)], ""),
    ]
    played = tournament("abcd", ring, rulebook_text=ranked_by("difference", "mutual"), lots=["c", "a", "b"])
    assert [(line.player, line.by_lot) for line in standings(played)] == [
        *(("c", True), ("a", True), ("b", True)),
        ("d", False),
    ]


@given(st.integers(0, 2**32))
def test_the_lot_of_three_who_are_level_is_drawn_from_the_seed_of_the_record(seed: int) -> None:
    ring = [([("a", "b", 37, 27)], ""), ([("b", "c", 37, 27)], ""), ([("c", "a", 37, 27)], "")]
    lines = [
        standings(tournament(ids, ring, seed=seed, rulebook_text=ranked_by("difference", "mutual")))
        for ids in ("abc", "cba")
    ]
    assert lines[0] == lines[1] and all(line.by_lot for line in lines[0])


def test_an_event_may_break_ties_otherwise_than_its_rulebook() -> None:
    rounds = [([("a", "b", 33, 31), ("c", "d", 60, 4)], "")]
    by_text = tournament("abcd", rounds, rulebook_text=ranked_by("difference", "mutual"))
    assert [line.player for line in standings(by_text)] == ["c", "a", "b", "d"]
    by_quotient = replace(by_text, tie_break="bq", bq_constant=Fraction(6))
    assert by_text.tie_break == "" and [line.bq for line in standings(by_quotient)] == [60, 33, 31 + 6, 4 + 6]
    assert tournament_from_json(tournament_to_json(by_quotient)) == by_quotient


def test_a_bye_has_the_discs_of_the_rulebook() -> None:
    played = tournament("abc", [([("a", "b", 33, 31)], "c")], rulebook_text=OWN + "bye_discs = 40\n")
    line = next(line for line in standings(played) if line.player == "c")
    assert (line.points, line.discs, line.difference, line.bq) == (1, 40, 16, 40 + 6)


def test_a_missed_round_may_count_as_a_walkover_that_is_lost() -> None:
    text = OWN + 'missed_round = "walkover"\nties = ["difference"]\n'
    rounds = [([("a", "b", 33, 31)], "c"), ([("a", "c", 33, 31)], "")]
    lines = standings(tournament("abc", rounds, rulebook_text=text))
    assert {line.player: (line.discs, line.difference) for line in lines} == {
        "a": (66, 4),
        "b": (31, -2 - 64),
        "c": (63, -2),
    }


def test_half_a_point_for_a_round_missed_counts_from_that_round_on_and_as_not_played_in_the_quotient() -> (
    None
):
    played = tournament("abc", [([("a", "b", 40, 24)], "")], rulebook="club", bq_constant=6)
    lines = standings(replace(played, absences=(Absence("c", 1, True), Absence("b", 2, True))))
    assert [(line.player, line.points, line.discs, line.bq) for line in lines] == [
        ("a", 1, 40, 40),
        ("c", 0.5, 0, 32 + 6 * Fraction(1, 2)),
        ("b", 0, 24, 24 + 6),
    ]


def test_a_list_as_after_a_round_knows_nothing_of_what_came_later() -> None:
    rounds = [([("a", "b", 40, 24)], "c"), ([("a", "c", 40, 24)], "b"), ([("c", "b", 40, 24)], "a")]
    played = replace(
        tournament("abcd", rounds),
        absences=tuple(Absence("b", number, half_point=True) for number in (1, 2, 3)),
        withdrawals=tuple(Withdrawal(player, after) for player, after in (("a", 1), ("b", 2), ("c", 3))),
        finals=(Game("a", "b", final=FinalPlace("open", "final")),),
    )
    late = replace(played, players=(*played.players[:3], replace(played.players[3], from_round=3)))
    then = as_after(late, 2)
    assert (len(then.rounds), then.finals) == (2, ())
    assert [player.id for player in then.players] == ["a", "b", "c"]
    assert [absence.round for absence in then.absences] == [1, 2]
    assert then.withdrawals == (Withdrawal("a", 1),), "who left after the second round has missed none of it"
    assert [player.id for player in as_after(late, 3).players] == ["a", "b", "c", "d"]


def test_the_table_for_people() -> None:
    rounds = [([("a", "b", 40, 24)], "cd"), ([("b", "c", 33, 31)], "a")]
    players = (Player("a", "Ann", "FRA"), Player("b"), Player("c", "Cid"), Player("d"))
    played = replace(tournament("abcd", rounds), players=players)
    assert rank(played, as_json=False).split("\n") == [
        "place  points  BQ  discs  id  country  name",
        "   1        2  90     72  a   FRA      Ann",
        "   2        1  76     32  d",
        "   3        1  75     63  c            Cid",
        "   4        1  75     57  b",
    ]
    by_difference = tournament("abcd", rounds, tie_break="disc-difference")
    assert rank(replace(by_difference, players=players), as_json=False).split("\n")[:2] == [
        "place  points  diff  discs  id  country  name",
        "   1        2   +16     72  a   FRA      Ann",
    ]
    level = rank(tournament("ab", [([], "ab")], lots=["b", "a"]), as_json=False).split("\n")
    assert level[1:] == ["   1*       1  38     32  b", "   2*       1  38     32  a", "* settled by lot"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(578), "578"),
        (Fraction(1157, 2), "578.5"),
        (Fraction(4625, 8), "578.125"),
        (Fraction(4048, 7), "578 2/7"),
        (Fraction(1, 16), "0 1/16"),
        (Fraction(10), "10"),
        (Fraction(0), "0"),
    ],
)
def test_a_quotient_is_shown_with_nothing_rounded_away(value: Fraction, text: str) -> None:
    assert exact(value) == text


def test_names_of_players_stay_readable_in_json() -> None:
    named = replace(tournament("a", []), players=(Player("\u0141ukasz"),))
    assert "\u0141ukasz" in rank(named, as_json=True)


def test_rank_json_is_the_contracts() -> None:
    output = json.loads(rank(tournament("ab", [([("a", "b", 32, 32)], ""), ([], "ab")]), as_json=True))
    assert list(output) == ["standings"]
    assert list(output["standings"][0]) == [
        *("place", "player", "points", "bq", "discs", "by_lot", "difference")
    ]
    assert output["standings"][0]["points"] == 1.5
    assert [line["place"] for line in output["standings"]] == [1, 2]
    thirds = tournament("a", [([], "a")] * 3, bq_constant="64/rounds")
    assert json.loads(rank(thirds, as_json=True))["standings"][0]["bq"] == 96 + 192


def test_a_tournament_without_rounds_or_players() -> None:
    assert standings(tournament("", [])) == ()
    assert [(line.points, line.bq) for line in standings(tournament("a", []))] == [(0, 0)]


def test_the_hubs_loop_ranks_without_numpy() -> None:
    code = "import sys, hub.ranking.reports, hub.ranking.reports; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@given(
    st.lists(st.lists(st.integers(0, 64), min_size=2, max_size=2), max_size=6),
    st.integers(0, 4),
    st.fractions(0, 100, max_denominator=50),
    st.permutations("abcde"),
)
def test_bq_is_what_the_appendix_says_step_by_step(
    scores: list[list[int]], last: int, constant: Fraction, order: list[str]
) -> None:
    rounds: list[tuple[list[Score], str]] = []
    circle = list(order)
    gone = order[0]
    for number, (x, y) in enumerate(scores, start=1):
        games = [(circle[0], circle[4], x, 64 - x), (circle[1], circle[3], y, 64 - y)]
        if number > last:
            games = [game for game in games if gone not in game[:2]]
        bye = circle[2] if number <= last or circle[2] != gone else ""
        rounds.append((games, bye))
        circle = [circle[-1], *circle[:-1]]
    played = tournament("abcde", rounds, withdrawals=[{"player": gone, "after_round": last}])
    played = dataclasses.replace(played, bq_constant=constant)

    points = dict.fromkeys("abcde", Fraction(0))
    for games, bye in rounds:
        for black, white, black_discs, other in games:
            points[black] += 1 if black_discs > other else Fraction(int(black_discs == other), 2)
            points[white] += 1 if other > black_discs else Fraction(int(black_discs == other), 2)
        for player in bye:
            points[player] += 1
    withdrawn = {gone} if last < len(rounds) else set()
    expected = {}
    for player in "abcde":
        total = Fraction(0)
        for games, _ in rounds:
            mine = [(black_discs, w) for b, w, black_discs, _ in games if b == player]
            mine += [(other, b) for b, w, _, other in games if w == player]
            if mine and mine[0][1] not in withdrawn:
                total += mine[0][0] + constant * points[mine[0][1]]
            else:
                total += 32 + constant * points[player]
        expected[player] = total
    assert bq(played) == expected
    assert {line.player: line.half_points for line in standings(played)} == {
        player: 2 * scored for player, scored in points.items()
    }

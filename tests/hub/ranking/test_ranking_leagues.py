"""Leagues of four and the knockout after them, as in the All Japan of 2005."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from helpers.finals_values import finals_json, pairs, places
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import tournament_to_json
from hub.model.tournament import Tournament
from hub.pairing.check import check
from hub.pairing.next_round import next_round
from hub.ranking.leagues import drawn_leagues, knockout_slots, league_games, leagues_of
from hub.ranking.standings import league_tables, league_winners, standings
from hub.text import FormatError, Refused

Value = dict[str, Any]
# The discs of Black against White.
Score = Callable[[str, str], int]


def event(players: int | list[Value] = 16, **more: Any) -> Tournament:
    if isinstance(players, int):
        players = [{"id": f"{n:02}"} for n in range(1, players + 1)]
    return tournament_from_json(
        {
            "format": "flagfall-tournament/1",
            "rulebook": "jof",
            "system": "leagues",
            "seed": 5,
            "players": players,
            "rounds": [],
        }
        | more
    )


def lower_wins(black: str, white: str) -> int:
    return 40 if black < white else 24


def played(of: Tournament, rounds: int = 3, score: Score = lower_wins) -> Tournament:
    for _ in range(rounds):
        paired = next_round(of)
        games = [
            {"black": g.black, "white": g.white, "score": [n := score(g.black, g.white), 64 - n]}
            for g in paired.games
        ]
        value = tournament_to_json(of)
        round_ = {"games": games, "byes": list(paired.byes)}
        of = tournament_from_json(value | {"rounds": [*value["rounds"], round_]})
    return of


def four(*results: str, lots: str = "") -> Tournament:
    """Return two leagues after their rounds; a result is "ab40" of a game in the first one, a to d."""
    scores = {frozenset(text[:2]): (text[0], int(text[2:])) for text in results}

    def score(black: str, white: str) -> int:
        winner, discs = scores.get(frozenset((black, white)), (min(black, white), 40))
        return discs if winner == black else 64 - discs

    players = [{"id": player} for player in "abcdefgh"]
    return played(event(players=players, leagues=[list("abcd"), list("efgh")], lots=list(lots)), score=score)


def test_everybody_of_a_league_meets_everybody_in_the_order_of_the_text() -> None:
    assert [league_games("abcd", number) for number in (1, 2, 3)] == [
        [("a", "b"), ("c", "d")],
        [("a", "c"), ("b", "d")],
        [("a", "d"), ("b", "c")],
    ]
    after = played(event())
    met = Counter(frozenset(game.players) for round_ in after.rounds for game in round_.games)
    for league in leagues_of(after):
        assert all(met[frozenset((a, b))] == 1 for a in league for b in league if a < b)
    assert sum(met.values()) == 24 and all(line.optimal for line in check(after))


def test_tables_follow_the_leagues() -> None:
    of = event()
    first = [
        leagues_of(of).index(league)
        for g in next_round(of).games
        for league in leagues_of(of)
        if g.black in league
    ]
    assert first == [0, 0, 1, 1, 2, 2, 3, 3]


@given(st.integers(6, 128), st.integers(0, 99), st.lists(st.integers(0, 5), min_size=128, max_size=128))
def test_a_draw_makes_leagues_of_three_or_four_and_keeps_blocks_apart(
    players: int, seed: int, blocks: list[int]
) -> None:
    of = event(players=[{"id": str(n), "team": f"block {blocks[n]}"} for n in range(players)], seed=seed)
    leagues = drawn_leagues(of)
    assert sorted(player for league in leagues for player in league) == sorted(p.id for p in of.players)
    assert {len(league) for league in leagues} <= {3, 4}
    for name in set(blocks):
        counts = [sum(of.player(p).team == f"block {name}" for p in league) for league in leagues]
        assert max(counts) - min(counts) <= 1
    assert drawn_leagues(of) == leagues


@pytest.mark.parametrize("players", [2, 5, 129])
def test_too_few_or_too_many_players_are_named(players: int) -> None:
    with pytest.raises(Refused, match=f"6 to 128 players in leagues of three or four, got {players}"):
        next_round(event(players))
    assert [line.place for line in standings(event(players))] == list(range(1, players + 1))


def test_two_level_players_are_ordered_by_their_own_game() -> None:
    # a, b and c win twice, a and b with +20: a won against b (facts, situation 12).
    tied = four("ab36", "bc42", "bd36", "ca34", "ad40", "cd42", lots="dcba")
    lines = {line.player: (line.points, line.difference) for line in league_tables(tied)[0]}
    assert lines == {"a": (2, 20), "b": (2, 20), "c": (2, 4), "d": (0, -44)}
    assert [line.player for line in league_tables(tied)[0]] == ["a", "b", "c", "d"]


def test_three_level_players_are_ordered_by_lot() -> None:
    circle = ("ab34", "bc34", "ca34", "ad37", "bd37", "cd37")
    for first in "abc":
        rest = [p for p in "abc" if p != first]
        (line, *_) = league_tables(four(*circle, lots="".join((first, *rest))))[0]
        assert (line.player, line.points, line.difference, line.by_lot) == (first, 2, 10, True)
    assert league_winners(four(*circle, lots="cab"))[0] == "c"


def knockout_of(
    of: Tournament, count: int, winner: Callable[[str, str], str] = min
) -> tuple[Value, list[str]]:
    """Return the finals after `count` more games of the knockout, and the stages in the order played."""
    value, stages = tournament_to_json(of), []
    finals: list[Value] = []
    for _ in range(count):
        due = finals_json(value | {"finals": finals})["due"]
        if not due:
            break
        match = due[0]
        a, b = match["players"]
        won = winner(a, b)
        score = [40, 24] if won == a else [24, 40]
        finals.append({"title": "open", "stage": match["stage"], "black": a, "white": b, "score": score})
        stages.append(match["stage"])
    return finals_json(value | {"finals": finals}), stages


def test_sixteen_players_end_in_semi_finals_final_and_third_place() -> None:
    after = played(event())
    winners = [league[0].player for league in league_tables(after)]
    due = finals_json(tournament_to_json(after))["due"]
    assert [match["stage"] for match in due] == ["semi-final"] * 2
    assert sorted(p for match in due for p in match["players"]) == sorted(winners)
    slots = knockout_slots(5, winners)
    assert {frozenset(match["players"]) for match in due} == {frozenset(slots[:2]), frozenset(slots[2:])}
    answer, stages = knockout_of(after, 9)
    assert stages == ["semi-final", "semi-final", "third-place", "final"] or stages == [
        "semi-final", "semi-final", "final", "third-place",
    ]  # fmt: skip
    listed = [player for _, player in places(answer["lists"]["open"])]
    assert listed[0] == answer["champions"]["open"] == min(winners)
    assert set(listed[:4]) == set(winners) and len(set(listed)) == 16
    seconds = {table[1].player for table in league_tables(after)}
    assert set(listed[4:8]) == seconds, "then the second of each league"


def test_eight_leagues_play_for_places_5_to_8_too() -> None:
    after = played(event(32))
    answer, stages = knockout_of(after, 20)
    assert Counter(stages) == {
        "quarter-final": 4, "semi-final": 2, "final": 1, "third-place": 1, "places-5-8": 2,
        "fifth-place": 1, "seventh-place": 1,
    }  # fmt: skip
    assert answer["due"] == []
    winners = {league[0].player for league in league_tables(after)}
    listed = [player for _, player in places(answer["lists"]["open"])]
    assert set(listed[:8]) == winners and [place for place, _ in places(answer["lists"]["open"])] == list(
        range(1, 33)
    )


@pytest.mark.parametrize(
    ("players", "matches"),
    [
        *((6, 1), (12, 2), (20, 5), (28, 9)),
        # The same again with more leagues: each match of the knockout reads the whole event anew.
        *(pytest.param(*more, marks=pytest.mark.long) for more in ((64, 20), (128, 36))),
    ],
)
def test_any_number_of_leagues_ends_in_a_champion(players: int, matches: int) -> None:
    after = played(event(players))
    answer, stages = knockout_of(after, 99)
    assert len(stages) == matches and answer["champions"]["open"] == "01"
    assert [place for place, _ in places(answer["lists"]["open"])] == list(range(1, players + 1))


def test_a_draw_has_a_winner() -> None:
    after = tournament_to_json(played(event()))
    match = finals_json(after)["due"][0]
    a, b = match["players"]
    drawn = {"title": "open", "stage": "semi-final", "black": a, "white": b, "score": [32, 32]}
    with pytest.raises(FormatError, match="the player who wins the draw"):
        finals_json(after | {"finals": [drawn]})
    answer = finals_json(after | {"finals": [drawn | {"draw_win": b}]})
    assert answer["matches"][0]["winner"] == b


def test_a_winner_who_leaves_before_the_knockout_is_followed_by_the_next_of_the_league() -> None:
    after = tournament_to_json(played(event()))
    table = league_tables(tournament_from_json(after))[0]
    gone, second = table[0].player, table[1].player
    left = tournament_from_json(after | {"withdrawals": [{"player": gone, "after_round": 3}]})
    assert league_winners(left)[0] == second
    due = {player for match in finals_json(tournament_to_json(left))["due"] for player in match["players"]}
    assert second in due and gone not in due
    order = [line.player for line in standings(left)]
    assert order.index(second) < 4 <= order.index(gone)


def test_whoever_leaves_a_league_gives_opponents_a_bye() -> None:
    once = tournament_to_json(played(event(), 1))
    league = leagues_of(event())[0]
    left = tournament_from_json(
        once | {"withdrawals": [{"player": league[0], "after_round": 1}], "leagues": leagues_of(event())}
    )
    assert next_round(left).byes == (league[2],)


def test_the_others_may_go_on_in_a_swiss_in_which_their_leagues_count() -> None:
    after = played(event(rounds_planned=6))
    assert len(finals_json(tournament_to_json(after))["due"]) == 2, "the knockout does not wait"
    winners = set(league_winners(after))
    fourth = next_round(after)
    assert {p for g in fourth.games for p in g.players} == {p.id for p in after.players} - winners
    assert fourth.cost is not None and fourth.cost.gap == 0 and fourth.cost.rematches == 0
    end = played(after, 3)
    met = Counter(frozenset(game.players) for round_ in end.rounds for game in round_.games)
    assert max(met.values()) == 1 and all(line.optimal for line in check(end))
    lines = standings(end)
    assert {line.player for line in lines[:4]} == winners
    assert [line.points for line in lines[4:]] == sorted((line.points for line in lines[4:]), reverse=True)
    listed = [player for _, player in places(knockout_of(end, 9)[0]["lists"]["open"])]
    assert listed[4:] == [line.player for line in lines[4:]]


def test_a_file_keeps_the_leagues_and_the_director_may_set_them() -> None:
    leagues = [[f"{n:02}" for n in range(first, first + 4)] for first in (1, 5, 9, 13)]
    of = event(leagues=leagues)
    assert tournament_to_json(of)["leagues"] == leagues
    assert {frozenset(g.players) for g in next_round(of).games} >= {
        frozenset(("01", "02")),
        frozenset(("15", "16")),
    }
    assert json.loads(json.dumps(tournament_to_json(of))) == tournament_to_json(of)


def test_a_player_without_a_league_is_named() -> None:
    leagues = [["01", "02", "03", "04"], ["05", "06", "07"]]
    with pytest.raises(Refused, match="each player in a league, got 08"):
        next_round(event(8, leagues=leagues))


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"leagues": [["01", "02"]]}, r"leagues\[0\]: expected three or four players, got 2"),
        (
            {"leagues": [["01", "02", "03"], ["03", "04", "05"]]},
            r"leagues\[1\]: expected each player in one league",
        ),
        ({"leagues": [["01", "02", "nobody"]]}, r"leagues\[0\]\[2\]: expected the id of a player"),
        ({"leagues": "01"}, "leagues: expected"),
        ({"leagues": [["01", 2, "03"]]}, r"leagues\[0\]\[1\]: expected"),
        ({"rounds_planned": 2}, "rounds_planned: expected at least 3 rounds"),
        ({"level_playoff": 4}, "level_playoff: expected nothing, as a knockout follows"),
        ({"leave_after_wins": 2}, "leave_after_wins: expected a Swiss"),
        ({"rulebook": "woc-2019"}, "system: expected nothing, as woc-2019 has finals of its own"),
    ],
)
def test_a_fault_of_leagues_is_named(fields: Value, fault: str) -> None:
    with pytest.raises(FormatError, match=fault):
        event(**fields)


def test_a_changed_round_of_leagues_is_found() -> None:
    value = tournament_to_json(played(event()))
    value["leagues"] = [list(league) for league in leagues_of(event())]
    first, third = (value["rounds"][0]["games"][nth] for nth in (0, 2))
    first["white"], third["white"] = third["white"], first["white"]
    checked = check(tournament_from_json(value))
    assert not checked[0].optimal and "different leagues" in checked[0].fault


def test_knockout_without_chosen_colours_under_a_text_that_draws_none() -> None:
    after = played(event(rulebook="open"))
    match = finals_json(tournament_to_json(after))["due"][0]
    assert (match["may"], match["minutes"]) == ("colour-or-draw-win", 35)
    assert match["chooses"] == match["players"][0]
    assert pairs([match])[0][1] == "semi-final"

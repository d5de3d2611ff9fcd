"""Late entries in round robins: nobody meets twice, as many pairs meet as any order allows, and the rest is told."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Tournament, Withdrawal
from hub.pairing.check import check
from hub.pairing.lots import Lots
from hub.pairing.next_round import next_round, planned_round_robin
from hub.pairing.remaining_rounds import most_games, schedule


def field(count: int, system: str = "round_robin", cycles: int = 1) -> Tournament:
    players = tuple(Player(f"p{n}") for n in range(count))
    rounds = cycles * (count - 1 + count % 2)
    return Tournament("cc-2024", players, system=system, rounds_planned=rounds, seed=count)


def play(tournament: Tournament, rounds: int) -> Tournament:
    for _ in range(rounds):
        pairing = next_round(tournament)
        games = tuple(Game(game.black, game.white, (40, 24)) for game in pairing.games)
        tournament = replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))
    return tournament


def with_late(tournament: Tournament, count: int = 1) -> Tournament:
    number = len(tournament.rounds) + 1
    late = (Player(f"late{number}-{n}", from_round=number) for n in range(count))
    return replace(tournament, players=(*tournament.players, *late))


def to_the_end(tournament: Tournament) -> Tournament:
    return play(tournament, tournament.rounds_planned - len(tournament.rounds))


def unmet(tournament: Tournament) -> set[frozenset[str]]:
    """Return the pairs of players who are still in and have not met; nobody may have met twice."""
    met = Counter(frozenset(game.players) for round_ in tournament.rounds for game in round_.games)
    assert max(met.values()) == 1
    here = [player.id for player in tournament.players if player.id not in tournament.withdrawn]
    return {frozenset(pair) for pair in combinations(here, 2)} - met.keys()


def warnings_before(tournament: Tournament) -> list[str]:
    return [str(line) for line in next_round(tournament).warnings]


def test_who_has_met_everybody_meets_again_and_the_check_agrees() -> None:
    """One of five players comes late and another goes: when everybody has met, a round is left."""
    players = tuple(Player(name, from_round=1 + (name == "3")) for name in "01234")
    start = Tournament("woc-2019", players, system="round_robin", rounds_planned=5, seed=1)
    over = play(replace(play(start, 1), withdrawals=(Withdrawal("0", 1),)), 4)
    met = Counter(frozenset(game.players) for round_ in over.rounds for game in round_.games)
    assert {met[frozenset(pair)] for pair in combinations("1234", 2)} == {1, 2}
    assert all(line.optimal for line in check(over)), check(over)


@pytest.mark.parametrize("count", range(4, 13))
def test_after_a_late_entry_as_many_meet_as_the_rounds_allow(count: int) -> None:
    rounds = count - 1 + count % 2
    for after in sorted({1, 2, rounds // 2, rounds - 1}):
        begun = with_late(play(field(count), after))
        # An odd number: the newcomer has `count` opponents, and `count - after` rounds. An even one: each round left
        # has count / 2 games, and of the games of one more player as many as there were players find no room.
        fewest = after if count % 2 else count
        left_out = unmet(to_the_end(begun))
        assert len(left_out) == fewest
        told = next(line for line in warnings_before(begun) if "not everybody meets everybody" in line)
        assert told.startswith(f"not everybody meets everybody in {rounds} rounds")
        if count % 2:
            named = {frozenset(pair.split("-", 1)) for pair in re.findall(r"p\d+-late\S+|late\S+-p\d+", told)}
            assert len(named) == fewest, "each pair that cannot meet is named"


@pytest.mark.parametrize(
    ("count", "after"), [(4, 1), (5, 1), (5, 3), (6, 2), (7, 1), (8, 3), (9, 2), (12, 4)]
)
def test_the_number_of_rounds_in_which_all_would_meet_is_told_and_true(count: int, after: int) -> None:
    begun = with_late(play(field(count), after))
    # The newcomer meets one player a round, and has the bye where the number has become odd.
    needed = count + after + (count % 2 == 0 and after == 0)
    assert f"in {needed} rounds all would meet: set this number under Event" in warnings_before(begun)
    longer = to_the_end(replace(begun, rounds_planned=needed))
    assert unmet(longer) == set()
    assert not any(line.fault for line in check(longer)), [line.fault for line in check(longer)]


def test_one_late_entry_of_five_with_six_rounds_leaves_nobody_out() -> None:
    begun = replace(with_late(play(field(5), 1)), rounds_planned=6)
    assert not any("not everybody" in line for line in warnings_before(begun))
    assert unmet(to_the_end(begun)) == set()


def test_byes_of_an_odd_number_fall_on_nobody_twice() -> None:
    for count, after in ((6, 2), (8, 3), (10, 2), (12, 3)):
        tournament = to_the_end(with_late(play(field(count), after)))
        byes = Counter(player for round_ in tournament.rounds for player in round_.byes)
        assert max(byes.values()) == 1


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 12), st.data())
def test_late_entries_and_withdrawals_never_pair_two_twice_and_the_last_forecast_holds(
    count: int, data: st.DataObject
) -> None:
    tournament = field(count)
    first, second = sorted(data.draw(st.lists(st.integers(1, count - 2), min_size=2, max_size=2)))
    tournament = with_late(play(tournament, first), data.draw(st.integers(1, 2)))
    tournament = play(tournament, second - first)
    leaves = data.draw(st.sampled_from(tournament.players)).id
    tournament = replace(tournament, withdrawals=(Withdrawal(leaves, second),))
    foretold = planned_round_robin(tournament)
    finished = to_the_end(tournament)
    assert [sorted(game.players for game in pairing.games) for pairing in foretold] == [
        sorted(game.players for game in round_.games) for round_ in finished.rounds[second:]
    ], "what the sheet of all rounds says is played"
    told = " ".join(warnings_before(tournament))
    left_out = unmet(finished)
    named = re.search(r"left out: (.*?)(?: in \d+ rounds all would|$)", told)
    count_named = 0 if named is None else len(named[1].split("; "))
    more = re.search(r"(\d+) more", told)
    assert len(left_out) == count_named + (int(more[1]) - 1 if more else 0)


def test_a_late_entry_in_a_double_round_robin_repeats_only_in_the_second_cycle() -> None:
    begun = with_late(play(field(5, "double_round_robin", 2), 1))
    finished = to_the_end(begun)
    met = Counter(frozenset(game.players) for round_ in finished.rounds for game in round_.games)
    assert max(met.values()) == 2
    first = Counter(frozenset(game.players) for round_ in finished.rounds[:5] for game in round_.games)
    assert max(first.values()) == 1
    # 30 games of six players, less the one round of two instead of three games.
    assert sum(met.values()) == 29


def test_who_withdrew_before_their_first_round_has_no_seat() -> None:
    begun = with_late(play(field(6), 1))
    left = replace(begun, withdrawals=(Withdrawal("late2-0", 1),))
    assert unmet(to_the_end(left)) == set()
    assert warnings_before(left) == []


def test_a_player_who_enters_when_all_have_met_is_paired_with_everybody_in_rounds_that_are_added() -> None:
    finished = play(field(4), 3)
    longer = replace(with_late(finished), rounds_planned=7)
    assert unmet(to_the_end(longer)) == set()


@settings(max_examples=30, deadline=None)
@given(st.integers(4, 8), st.integers(1, 4), st.integers(0, 99), st.data())
def test_no_order_breaks_its_rounds_and_the_bound_holds(
    count: int, rounds: int, seed: int, data: st.DataObject
) -> None:
    players = [f"p{n}" for n in range(count)]
    pairs = [frozenset(pair) for pair in combinations(players, 2)]
    due = {pair: data.draw(st.integers(0, 2)) for pair in pairs}
    present = [set(data.draw(st.sets(st.sampled_from(players), min_size=2))) for _ in range(rounds)]
    drawn = schedule(due, present, Lots(seed))
    placed = Counter(pair for games in drawn.rounds for pair in games)
    assert placed + Counter(drawn.unmet) == +Counter(due)
    for games, here in zip(drawn.rounds, present, strict=True):
        seats = [player for pair in games for player in pair]
        assert len(seats) == len(set(seats)) and here.issuperset(seats)
    assert sum(placed.values()) <= most_games(due, present)

"""The best round: against every possible pairing, against the second implementation, and against real rounds."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest
from helpers.night import by_night
from hypothesis import given
from hypothesis import strategies as st

from hub.form.tournament import tournament_from_json
from hub.model.games import Game, Round
from hub.model.players import Player
from hub.model.tournament import Absence, Tournament, Withdrawal
from hub.pairing.check import check
from hub.pairing.cost import Cost, bye_cost, game_cost, pair_cost, round_cost
from hub.pairing.cost_table import at_once, cost_table, one_by_one, weights_of
from hub.pairing.explain import explain
from hub.pairing.lots import Lots
from hub.pairing.next_round import next_round, pair_swiss
from hub.pairing.optimality import contradictions
from hub.pairing.round import Pairing
from hub.pairing.state import Entrant, RoundState, last_round
from hub.rulebook import SwissRules
from hub.text import Refused

TOURNAMENTS = Path(__file__).resolve().parents[2] / "data" / "tournaments"

RULES = st.builds(
    SwissRules,
    country_rule=st.booleans(),
    team_free_rounds=st.sampled_from([0, 2]),
    modified=st.booleans(),
    reverse_colours=st.booleans(),
)


@st.composite
def states(draw: st.DrawFn, largest: int) -> RoundState:
    """Return any state, also ones that no tournament leads to."""
    count = draw(st.integers(1, largest))
    group = st.sampled_from(["", "A", "B"])
    entrants = tuple(
        Entrant(
            str(n),
            draw(st.integers(0, 4)),
            draw(st.integers(-2, 2)),
            draw(st.integers(-2, 2)),
            draw(st.sampled_from([-1, 0, 1])),
            draw(st.sampled_from([0, 0, 1])),
            draw(group),
            draw(group),
        )
        for n in range(count)
    )
    often = draw(st.sampled_from([1, 5, 9]))
    meetings: dict[str, dict[str, int]] = {}
    last_black: dict[tuple[str, str], str] = {}
    for a in range(count):
        for b in range(a):
            if draw(st.integers(0, 9)) >= often:
                continue
            times = draw(st.sampled_from([0, 1, 1, 2]))
            if times:
                meetings.setdefault(str(a), {})[str(b)] = meetings.setdefault(str(b), {})[str(a)] = times
            last_black[str(a), str(b)] = last_black[str(b), str(a)] = draw(st.sampled_from([str(a), str(b)]))
    return RoundState(1, entrants, meetings, last_black)


def pairings(entrants: Sequence[Entrant]) -> Iterator[list[tuple[Entrant, Entrant]]]:
    if not entrants:
        yield []
        return
    first, *others = entrants
    for at, second in enumerate(others):
        for rest in pairings(others[:at] + others[at + 1 :]):
            yield [(first, second), *rest]


def cost_by_hand(state: RoundState, rules: SwissRules, a: Entrant, b: Entrant) -> Cost:
    if rules.reverse_colours and (a.id, b.id) in state.last_black:
        black, white = (b, a) if state.last_black[a.id, b.id] == a.id else (a, b)
        return game_cost(state, rules, black, white)
    return min(game_cost(state, rules, a, b), game_cost(state, rules, b, a))


@given(states(8), RULES, st.integers(0, 99), st.data())
def test_no_pairing_of_up_to_eight_players_is_better(
    state: RoundState, rules: SwissRules, seed: int, data: st.DataObject
) -> None:
    ids = [entrant.id for entrant in state.entrants]
    two = st.lists(st.sampled_from(ids), min_size=2, max_size=2, unique=True).map(frozenset)
    bans = data.draw(st.frozensets(two, max_size=3)) if len(ids) > 1 else frozenset()
    best: tuple[int, Cost] | None = None
    for idle in state.entrants if len(ids) % 2 else [None]:
        start = bye_cost(idle) if idle else Cost()
        for pairs in pairings([e for e in state.entrants if e is not idle]):
            banned = sum(frozenset((a.id, b.id)) in bans for a, b in pairs)
            cost = sum((cost_by_hand(state, rules, a, b) for a, b in pairs), start)
            best = min(best or (banned, cost), (banned, cost))
    swiss = pair_swiss(state, rules, Lots(seed), frozenset(), bans)
    assert swiss.proven
    assert sorted([*(p for game in swiss.games for p in game), *([swiss.bye] if swiss.bye else [])]) == ids
    assert swiss.cost == round_cost(state, rules, swiss.games, [swiss.bye] if swiss.bye else [])
    assert (len(swiss.banned), swiss.cost) == best


@given(states(14), RULES)
def test_the_table_of_kinds_costs_each_pair_as_the_fields_do(state: RoundState, rules: SwissRules) -> None:
    entrants = state.entrants
    table = cost_table(state, rules, entrants, frozenset())
    costs = {(i, j): pair_cost(state, rules, a, b) for (i, a), (j, b) in combinations(enumerate(entrants), 2)}
    if table.bye is not None:
        costs |= {(i, table.bye): bye_cost(entrant) for i, entrant in enumerate(entrants)}
    weighed = {
        pair: sum(table.weights[name] * value for name, value in cost.as_dict().items())
        for pair, cost in costs.items()
    }
    assert {(i, j): table.cost(i, j) for i, j in costs} == weighed
    assert {(i, j): table.cost(j, i) for i, j in costs} == weighed


@given(states(14), RULES)
def test_kinds_are_weighed_alike_one_by_one_and_all_at_once(state: RoundState, rules: SwissRules) -> None:
    weights = weights_of(rules, state.entrants, any_met=True)
    factor = 1 << 70  # integers that numpy does not know
    large = {name: weight * factor for name, weight in weights.items()}
    alone = one_by_one(state.entrants, weights)
    assert alone == at_once(state.entrants, weights)
    assert [[cost * factor for cost in row] for row in alone] == at_once(state.entrants, large)


@given(states(13), RULES, st.data())
def test_contradictions_are_all_pairs_below_their_duals(
    state: RoundState, rules: SwissRules, data: st.DataObject
) -> None:
    table = cost_table(state, rules, state.entrants, frozenset())
    size = table.size
    top = max(table.cost(i, j) for i in range(size) for j in range(size))
    near = [table.cost(i, (i + 1) % size) // 2 for i in range(size)]
    duals = [dual + data.draw(st.sampled_from([0, 0, 1, -1, 3, top // 3])) for dual in near]
    odd_sets: list[tuple[list[int], int]] = []
    if size >= 6:
        odd_sets = [([0, 2, 4], data.draw(st.sampled_from([0, 2, top]))), ([0, 1, 2, 4, 5], 4)]
    expected = {
        frozenset((i, j))
        for i in range(size)
        for j in range(i)
        if table.cost(i, j)
        - duals[i]
        - duals[j]
        + sum(weight for members, weight in odd_sets if i in members and j in members)
        < 0
    }
    assert {frozenset(pair) for pair in contradictions(table, duals, odd_sets, size)} == expected


@st.composite
def openings(draw: st.DrawFn) -> Tournament:
    """Return a tournament before its first round, with everything that makes pairing awkward still to come."""
    system, counts = draw(
        st.sampled_from(
            [
                ("swiss", (1, 30)),
                ("swiss", (1, 12)),
                ("modified_swiss", (2, 18)),
                ("round_robin", (1, 11)),
                ("double_round_robin", (2, 7)),
                ("triple_round_robin", (2, 4)),
                ("round_robin_then_swiss", (7, 8)),
                ("round_robin_with_semifinals", (9, 10)),
            ]
        )
    )
    count = draw(st.integers(*counts))
    rulebook = draw(st.sampled_from(["woc-2019", "woc-2017", "woc-classic", "cc-2024", "usoa"]))
    rounds = draw(st.integers(1, 9))
    if "round_robin" in system:
        length = count - 1 + count % 2
        cycles = {"double_round_robin": 2, "triple_round_robin": 3}.get(system, 1)
        rounds = cycles * length + {"round_robin_then_swiss": 4, "round_robin_with_semifinals": 2}.get(
            system, 0
        )
    players = tuple(
        Player(
            str(n),
            country=draw(st.sampled_from("ABCD")),
            team=draw(st.sampled_from("ABCD")),
            past_semifinalist=draw(st.booleans()),
            from_round=draw(st.sampled_from([1] * 12 + [2, 4])),
        )
        for n in range(count)
    )
    some = st.integers(0, count - 1).map(str)
    withdrawals = draw(st.dictionaries(some, st.integers(0, rounds), max_size=2))
    absences = draw(st.sets(st.tuples(some, st.integers(1, rounds)), max_size=3))
    half_points = draw(st.booleans())
    bans = draw(st.sets(st.tuples(some, some), max_size=2)) if system in ("swiss", "modified_swiss") else ()
    return Tournament(
        rulebook,
        players,
        system=system,
        rounds_planned=max(1, rounds),
        seed=draw(st.integers(0, 999)),
        withdrawals=tuple(Withdrawal(player, after) for player, after in withdrawals.items()),
        absences=tuple(Absence(player, r, half_points) for player, r in sorted(absences)),
        bans=tuple(sorted(ban for ban in bans if ban[0] != ban[1])),
    )


def with_results(tournament: Tournament, pairing: Pairing, scores: Sequence[tuple[int, int]]) -> Tournament:
    games = tuple(
        Game(
            game.black,
            game.white,
            scores[at % len(scores)],
            "forfeit" if scores[at % len(scores)] == (0, 0) else "board",
        )
        for at, game in enumerate(pairing.games)
    )
    return replace(tournament, rounds=(*tournament.rounds, Round(games, pairing.byes)))


SCORES = st.lists(
    st.sampled_from([(40, 24), (20, 44), (32, 32), (64, 0), (0, 64), (0, 0)]), min_size=1, max_size=9
)


@given(openings(), st.lists(SCORES, min_size=1, max_size=5))
def test_pairing_and_second_implementation_agree_in_every_round(
    tournament: Tournament, scores: list[list[tuple[int, int]]]
) -> None:
    paired: list[Pairing] = []
    for number in range(1, last_round(tournament) + 1):
        try:
            pairing = next_round(tournament)
        except Refused as fault:
            assert str(fault).startswith(("bans: ", "players: "))
            break
        assert pairing == next_round(tournament)
        assert pairing.proven or pairing.cost is None
        assert [game.table for game in pairing.games] == list(range(1, len(pairing.games) + 1))
        assert len(explain(tournament, pairing)) == len(pairing.games) + len(pairing.byes)
        busy = [p for game in pairing.games for p in (game.black, game.white)] + list(pairing.byes)
        assert len(set(busy)) == len(busy)
        for game in pairing.games:
            if "round_robin" not in tournament.system:
                assert (game.black, game.white) not in tournament.bans
                assert (game.white, game.black) not in tournament.bans
        paired.append(pairing)
        tournament = with_results(tournament, pairing, scores[number % len(scores)])
    checked = check(tournament)
    assert [line.best for line in checked] == [pairing.cost for pairing in paired]
    assert [line.cost for line in checked] == [pairing.cost for pairing in paired]
    assert all(line.optimal for line in checked), checked


def published(name: str) -> Tournament:
    with gzip.open(TOURNAMENTS / f"{name}.json.gz") as file:
        return tournament_from_json(json.load(file)["tournament"])


# Rounds of real tournaments, and how many of them were the best possible in every field.
REAL = {
    "woc-2013": (13, 3),
    "woc-2018": (13, 4),
    "woc-2023": (13, 3),
    "eoc-2025": (11, 9),
    "club-559": (7, 6),
    "club-579": (7, 7),
    "club-602": (11, 10),
}


BY_DAY = ("woc-2018", "eoc-2025", "club-559")


@pytest.mark.parametrize("name", [*BY_DAY, *by_night(*(name for name in REAL if name not in BY_DAY))])
def test_real_rounds_against_the_best_and_ours_never_worse(name: str) -> None:
    tournament = published(name)
    checks = check(tournament)
    for line in checks[1:]:
        assert line.cost is not None and line.best is not None
        assert line.best <= line.cost
        assert line.cost.rematches == line.best.rematches == 0
        here = {p for g in tournament.rounds[line.round - 1].games for p in (g.black, g.white)}
        here |= set(tournament.rounds[line.round - 1].byes)
        away = tuple(Absence(p.id, line.round) for p in tournament.players if p.id not in here)
        ours = next_round(replace(tournament, rounds=tournament.rounds[: line.round - 1], absences=away))
        assert ours.proven
        assert ours.cost == line.best
    rounds, best = REAL[name]
    assert len(checks) == rounds
    assert sum(line.optimal for line in checks) == best


def test_a_worse_round_is_not_called_the_best() -> None:
    players = tuple(Player(str(n)) for n in range(4))
    first = Round((Game("0", "1", (40, 24)), Game("2", "3", (40, 24))))
    best = Round((Game("0", "2"), Game("1", "3")))
    worse = Round((Game("0", "3"), Game("1", "2")))
    again = Round((Game("0", "1"), Game("2", "3")))
    tournament = Tournament("usoa", players, rounds_planned=3)
    verdicts = [
        check(replace(tournament, rounds=(first, second)))[1].optimal for second in (best, worse, again)
    ]
    assert verdicts == [True, False, False]
    idle = check(replace(tournament, rounds=(first, Round((Game("0", "2"),), ("1", "3")))))[1]
    assert (idle.optimal, idle.fault) == (False, "2 byes where 0 would do")

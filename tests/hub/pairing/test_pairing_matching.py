"""The matching against networkx, and its certificate against every pair."""

from __future__ import annotations

import random

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.pairing.best_matching import FLOATS, MOST_OF_ONE_KIND, candidates, starting_duals
from hub.pairing.cost_table import cost_table
from hub.pairing.matching import Matching, NoPerfectMatching
from hub.pairing.optimality import OddSets, contradictions, tight
from hub.pairing.state import Entrant, RoundState
from hub.rulebook import SwissRules

Graph = tuple[int, dict[tuple[int, int], int]]


class Complete:
    """The graph as the certificate wants it, every vertex a kind: pairs that are not edges cost more than all edges."""

    def __init__(self, size: int, edges: dict[tuple[int, int], int], missing: int) -> None:
        self.size, self.kind = size, range(size)
        self.by_kind = [
            [2 * edges.get((min(i, j), max(i, j)), missing) for j in range(size)] for i in range(size)
        ]

    def cost(self, i: int, j: int) -> int:
        return self.by_kind[i][j]


def holds(costs: Complete, mate: list[int], duals: list[int], odd_sets: OddSets) -> bool:
    """Return True if both halves of the proof hold."""
    return tight(costs, mate, duals, odd_sets) and not contradictions(costs, duals, odd_sets, 1)


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    size = 2 * draw(st.integers(1, 12))
    dearest = draw(st.sampled_from([1, 2, 5, 20, 10**30]))
    density = draw(st.sampled_from([2, 4, 7, 10]))
    pairs = [(i, j) for i in range(size) for j in range(i + 1, size)]
    kept = draw(st.lists(st.integers(0, 9), min_size=len(pairs), max_size=len(pairs)))
    costs = draw(st.lists(st.integers(0, dearest), min_size=len(pairs), max_size=len(pairs)))
    return size, {p: c for p, k, c in zip(pairs, kept, costs, strict=True) if k < density}


def neighbours(size: int, edges: dict[tuple[int, int], int]) -> list[dict[int, int]]:
    near: list[dict[int, int]] = [{} for _ in range(size)]
    for (i, j), cost in edges.items():
        near[i][j] = near[j][i] = 2 * cost
    return near


def least_by_networkx(size: int, edges: dict[tuple[int, int], int]) -> int | None:
    graph = networkx.Graph()
    graph.add_nodes_from(range(size))
    top = max(edges.values(), default=0)
    graph.add_weighted_edges_from((i, j, top - cost) for (i, j), cost in edges.items())
    matching = networkx.max_weight_matching(graph, maxcardinality=True)
    if 2 * len(matching) < size:
        return None
    return sum(edges[min(pair), max(pair)] for pair in matching)


def feasible(near: list[dict[int, int]], start: list[int]) -> list[int]:
    """Return duals as near to `start` as one look at every edge allows."""
    duals = list(start)
    for v, costs in enumerate(near):
        duals[v] = min([duals[v], *(cost - duals[other] for other, cost in costs.items())])
    return duals


@given(graphs(), st.data())
def test_least_cost_is_that_of_networkx_and_the_duals_prove_it(graph: Graph, data: st.DataObject) -> None:
    size, edges = graph
    least = least_by_networkx(size, edges)
    top = max(edges.values(), default=0)
    start = data.draw(st.none() | st.lists(st.integers(-top - 9, top), min_size=size, max_size=size))
    near = neighbours(size, edges)
    try:
        matching = Matching(near, None if start is None else feasible(near, start))
        mate = matching.solve()
    except NoPerfectMatching as fault:
        assert least is None
        assert fault.trees
        return
    assert all(mate[mate[v]] == v != mate[v] for v in range(size))
    assert sum(edges[v, mate[v]] for v in range(size) if v < mate[v]) == least
    odd_sets = list(matching.odd_sets())
    complete = Complete(size, edges, 10**40)
    assert holds(complete, mate, matching.dual, odd_sets)
    flat = matching.flat_duals()
    assert all(2 * cost >= flat[i] + flat[j] for (i, j), cost in edges.items())


@given(st.integers(2, 6).map(lambda n: 2 * n), st.randoms(use_true_random=False))
def test_no_other_matching_and_no_altered_number_passes(size: int, dice: object) -> None:
    assert hasattr(dice, "randint")
    edges = {(i, j): dice.randint(0, 6) for i in range(size) for j in range(i + 1, size)}
    matching = Matching(neighbours(size, edges))
    mate = matching.solve()
    duals, odd_sets = matching.dual, list(matching.odd_sets())
    costs = Complete(size, edges, 0)
    assert holds(costs, mate, duals, odd_sets)
    least = sum(edges[v, mate[v]] for v in range(size) if v < mate[v])
    # Exchange partners of two pairs: dearer pairings must fail with the same numbers.
    a, c = 0, next(v for v in range(size) if v not in (0, mate[0]))
    other = list(mate)
    b, d = mate[a], mate[c]
    other[a], other[c], other[b], other[d] = c, a, d, b
    cost = sum(edges[v, other[v]] for v in range(size) if v < other[v])
    assert not holds(costs, other, duals, odd_sets) or cost == least
    assert not holds(costs, mate, [duals[0] + 1, *duals[1:]], odd_sets)
    assert not holds(costs, mate, [duals[0] - 1, *duals[1:]], odd_sets)
    assert not holds(costs, mate, duals, [*odd_sets, ([0, mate[0]], 2)])
    for at, (members, weight) in enumerate(odd_sets):
        assert not holds(costs, mate, duals, [*odd_sets[:at], (members, -weight), *odd_sets[at + 1 :]])
    assert not holds(costs, mate[:-1], duals, odd_sets)
    assert not holds(costs, list(range(size)), duals, odd_sets), "nobody is his own opponent"


@pytest.mark.parametrize("seed", range(30))
def test_large_sparse_graphs_are_proved_from_any_feasible_start(seed: int) -> None:
    dice = random.Random(seed)
    size, dearest = 80, dice.choice([9, 300, 10**30])
    pairs = [(v, v + 1) for v in range(0, size, 2)]
    pairs += [(v, (v + step) % size) for v in range(size) for step in dice.sample(range(1, size), 4)]
    edges = {(min(pair), max(pair)): dice.randint(0, dearest) for pair in pairs}
    start = [dice.randint(-dearest, dearest) for _ in range(size)]
    near = neighbours(size, edges)
    matching = Matching(near, feasible(near, start))
    mate = matching.solve()
    assert holds(Complete(size, edges, 10**40), mate, matching.dual, list(matching.odd_sets()))


def test_an_odd_ring_needs_an_odd_set() -> None:
    # Two triangles of cost 0 joined by one edge of cost 5: no vertex duals alone reach 5.
    edges = {(0, 1): 0, (0, 2): 0, (1, 2): 0, (3, 4): 0, (3, 5): 0, (4, 5): 0, (2, 3): 5}
    matching = Matching(neighbours(6, edges))
    assert matching.solve() == [1, 0, 3, 2, 5, 4]
    assert list(matching.odd_sets())
    assert holds(Complete(6, edges, 100), matching.mate, matching.dual, list(matching.odd_sets()))


def test_vertices_that_cannot_be_matched_are_named() -> None:
    star = {(0, 1): 1, (0, 2): 1, (0, 3): 1}
    with pytest.raises(NoPerfectMatching) as fault:
        Matching(neighbours(4, star)).solve()
    assert set(fault.value.trees) <= {0, 1, 2, 3}
    with pytest.raises(NoPerfectMatching):
        Matching([{}, {}])


def test_whoever_hundreds_might_meet_is_a_likely_partner_of_few() -> None:
    entrants = [Entrant("leader", half_points=4), Entrant("second", half_points=3)]
    entrants += [Entrant(f"level {n}", half_points=2) for n in range(600)]
    table = cost_table(RoundState(3, tuple(entrants)), SwissRules(), entrants, frozenset())
    near = candidates(table, starting_duals(table))
    assert max(map(len, near)) <= 2 * MOST_OF_ONE_KIND + 2
    assert len(Matching(near, starting_duals(table)).solve()) == 602


def test_everybody_in_a_large_group_has_likely_partners_who_float_to_him() -> None:
    entrants = [Entrant(f"{n}", half_points=n % 2, balance=n % 5 - 2) for n in range(120)]
    table = cost_table(RoundState(3, tuple(entrants)), SwissRules(), entrants, frozenset())
    near = candidates(table, starting_duals(table))
    assert all(sum(v % 2 != other % 2 for other in near[v]) >= FLOATS for v in range(120))

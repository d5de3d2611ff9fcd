"""Which pairs of the complete graph contradict a set of duals: none, if the matching they come with is the
best.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hub.pairing.cost_table import CostTable, Numbers

OddSets = Sequence[tuple[Sequence[int], int]]
"""(members, weight) of each odd set; any two are apart, or one holds the other."""

ROUNDING = 2.0**-48
"""Sums of four floats, each rounded from an integer, are closer to the truth than this part of the largest
number.
"""


def contradictions(
    table: CostTable, duals: Sequence[int], odd_sets: OddSets, per_vertex: int
) -> list[tuple[int, int]]:
    """Pairs that cost less than their duals less the sets that hold both; empty if and only if there is none.

    At most the `per_vertex` worst of each vertex (as the earlier one in the order used) are returned.
    Floats only pass over pairs that are dearer beyond any rounding; every other pair is decided in exact
    integers.
    """
    order, chains = _nested_order(table.size, odd_sets)
    kind = table.kind[order]
    dual: Numbers = np.array([duals[v] for v in order], dtype=object)
    group = [(affinity.group[order], affinity.surcharge) for affinity in table.affinities]
    rough_table, rough_dual = table.by_kind.astype(float), dual.astype(float)
    inside = max((float(chain[-1][1]) for chain in chains if chain), default=0.0)
    margin = ROUNDING * max(float(np.abs(rough_table).max()), float(np.abs(rough_dual).max()), inside)
    found: list[tuple[int, int]] = []
    for p in range(table.size - 1):
        rough = rough_table[kind[p]][kind[p + 1 :]] - rough_dual[p + 1 :] - rough_dual[p]
        if chains[p]:
            shared = np.zeros(len(rough))
            for end, total in chains[p]:
                shared[: end - p - 1] = float(total)
            rough += shared
        (near,) = np.nonzero(rough < margin)
        if not len(near):
            continue
        near += p + 1
        slack = table.by_kind[kind[p]][kind[near]] - dual[near] - dual[p]
        if chains[p]:
            exact_shared: Numbers = np.zeros(len(near), dtype=object)
            for end, total in chains[p]:
                exact_shared[: np.searchsorted(near, end)] = total
            slack += exact_shared
        short = slack < 0
        if not short.any():
            continue
        near, slack = near[short], slack[short]
        for numbers, surcharge in group:
            slack[numbers[near] == numbers[p]] += surcharge
        short = slack < 0
        i = int(order[p])
        between = table.between[i]
        worst = []
        for q, missing in zip(near[short].tolist(), slack[short].tolist(), strict=True):
            j = int(order[q])
            missing += between.get(j, 0)
            if missing < 0:
                worst.append((missing, i, j))
        worst.sort()
        found += [(i, j) for _, i, j in worst[:per_vertex]]
    return found


def _nested_order(size: int, odd_sets: OddSets) -> tuple[list[int], list[list[tuple[int, int]]]]:
    """An order of the vertices in which every odd set is one stretch.

    And for each place in it the sets that hold its vertex, outermost first: (end of the stretch, summed
    weight so far). Two places p < q share the weight of the innermost set of p whose end lies beyond q.
    """
    within: list[list[int]] = [[] for _ in range(size)]
    by_size = sorted(odd_sets, key=lambda odd_set: -len(odd_set[0]))
    for number, (members, _) in enumerate(by_size):
        for v in members:
            within[v].append(number)
    order = sorted(range(size), key=lambda v: within[v])
    end = [0] * len(by_size)
    for p, v in enumerate(order):
        for number in within[v]:
            end[number] = p + 1
    chains = []
    for v in order:
        total, chain = 0, []
        for number in within[v]:
            total += by_size[number][1]
            chain.append((end[number], total))
        chains.append(chain)
    return order, chains

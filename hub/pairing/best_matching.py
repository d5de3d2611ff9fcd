"""The best perfect matching of a round: solved on a few likely pairs, then priced against all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from hub.pairing.cost_table import CostTable
from hub.pairing.matching import Matching
from hub.pairing.optimality import OddSets, contradictions, tight

# Likely partners of each player, from the kinds that the starting duals leave the least slack to.
PARTNERS = 12
# Least number of these with other points: whoever floats is seldom the player who would cost least alone.
FLOATS = 4
# Most likely partners of one kind.
OF_ONE_KIND = 3
# Nobody is a likely partner of many more players of one kind: a vertex with hundreds of neighbours slows every step.
MOST_OF_ONE_KIND = 24
BYE_PARTNERS = 20

# Missing pairs that are added at a time.
NEW_PAIRS_PER_VERTEX = 3


def best_matching(table: CostTable) -> tuple[list[int], list[int], OddSets, bool]:
    """Return (mate, duals, odd sets, proven) of the best perfect matching on the complete graph."""
    duals, mates = starting_duals(table), None
    near = candidates(table, duals)
    while True:
        matching = Matching(near, duals, mates)
        mate = matching.solve()
        odd_sets = list(matching.odd_sets())
        undercut = contradictions(table, matching.dual, odd_sets, NEW_PAIRS_PER_VERTEX)
        missing = [(i, j) for i, j in undercut if j not in near[i]]
        if not missing:
            proven = not undercut and tight(table, mate, matching.dual, odd_sets)
            return mate, matching.dual, odd_sets, proven
        duals, mates = matching.flat_duals(), mate
        for i, j in missing:
            near[i][j] = near[j][i] = table.cost(i, j)
        for i, j in sorted(map(sorted, missing)):
            duals[i] = min(duals[i], near[i][j] - duals[j])


def starting_duals(table: CostTable) -> list[int]:
    """Return a dual for each vertex, alike for those of one kind, that no pair undercuts.

    The most numerous kind comes first: what abounds will have to be paired with itself.
    """
    count = Counter(table.kind)
    bye_kind = -1 if table.bye is None else table.kind[table.bye]
    dual: dict[int, int] = {}
    for number in sorted(count, key=lambda number: (number == bye_kind, -count[number], number)):
        row = table.start[number]
        bounds = [row[other] - other_dual for other, other_dual in dual.items()]
        if number != bye_kind:
            bounds.append(row[number] // 2)
        dual[number] = min(bounds)
    return [dual[kind] for kind in table.kind]


def candidates(table: CostTable, duals: Sequence[int]) -> list[dict[int, int]]:
    """Return each vertex's likely partners, with the cost; a perfect matching is surely among them. `duals` are alike
    for vertices of one kind."""
    near: list[dict[int, int]] = [{} for _ in range(table.size)]
    # Neighbours in order of points, the bye last: not good, but a perfect matching.
    by_points = sorted(range(table.size), key=lambda v: -table.half_points[v])
    for i, j in chain(zip(by_points[::2], by_points[1::2], strict=True), _bye_partners(table, duals)):
        near[i][j] = near[j][i] = table.cost(i, j)
    members: list[list[int]] = [[] for _ in table.start]
    for v, kind in enumerate(table.kind):
        members[kind].append(v)
    affinities = [(affinity.group, affinity.surcharge) for affinity in table.affinities]
    for kind, other, taken, every in _likely_kinds(table, duals, members):
        alike, count, twice = members[kind], len(members[other]), members[other] * 2
        least = table.by_kind[kind][other]
        for place in range(0, len(alike), every):
            i, left = alike[place], taken
            begin = place * count // len(alike)  # each begins elsewhere among them
            near_i, between = near[i], table.between[i]
            for j in twice[begin : begin + count]:
                if j in between or j == i:
                    continue
                if not left:
                    break
                left -= 1
                if j not in near_i:
                    cost = least
                    for group, surcharge in affinities:
                        if group[i] == group[j]:
                            cost += surcharge
                    near_i[j] = near[j][i] = cost
    return near


def _likely_kinds(
    table: CostTable, duals: Sequence[int], members: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int, int, int]]:
    """Yield (kind, another, how many of that are likely partners of each `every`th of the first, `every`)."""
    dual = [duals[some[0]] for some in members]
    points = [table.half_points[some[0]] for some in members]
    kinds = range(len(members) - (table.bye is not None))
    for kind in kinds:
        slack = [cost - other for cost, other in zip(table.start[kind], dual, strict=True)]
        wanted, floats = float(PARTNERS), float(FLOATS)
        for other in sorted(kinds, key=slack.__getitem__):
            level = points[other] == points[kind]
            if wanted <= 0 and level:
                continue
            count = len(members[other])
            taken = min(OF_ONE_KIND, count - (other == kind))
            every = max(1, len(members[kind]) * taken // (MOST_OF_ONE_KIND * count))
            yield kind, other, taken, every
            wanted -= taken / every
            if not level:
                floats -= taken / every
            if wanted <= 0 and floats <= 0:
                break


def _bye_partners(table: CostTable, duals: Sequence[int]) -> Iterator[tuple[int, int]]:
    if table.bye is not None:
        row = table.start[table.kind[table.bye]]
        slack = [row[kind] - dual for kind, dual in zip(table.kind, duals, strict=True)]
        for i in sorted(range(table.bye), key=slack.__getitem__)[:BYE_PARTNERS]:
            yield i, table.bye

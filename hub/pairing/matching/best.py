"""The best perfect matching of a round: solved on a few likely pairs, then priced against all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from hub.pairing.cost_table import CostTable
from hub.pairing.matching.blossom import Matching
from hub.pairing.matching.certificate import OddSets, contradictions

PARTNERS = 12
"""Of each player, from the kinds that the starting duals leave the least slack to."""
OF_ONE_KIND = 3
"""At most so many of them are alike."""
MOST_OF_ONE_KIND = 24
"""Nobody is a likely partner of many more of one kind: who stands next to hundreds slows every step there."""
BYE_PARTNERS = 20

NEW_PAIRS_PER_VERTEX = 3
"""How many of the pairs that were missing are added a time."""


def best_matching(table: CostTable) -> tuple[list[int], list[int], OddSets]:
    """(mate, duals, odd sets) of the best perfect matching on the complete graph."""
    duals, mates = starting_duals(table), None
    near = candidates(table, duals)
    while True:
        matching = Matching(near, duals, mates)
        mate = matching.solve()
        odd_sets = list(matching.odd_sets())
        found = contradictions(table, matching.dual, odd_sets, NEW_PAIRS_PER_VERTEX)
        missing = [(i, j) for i, j in found if j not in near[i]]
        if not missing:  # and if any was found, the certificate does not hold
            return mate, matching.dual, odd_sets
        for i, j in missing:
            near[i][j] = near[j][i] = table.cost(i, j)
        duals, mates = matching.flat_duals(), mate


def starting_duals(table: CostTable) -> list[int]:
    """A dual for each vertex, alike for those of one kind, that no pair undercuts.

    The most numerous kind comes first: what abounds will have to be paired with itself.
    """
    count = Counter(table.kind)
    bye_kind = -1 if table.bye is None else table.kind[table.bye]
    dual: dict[int, int] = {}
    for number in sorted(count, key=lambda number: (number == bye_kind, -count[number], number)):
        row = table.start[number]
        bounds = [row[other] - found for other, found in dual.items()]
        if number != bye_kind:
            bounds.append(row[number] // 2)
        dual[number] = min(bounds)
    return [dual[one] for one in table.kind]


def candidates(table: CostTable, duals: Sequence[int]) -> list[dict[int, int]]:
    """Of each vertex the likely partners, with the cost; a perfect matching is surely among them. `duals` are alike for
    vertices of one kind.
    """
    near: list[dict[int, int]] = [{} for _ in range(table.size)]
    for i, j in _likely_pairs(table, duals):
        if j not in near[i]:
            near[i][j] = near[j][i] = table.cost(i, j)
    return near


def _likely_pairs(table: CostTable, duals: Sequence[int]) -> Iterator[tuple[int, int]]:
    # Neighbours in order of points, the bye last: not good, but a perfect matching.
    by_points = sorted(range(table.size), key=lambda v: -table.half_points[v])
    yield from zip(by_points[::2], by_points[1::2], strict=True)
    members: list[list[int]] = [[] for _ in table.start]
    for v, kind in enumerate(table.kind):
        members[kind].append(v)
    dual = [duals[some[0]] for some in members]
    kinds = range(len(members) - (table.bye is not None))
    if table.bye is not None:
        row = table.start[table.kind[table.bye]]
        slack = [row[kind] - dual[kind] for kind in table.kind]
        for i in sorted(range(table.bye), key=slack.__getitem__)[:BYE_PARTNERS]:
            yield i, table.bye
    for kind in kinds:
        row, own = table.start[kind], members[kind]
        wanted = float(PARTNERS)
        for other in sorted(kinds, key=[row[other] - dual[other] for other in kinds].__getitem__):
            others = members[other]
            taken = min(OF_ONE_KIND, len(others) - (other == kind))
            every = max(1, len(own) * taken // (MOST_OF_ONE_KIND * len(others)))
            for at in range(0, len(own), every):
                first = at * len(others) // len(own)
                around = chain(islice(others, first, None), islice(others, first))
                yield from islice(_apart(table, own[at], around), taken)
            wanted -= taken / every
            if wanted <= 0:
                break


def _apart(table: CostTable, i: int, others: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Pairs of i with those of `others` whom nothing stands between."""
    between = table.between[i]
    return ((i, j) for j in others if j != i and j not in between)

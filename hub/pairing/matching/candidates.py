"""Where the search for the best matching of a round begins: a few likely pairs of the complete graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from hub.pairing.cost_table import CostTable

PARTNERS = 12
"""Of each player, from the kinds that the starting duals leave the least slack to."""
OF_ONE_KIND = 3
"""At most so many of them are alike."""
MOST_OF_ONE_KIND = 24
"""Nobody is a likely partner of many more of one kind: who stands next to hundreds slows every step there."""
BYE_PARTNERS = 20


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
                i, between, left = own[at], table.between[own[at]], taken
                first = at * len(others) // len(own)
                for j in chain(islice(others, first, None), islice(others, first)):
                    if not left:
                        break
                    if j != i and j not in between:
                        left -= 1
                        yield i, j
            wanted -= taken / every
            if wanted <= 0:
                break

"""Where the search for the best matching of a large round begins: a few likely pairs of the complete graph."""

from __future__ import annotations

from collections.abc import Iterator

from hub.pairing.cost_table import CostTable

OWN_GROUP = 4
"""Partners of each player in every kind with his points."""
NEAR_GROUP = 1
"""The same in kinds with other points, the nearest ones until there are NEAR_PLAYERS."""
NEAR_PLAYERS = 12
BYE_PARTNERS = 20

Neighbours = list[dict[int, int]]


def candidates(table: CostTable) -> Neighbours:
    """Likely pairs, with their costs; a perfect matching is surely among them."""
    near: Neighbours = [{} for _ in range(table.size)]
    for i, j in _likely_pairs(table):
        near[i][j] = near[j][i] = table.cost(i, j)
    return near


def _likely_pairs(table: CostTable) -> Iterator[tuple[int, int]]:
    size = table.size
    # Neighbours in order of points, the bye last: not good, but a perfect matching.
    by_points = sorted(range(size), key=lambda v: -int(table.half_points[v]))
    yield from zip(by_points[::2], by_points[1::2], strict=True)
    players = range(size if table.bye is None else size - 1)
    if table.bye is not None:
        bye_costs = table.by_kind[table.kind[table.bye]][table.kind]
        for i in sorted(players, key=lambda i: int(bye_costs[i]))[:BYE_PARTNERS]:
            yield i, table.bye
    kinds: dict[int, list[int]] = {}
    levels: dict[int, list[int]] = {}
    for i in players:
        kind = int(table.kind[i])
        if kind not in kinds:
            levels.setdefault(int(table.half_points[i]), []).append(kind)
        kinds.setdefault(kind, []).append(i)
    groups = [[kinds[kind] for kind in levels[points]] for points in sorted(levels)]
    counts = [sum(map(len, group)) for group in groups]
    for g, group in enumerate(groups):
        for at, kind_a in enumerate(group):
            for kind_b in group[at:]:
                yield from _join(table, kind_a, kind_b, OWN_GROUP)
        reached = 0
        for h in range(g + 1, len(groups)):
            for kind_a in group:
                for kind_b in groups[h]:
                    yield from _join(table, kind_a, kind_b, NEAR_GROUP)
            reached += counts[h]
            if reached >= NEAR_PLAYERS and counts[g] + reached >= 2 * NEAR_PLAYERS:
                break


def _join(table: CostTable, some: list[int], others: list[int], partners: int) -> Iterator[tuple[int, int]]:
    """`partners` for each of the more numerous, going round the others, who so get as many more each."""
    if some is others:
        for at, i in enumerate(some):
            for step in range(1, min(partners, len(some) - 1) + 1):
                yield i, some[(at + step) % len(some)]
        return
    if len(some) < len(others):
        some, others = others, some
    share = len(others) / len(some)
    for at, i in enumerate(some):
        first = int(at * share)
        given = 0
        for step in range(len(others)):
            j = others[(first + step) % len(others)]
            if j not in table.between[i]:
                yield i, j
                given += 1
                if given == partners:
                    break

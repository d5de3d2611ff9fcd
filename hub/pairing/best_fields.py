"""The lexicographically least totals over all perfect matchings, by rustworkx.

As many fields as fit are packed into one weight; when they are settled, pairs that alone exceed a settled total are
dropped, which makes room for the next fields.
"""

from __future__ import annotations

from collections.abc import Sequence

import rustworkx

from hub.text import Refused

# One value for each edge.
Field = Sequence[int]

# rustworkx computes in 128 bits and wraps silently; its sums need some of them.
LONGEST_WEIGHT_BITS = 116


def best_totals(size: int, edges: Sequence[tuple[int, int]], fields: Sequence[Field]) -> list[int]:
    """Return the totals of `fields`, most important first, of the best perfect matching of `size` vertices."""
    pairs = size // 2
    kept = list(range(len(edges)))
    lowest = [min(field) for field in fields]
    settled: list[int] = []
    while len(settled) < len(fields):
        weights, taken = _pack([[field[e] for e in kept] for field in fields], pairs)
        if taken <= len(settled):
            raise Refused("{size} players in one round are too many to check", field="rounds", size=size)
        chosen = [kept[index] for index in _least_matching(size, [edges[e] for e in kept], weights)]
        settled = [sum(field[e] for e in chosen) for field in fields[:taken]]
        for field, total, least in zip(fields, settled, lowest, strict=False):
            most = total - (pairs - 1) * least
            kept = [e for e in kept if field[e] <= most]
    return settled


def _pack(fields: Sequence[Field], pairs: int) -> tuple[list[int], int]:
    """Return (weights, how many fields they hold), with as many fields as fit."""
    total, most, taken = [0] * len(fields[0]), 1, 0
    for field in fields:
        least = min(field)
        room = (max(field) - least) * pairs + 1
        most *= room
        if most.bit_length() > LONGEST_WEIGHT_BITS:
            break
        if room > 1:
            total = [sum_ * room + value - least for sum_, value in zip(total, field, strict=True)]
        taken += 1
    return total, taken


def _least_matching(size: int, edges: Sequence[tuple[int, int]], weights: Sequence[int]) -> list[int]:
    """Return the indices of the edges of the perfect matching of least weight."""
    top = max(weights) + 1
    index = {edge: e for e, edge in enumerate(edges)}
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * size)
    graph.add_edges_from([(i, j, top - w) for (i, j), w in zip(edges, weights, strict=True)])
    mates = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return [index[min(i, j), max(i, j)] for i, j in mates]

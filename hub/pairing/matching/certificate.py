"""The proof that a pairing is the best: numbers for the players that no pair undercuts (linear programming
duality).

`holds` trusts nothing but the costs: not the solver, not the pairs that it looked at.
"""

from __future__ import annotations

from collections.abc import Sequence

from hub.pairing.matching.pricing import Costs, OddSets, contradictions


def holds(costs: Costs, mate: Sequence[int], duals: Sequence[int], odd_sets: OddSets) -> bool:
    """True only if `mate` is a perfect matching and no other one on the complete graph costs less.

    The cost of a pair must be at least its two duals less the weights of the odd sets that hold both, and
    exactly that where the pair is matched; each odd set has a weight of at least 0 and one member matched
    outside. Then every perfect matching costs at least the sum of the duals less weight x (size - 1) / 2 of
    the sets, and this one does.
    """
    size = costs.size
    if (
        len(mate) != size
        or len(duals) != size
        or any(mate[v] == v or mate[mate[v]] != v for v in range(size))
    ):
        return False
    slack = [costs.cost(v, mate[v]) - duals[v] - duals[mate[v]] for v in range(size)]
    for members, weight in odd_sets:
        inside = set(members)
        outside = sum(mate[v] not in inside for v in inside)
        if weight < 0 or len(inside) % 2 == 0 or len(inside) < len(members) or outside != 1:
            return False
        for v in inside:
            if mate[v] in inside:
                slack[v] += weight
    return not any(slack) and not contradictions(costs, duals, odd_sets, 1)

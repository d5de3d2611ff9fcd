"""The proof that a pairing is the best: numbers for the players that no pair undercuts (linear programming
duality).

`holds` trusts nothing but the costs: not the solver, not the pairs that it looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Costs(Protocol):
    """Exact costs of a complete graph on vertices 0..size-1; `row(i, first)` of i with `first`, first + 1,
    ...
    """

    @property
    def size(self) -> int: ...

    def row(self, i: int, first: int) -> Sequence[int]: ...


def holds(
    costs: Costs, mate: Sequence[int], duals: Sequence[int], odd_sets: Sequence[tuple[Sequence[int], int]]
) -> bool:
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
    sets_of = [0] * size  # bit k: in the set number k
    weight_of: dict[int, int] = {}  # of the sets of these bits together
    for number, (members, weight) in enumerate(odd_sets):
        inside = set(members)
        outside = sum(mate[v] not in inside for v in inside)
        if weight < 0 or len(inside) % 2 == 0 or outside != 1:
            return False
        for v in inside:
            sets_of[v] |= 1 << number
    for i in range(size):
        own = duals[i]
        slack = [cost - dual - own for cost, dual in zip(costs.row(i, i + 1), duals[i + 1 :], strict=True)]
        for j, missing in enumerate(slack, i + 1):
            if missing < 0 or mate[i] == j:
                shared = sets_of[i] & sets_of[j]
                if shared not in weight_of:
                    weight_of[shared] = sum(w for k, (_, w) in enumerate(odd_sets) if shared >> k & 1)
                if (missing := missing + weight_of[shared]) < 0 or (mate[i] == j and missing):
                    return False
    return True

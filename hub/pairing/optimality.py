"""The proof that a pairing is the best: numbers for the players that no pair undercuts (linear programming
duality).

Where a matching is `tight` and no pair contradicts the duals, every perfect matching on the complete graph costs at
least the sum of the duals less weight x (size - 1) / 2 of the odd sets, and this one costs just that. Nothing is
trusted but the costs: not the solver, not the pairs that it looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

# (members, weight) of each odd set; any two are apart, or one holds the other.
OddSets = Sequence[tuple[Sequence[int], int]]


class Costs(Protocol):
    """Exact costs of a complete graph on vertices 0..size-1, none below `by_kind[kind[i]][kind[j]]`."""

    @property
    def size(self) -> int: ...

    @property
    def kind(self) -> Sequence[int]: ...

    @property
    def by_kind(self) -> Sequence[Sequence[int]]: ...

    def cost(self, i: int, j: int) -> int: ...


class _Group(NamedTuple):
    """Vertices of one kind in the same odd sets, the largest dual first."""

    kind: int
    sets: frozenset[int]
    top: int
    members: Sequence[int]


def tight(costs: Costs, mate: Sequence[int], duals: Sequence[int], odd_sets: OddSets) -> bool:
    """Return True if `mate` is a perfect matching that meets its bound.

    Its pairs cost exactly their duals less the sets that hold both, and each odd set has a weight of at least 0 and one
    member matched outside.
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
    return not any(slack)


def contradictions(
    costs: Costs, duals: Sequence[int], odd_sets: OddSets, per_vertex: int
) -> list[tuple[int, int]]:
    """Return the pairs that cost less than their duals less the sets that hold both.

    Every pair is decided, in exact integers: those of two groups at once where the largest duals of both leave room,
    the others one by one. Of each vertex at most `per_vertex` are returned, of the worst.
    """
    groups = _group_vertices(costs, duals, odd_sets)
    tops, kinds = [group.top for group in groups], [group.kind for group in groups]
    worst_of: dict[int, list[tuple[int, int, int]]] = {}
    for group_index, group in enumerate(groups):
        row, top = costs.by_kind[group.kind], group.top
        for other_index in [
            other_index
            for other_index in range(group_index, len(groups))
            if row[kinds[other_index]] - tops[other_index] < top
        ]:
            least, shared_sets = row[kinds[other_index]], group.sets & groups[other_index].sets
            weight = sum([odd_sets[number][1] for number in shared_sets]) if shared_sets else 0  # noqa: C419 - a list is faster
            for place, i in enumerate(group.members):
                # What i and any of the other group cost leaves room for so large a dual.
                room = least + weight - duals[i]
                if room >= tops[other_index]:
                    break
                below: list[tuple[int, int, int]] = []
                for j in (
                    groups[other_index].members if other_index != group_index else group.members[place + 1 :]
                ):
                    if duals[j] <= room or len(below) == per_vertex:
                        break
                    missing = costs.cost(i, j) - least + room - duals[j]
                    if missing < 0:
                        below.append((missing, i, j))
                if below:
                    worst_of.setdefault(i, []).extend(below)
    return [(i, j) for worst in worst_of.values() for _, i, j in sorted(worst)[:per_vertex]]


def _group_vertices(costs: Costs, duals: Sequence[int], odd_sets: OddSets) -> list[_Group]:
    within: list[tuple[int, ...]] = [()] * costs.size
    for number, (members, _) in enumerate(odd_sets):
        for v in members:
            within[v] += (number,)
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for v in sorted(range(costs.size), key=duals.__getitem__, reverse=True):
        groups.setdefault((costs.kind[v], within[v]), []).append(v)
    return [
        _Group(kind, frozenset(sets), duals[members[0]], members) for (kind, sets), members in groups.items()
    ]

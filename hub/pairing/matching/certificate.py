"""The proof that a pairing is the best: numbers for the players that no pair undercuts (linear programming
duality).

`holds` trusts nothing but the costs: not the solver, not the pairs that it looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple, Protocol

OddSets = Sequence[tuple[Sequence[int], int]]
"""(members, weight) of each odd set; any two are apart, or one holds the other."""


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
    """Vertices of one kind in the same odd sets (number -> weight), the largest dual first."""

    kind: int
    sets: Mapping[int, int]
    top: int
    members: Sequence[int]


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


def contradictions(
    costs: Costs, duals: Sequence[int], odd_sets: OddSets, per_vertex: int
) -> list[tuple[int, int]]:
    """Pairs that cost less than their duals less the sets that hold both; empty if and only if there is none.

    Every pair is decided, in exact integers: those of two groups at once where the largest duals of both leave room,
    the others one by one. Of each vertex at most `per_vertex` are returned, of the worst.
    """
    groups = _grouped(costs, duals, odd_sets)
    tops, kinds = [group.top for group in groups], [group.kind for group in groups]
    found: dict[int, list[tuple[int, int, int]]] = {}
    for at, one in enumerate(groups):
        row, top = costs.by_kind[one.kind], one.top
        for to in range(at, len(groups)):
            if row[kinds[to]] - tops[to] < top:
                least = row[kinds[to]] + _shared(one.sets, groups[to].sets)
                for place, i in enumerate(one.members):
                    if least - duals[i] >= tops[to]:
                        break
                    others = groups[to].members if to != at else one.members[place + 1 :]
                    below = islice(_below(costs, duals, i, others, least), per_vertex)
                    found.setdefault(i, []).extend(below)
    return [(i, j) for worst in found.values() for _, i, j in sorted(worst)[:per_vertex]]


def _below(
    costs: Costs, duals: Sequence[int], i: int, others: Sequence[int], least: int
) -> Iterator[tuple[int, int, int]]:
    """(what is missing, i, j), down to the duals that `least`, what i costs with any of `others`, leaves room for."""
    room = least - duals[i]
    for j in others:
        if duals[j] <= room:
            return
        missing = costs.cost(i, j) - costs.by_kind[costs.kind[i]][costs.kind[j]] + room - duals[j]
        if missing < 0:
            yield missing, i, j


def _grouped(costs: Costs, duals: Sequence[int], odd_sets: OddSets) -> list[_Group]:
    within: list[tuple[int, ...]] = [()] * costs.size
    for number, (members, _) in enumerate(odd_sets):
        for v in members:
            within[v] += (number,)
    groups: dict[tuple[int, tuple[int, ...]], list[int]] = {}
    for v in sorted(range(costs.size), key=duals.__getitem__, reverse=True):
        groups.setdefault((costs.kind[v], within[v]), []).append(v)
    return [
        _Group(kind, {number: odd_sets[number][1] for number in sets}, duals[members[0]], members)
        for (kind, sets), members in groups.items()
    ]


def _shared(some: Mapping[int, int], others: Mapping[int, int]) -> int:
    """The weight of the odd sets that are among both."""
    return sum(weight for number, weight in some.items() if number in others)

"""Minimum-cost perfect matching on a sparse graph, exact for integers of any size, with the numbers that
prove it.

Edmonds' method. Trees grow from all unmatched vertices at once, in the order of a heap (as Dijkstra grows a
path); where two meet, the matching is changed along both and they are gone. Every vertex has a dual number, every
odd set that was contracted ("blossom") has a weight; together they bound the cost of every perfect matching
from below (see `hub.pairing.matching.certificate`).
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from math import inf

from hub.pairing.matching.trees import APART, INNER, OUTER, Trees


class NoPerfectMatchingError(Exception):
    """The vertices of `trees` cannot all be matched at once."""

    def __init__(self, trees: list[int]) -> None:
        super().__init__(f"no perfect matching: {len(trees)} vertices cannot all be matched")
        self.trees = trees


class Matching(Trees):
    """`neighbours[i]` maps each neighbour of vertex i to the cost of that edge: **even** integers, both
    ways alike.

    `duals` and `mates` are a start from elsewhere: no edge is cheaper than its two duals, and of the mates those stay
    whose edge is exactly as dear. After `solve`, `mate[v]` is the partner of v, `dual[v]` its dual number;
    `odd_sets()` yields the contracted sets of positive weight.
    """

    def __init__(
        self,
        neighbours: Sequence[dict[int, int]],
        duals: Sequence[int] | None = None,
        mates: Sequence[int] | None = None,
    ) -> None:
        for v, near in enumerate(neighbours):
            if not near:
                raise NoPerfectMatchingError([v])
        if duals is None:
            duals = [min(near.values()) // 2 for near in neighbours]
        super().__init__(neighbours, list(duals))
        self._match_greedily(mates)

    def solve(self) -> list[int]:
        """Match everybody; raises NoPerfectMatchingError. Returns `mate`."""
        for v in range(self.size):
            if self.mate[v] < 0:
                # All outer vertices stay alike, odd or even, so that two trees meet at a whole number.
                self.dual[v] -= self.dual[v] % 2
                self.trees[v] = []
                self._make_outer(v, None, v, 0)
        self._grow()
        return self.mate

    def flat_duals(self) -> list[int]:
        """Vertex duals with every set dissolved: a feasible start for a graph with more edges."""
        flat = list(self.dual)
        for members, weight in self.odd_sets():
            for v in members:
                flat[v] -= weight // 2
        return flat

    def _match_greedily(self, mates: Sequence[int] | None) -> None:
        """Along edges that are exactly as dear as their duals: those of `mates` first."""
        dual, mate, neighbours = self.dual, self.mate, self.neighbours
        if mates is not None:
            for i, j in enumerate(mates):
                if neighbours[i][j] == dual[i] + dual[j]:
                    mate[i] = j
        for i, near in enumerate(neighbours):
            if mate[i] < 0:
                least = dual[i] = min([c - dual[j] for j, c in near.items()])  # noqa: C419 - a list is faster
                free = [j for j, c in near.items() if mate[j] < 0 and c - dual[j] == least]
                if free:
                    j = mate[i] = min(free)
                    mate[j] = i

    def _grow(self) -> None:
        """Until all trees have met. Edges without slack come before the heap.

        First come, first served: so the trees stay alike in size, and small ones meet.
        """
        neighbours, dual, weight, mate = self.neighbours, self.dual, self.weight, self.mate
        group, owner, base = self.group, self.owner, self.base
        label, since, born, root = self.label, self.since, self.born, self.root
        heap, to_scan, tight, due = self.heap, self.to_scan, self.tight, self.due
        now = 0
        while self.trees:
            if to_scan:
                i = to_scan.popleft()
                own = owner[group[i]]
                if label[own] != OUTER:
                    continue
                born_i = dual[i] - since[i]
                dual_i = born_i + now
                for j, c in neighbours[i].items():
                    other = owner[group[j]]
                    kind = label[other]
                    if kind == APART:
                        at = c - born_i - dual[j]
                        if at == now:
                            tight.append((i, j))
                        elif at < due[j]:
                            due[j] = at
                            heappush(heap, (at, i, j))
                    elif kind == OUTER and other != own:
                        slack = c - dual_i - dual[j] - now + since[j]
                        if slack:
                            heappush(heap, (now + slack // 2, i, j))
                        elif root[other] == root[own]:
                            tight.append((i, j))
                        else:
                            self._augment(i, j, now)
                            break
                continue
            if tight:
                i, j = tight.popleft()
                at = now
            elif heap:
                at, i, j = heappop(heap)
                if i < 0:
                    if label[j] == INNER and self.parts[j] and at == born[j] + weight[j] // 2:
                        now = at
                        self._settle(j, now)
                        self._open(j, now)
                    continue
            else:
                trees = [s for sets in self.trees.values() for s in sets if label[s] != APART]
                raise NoPerfectMatchingError(sorted({v for s in trees for v in self.members[s]}))
            own, other = owner[group[i]], owner[group[j]]
            kind = label[other]
            was_due = due[j] == at
            if was_due:
                due[j] = inf
            if label[own] != OUTER:
                if was_due and kind == APART:
                    self._reach_again((j,))
                continue
            if own == other or kind == INNER:
                continue
            # The entry may be out of date, for sets come and go: what is left of the slack is looked at again.
            slack = neighbours[i][j] - dual[i] - dual[j] - (at - since[i])
            if kind == APART:
                if slack:
                    if was_due:
                        self._reach_again((j,))
                    continue
                now = at
                self._make_inner(other, (i, j), root[own], now)
                w = mate[base[other]]
                self._make_outer(owner[group[w]], (base[other], w), root[own], now)
                continue
            slack -= at - since[j]
            if slack:
                heappush(heap, (at + slack // 2, i, j))
                continue
            now = at
            if root[own] == root[other]:
                self._contract(i, j, now)
            else:
                self._augment(i, j, now)

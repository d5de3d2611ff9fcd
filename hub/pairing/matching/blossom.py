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

from flagfall.othello.errors import FlagfallError
from hub.pairing.matching.trees import APART, INNER, OUTER, Trees


class NoPerfectMatching(FlagfallError):
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
                raise NoPerfectMatching([v])
        if duals is None:
            duals = [min(near.values()) // 2 for near in neighbours]
        super().__init__(neighbours, list(duals))
        self._match_greedily(mates)

    def solve(self) -> list[int]:
        """Match everybody and return `mate`. Raise NoPerfectMatching if that cannot be."""
        for v in range(self.size):
            if self.mate[v] < 0:
                # All outer vertices stay alike, odd or even, so that two trees meet at a whole number.
                self.dual[v] -= self.dual[v] % 2
                self.trees[v] = []
                self._make_outer(v, None, v, 0)
        self._grow()
        return self.mate

    def flat_duals(self) -> list[int]:
        """Return vertex duals with every set dissolved: a feasible start for a graph with more edges."""
        flat = list(self.dual)
        for members, weight in self.odd_sets():
            for v in members:
                flat[v] -= weight // 2
        return flat

    def _match_greedily(self, mates: Sequence[int] | None) -> None:
        """Match along edges that are exactly as dear as their duals: those of `mates` first."""
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
        """Grow all trees until they have met. Edges without slack come before the heap.

        The edges are taken in the order in which they came: so the trees stay alike in size, and small ones meet.
        """
        neighbours, dual, weight, mate = self.neighbours, self.dual, self.weight, self.mate
        group, owner, base = self.group, self.owner, self.base
        label, root = self.label, self.root
        heap, to_scan, tight, due = self.heap, self.to_scan, self.tight, self.due
        now = 0
        while self.trees:
            if to_scan:
                i = to_scan.popleft()
                if label[i] != OUTER:
                    continue
                set_i, dual_i = owner[group[i]], dual[i]
                for j, c in neighbours[i].items():
                    kind = label[j]
                    if kind == APART:
                        at = c - dual_i - dual[j]
                        if at == now:
                            tight.append((i, j))
                        elif at < due[j]:
                            due[j] = at
                            heappush(heap, (at, i, j))
                    elif kind == OUTER and (set_j := owner[group[j]]) != set_i:
                        at = (c - dual_i - dual[j]) // 2
                        if at != now:
                            heappush(heap, (at, i, j))
                        elif root[set_j] == root[set_i]:
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
                    if self.is_outermost(j) and label[base[j]] == INNER and at == weight[j] // 2:
                        now = at
                        self._open(j, now)
                    continue
            else:
                raise NoPerfectMatching([v for v, kind in enumerate(label) if kind != APART])
            # An entry may be out of date, for sets come and go: when the edge gets tight is looked at again.
            if label[j] == APART:
                if label[i] == OUTER and neighbours[i][j] - dual[i] - dual[j] == at:
                    now, set_j, tree = at, owner[group[j]], root[owner[group[i]]]
                    self._make_inner(set_j, (i, j), tree, now)
                    w = mate[base[set_j]]
                    self._make_outer(owner[group[w]], (base[set_j], w), tree, now)
                elif due[j] == at:
                    self._reach_again((j,))
            elif label[j] == OUTER == label[i] and (set_i := owner[group[i]]) != (set_j := owner[group[j]]):
                then = (neighbours[i][j] - dual[i] - dual[j]) // 2
                if then != at:
                    heappush(heap, (then, i, j))
                    continue
                now = at
                if root[set_i] == root[set_j]:
                    self._contract(i, j, now)
                else:
                    self._augment(i, j, now)

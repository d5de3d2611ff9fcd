"""Minimum-cost perfect matching on a sparse graph, exact for integers of any size, with the numbers that
prove it.

Edmonds' method. Trees grow from all unmatched vertices at once, in the order of a heap (as Dijkstra grows a
path); where two meet, the matching is changed along both and they are gone. Every vertex has a dual number, every
odd set that was contracted ("blossom") has a weight; together they bound the cost of every perfect matching
from below (see `hub.pairing.matching.certificate`). Duals are lazy: a vertex in a tree keeps the dual of the instant
at which it came there, and the common clock tells the rest.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from math import inf

from hub.pairing.matching.nested_sets import NestedSets

APART, OUTER, INNER = 0, 1, 2
"""What an outermost set is: in no tree; an even number of steps from the root; an odd number."""


class NoPerfectMatchingError(Exception):
    """The vertices of `trees` cannot all be matched at once."""

    def __init__(self, trees: list[int]) -> None:
        super().__init__(f"no perfect matching: {len(trees)} vertices cannot all be matched")
        self.trees = trees


class Matching(NestedSets):
    """`neighbours[i]` maps each neighbour of vertex i to the cost of that edge: **even** integers, both
    ways alike.

    `duals` and `mates` are a start from elsewhere, of any quality; they are repaired here. After `solve`,
    `mate[v]` is the partner of v, `dual[v]` its dual number; `odd_sets()` yields the contracted sets of
    positive weight.
    """

    def __init__(
        self,
        neighbours: Sequence[dict[int, int]],
        duals: Sequence[int] | None = None,
        mates: Sequence[int] | None = None,
    ) -> None:
        super().__init__(len(neighbours))
        self.neighbours = neighbours
        for v, near in enumerate(neighbours):
            if not near:
                raise NoPerfectMatchingError([v])
        self.dual = [min(near.values()) // 2 for near in neighbours] if duals is None else list(duals)
        self.mate = [-1] * self.size
        # Of each outermost set: what it is, since when, its edge towards the root (outside, inside), its root.
        self.label = [APART] * self.size
        self.born = [0] * self.size
        self.entry: list[tuple[int, int] | None] = [None] * self.size
        self.root = [-1] * self.size
        self.trees: dict[int, list[int]] = {}  # root -> its sets, and some that are its no more
        self.since = [0] * self.size  # of each vertex in a tree
        # (time, i, j): the edge i-j gets tight; (time, -1, s): the weight of the inner set s runs out.
        self.heap: list[tuple[int, int, int]] = []
        # Of each vertex in no tree: the time of the one entry of the heap that takes it in.
        self.due: list[float] = [inf] * self.size
        self.to_scan: deque[int] = deque()
        self.tight: deque[tuple[int, int]] = deque()
        self._make_feasible(mates)

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

    def _make_feasible(self, mates: Sequence[int] | None) -> None:
        """No edge cheaper than its two duals; then match greedily along the edges that are exactly as dear."""
        dual, mate, neighbours = self.dual, self.mate, self.neighbours
        for i, near in enumerate(neighbours):
            dual[i] = min(dual[i], min([c - dual[j] for j, c in near.items()]))
        if mates is not None:
            for i, j in enumerate(mates):
                if j >= 0 and mate[j] in (-1, i) and neighbours[i].get(j) == dual[i] + dual[j]:
                    mate[i] = j
                    mate[j] = i
        for i, near in enumerate(neighbours):
            if mate[i] < 0:
                dual[i], _, j = min([(c - dual[j], mate[j] >= 0, j) for j, c in near.items()])
                if mate[j] < 0:
                    mate[i], mate[j] = j, i

    # -- trees ---------------------------------------------------------------------------------------------

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

    def new_set(self) -> int:
        s = super().new_set()
        if s == len(self.label):
            for column in (self.label, self.born, self.root):
                column.append(0)
            self.entry.append(None)
        return s

    def _join(self, s: int, label: int, entry: tuple[int, int] | None, root: int, now: int) -> None:
        self.label[s], self.entry[s], self.root[s], self.born[s] = label, entry, root, now
        self.trees[root].append(s)

    def _make_outer(self, s: int, entry: tuple[int, int] | None, root: int, now: int) -> None:
        self._join(s, OUTER, entry, root, now)
        for v in self.members[s]:
            self.since[v] = now
        self.to_scan.extend(self.members[s])

    def _make_inner(self, s: int, entry: tuple[int, int], root: int, now: int) -> None:
        self._join(s, INNER, entry, root, now)
        for v in self.members[s]:
            self.since[v] = now
        if s >= self.size:
            heappush(self.heap, (now + self.weight[s] // 2, -1, s))

    def _settle(self, s: int, now: int) -> None:
        """Write the duals of the set s, in a tree, as they are now."""
        sign = 1 if self.label[s] == OUTER else -1
        for v in self.members[s]:
            self.dual[v] += sign * (now - self.since[v])
            self.since[v] = now
        if s >= self.size:
            self.weight[s] += 2 * sign * (now - self.born[s])
        self.born[s] = now

    def _reach_again(self, vertices: Iterable[int]) -> None:
        """These vertices are in no tree, or no more: which outer vertex next to them will take them in first."""
        label, group, owner, dual, since = self.label, self.group, self.owner, self.dual, self.since
        for j in vertices:
            soonest, by, dual_j = 0, -1, dual[j]
            for i, c in self.neighbours[j].items():
                if label[owner[group[i]]] == OUTER:
                    at = c - dual_j - dual[i] + since[i]
                    if by < 0 or at < soonest:
                        soonest, by = at, i
            if by < 0:
                self.due[j] = inf
            else:
                self.due[j] = soonest
                heappush(self.heap, (soonest, by, j))

    # -- sets ----------------------------------------------------------------------------------------------

    def _path(self, v: int, end: int) -> tuple[list[int], list[tuple[int, int]]]:
        """The sets from v's own towards the root, up to but without `end`, and their edges (outside, inside)."""
        sets, edges = [], []
        s = self.outermost(v)
        while s != end:
            edge = self.entry[s]
            assert edge is not None
            sets.append(s)
            edges.append(edge)
            s = self.outermost(edge[0])
        return sets, edges

    def _meeting(self, i: int, j: int) -> int:
        """The first set that the ways of i and j to the root have in common; both are walked in turn."""
        seen: set[int] = set()
        here, there = self.outermost(i), self.outermost(j)
        here_ended = there_ended = False
        while True:
            if not here_ended:
                if here in seen:
                    return here
                seen.add(here)
                edge = self.entry[here]
                if edge is None:
                    here_ended = True
                else:
                    here = self.outermost(edge[0])
            here, there, here_ended, there_ended = there, here, there_ended, here_ended

    def _contract(self, i: int, j: int, now: int) -> None:
        """The edge i-j joins two outer sets of a tree: what lies between becomes one outer set."""
        meeting = self._meeting(i, j)
        left, left_edges = self._path(i, meeting)
        right, right_edges = self._path(j, meeting)
        parts = [meeting, *left[::-1], *right]
        links = [*left_edges[::-1], (i, j), *((inside, outside) for outside, inside in right_edges)]
        s = self.new_set()
        for part in parts:
            if self.label[part] == INNER:
                self._settle(part, now)
                self.to_scan.extend(self.members[part])
            elif part >= self.size:
                self.weight[part] += 2 * (now - self.born[part])
            self.label[part] = APART
        self.gather(s, parts, links)
        self._join(s, OUTER, self.entry[meeting], self.root[meeting], now)

    def _open(self, s: int, now: int) -> None:
        """Expands an inner odd set of weight zero: its parts become outermost; those on the even path stay."""
        parts, links, entry, root = self.parts[s], self.links[s], self.entry[s], self.root[s]
        assert entry is not None
        self.label[s] = APART
        for part in parts:
            self.stand_alone(part)
        self.free(s)
        at = parts.index(self.outermost(entry[1]))
        step = -1 if at % 2 == 0 else 1
        inner = True
        while True:
            if inner:
                self._make_inner(parts[at], entry, root, now)
            else:
                self._make_outer(parts[at], entry, root, now)
            if at == 0:
                break
            inner = not inner
            entry = links[at] if step == 1 else links[at - 1][::-1]
            at = (at + step) % len(parts)
        for part in parts:
            if self.label[part] == APART:
                self._reach_again(self.members[part])

    # -- turning the matching round ------------------------------------------------------------------------

    def _augment(self, i: int, j: int, now: int) -> None:
        """The tight edge i-j joins outer sets of two trees: change the matching up to both roots; both trees end."""
        roots = [self.root[self.outermost(v)] for v in (i, j)]
        self._turn(i)
        self._turn(j)
        self.mate[i], self.mate[j] = j, i
        ended = [
            s
            for root in roots
            for s in self.trees.pop(root)
            if self.label[s] != APART and self.root[s] == root
        ]
        vertices: list[int] = []
        for s in ended:
            if self.label[s] != APART:  # a number may have been used twice
                self._settle(s, now)
                self.label[s] = APART
                vertices += self.members[s]
                if not self.weight[s]:
                    self.dissolve(s)
        if self.trees:
            self._reach_again(vertices)

    def _turn(self, v: int) -> None:
        """Match everybody on the way from the outer vertex v to the root anew, so that v is left."""
        mate = self.mate
        while True:
            outer = self.outermost(v)
            to_inner = self.entry[outer]
            self.rebase(mate, outer, v)
            if to_inner is None:
                return
            inner = self.outermost(to_inner[0])
            to_outer = self.entry[inner]
            assert to_outer is not None
            self.rebase(mate, inner, to_outer[1])
            v, w = to_outer
            mate[v], mate[w] = w, v

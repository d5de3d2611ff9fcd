"""Minimum-cost perfect matching on a sparse graph, exact for integers of any size, with the numbers that
prove it.

Edmonds' method, one alternating tree at a time, grown in the order of a heap (as Dijkstra grows a path).
Every vertex has a dual number, every odd set that was contracted ("blossom") has a weight; together they
bound the cost of every perfect matching from below (see `hub.pairing.certificate`). Duals are lazy: a
labelled vertex keeps the dual of the instant at which it was labelled, and the clock of the search tells
the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from hub.pairing.nested_sets import NestedSets

OUTER, INNER = 1, 2


class NoPerfectMatchingError(Exception):
    """The vertices of `tree` cannot all be matched at once."""

    def __init__(self, tree: list[int]) -> None:
        super().__init__(f"no perfect matching: {len(tree)} vertices cannot all be matched")
        self.tree = tree


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
        self._make_feasible(mates)

    def solve(self) -> list[int]:
        """Match everybody; raises NoPerfectMatchingError. Returns `mate`."""
        for v in range(self.size):
            if self.mate[v] < 0:
                self._search(v)
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
            dual[i] = min(dual[i], min(c - dual[j] for j, c in near.items()))
        if mates is not None:
            for i, j in enumerate(mates):
                if j >= 0 and mate[j] in (-1, i) and neighbours[i].get(j) == dual[i] + dual[j]:
                    mate[i] = j
                    mate[j] = i
        for i, near in enumerate(neighbours):
            if mate[i] >= 0:
                continue
            slack, _, j = min((c - dual[j], mate[j] >= 0, j) for j, c in near.items())
            dual[i] = slack
            if mate[j] < 0:
                mate[i], mate[j] = j, i

    # -- one search ----------------------------------------------------------------------------------------

    def _search(self, root: int) -> None:
        """Grow a tree from the unmatched `root` until it reaches another unmatched vertex, and augment."""
        neighbours, dual, weight, mate = self.neighbours, self.dual, self.weight, self.mate
        group, owner, members, base = self.group, self.owner, self.members, self.base
        self.label: dict[int, int] = {}  # outermost set -> OUTER (even from the root) or INNER
        self.entry: dict[int, tuple[int, int] | None] = {}  # its edge towards the root: (outside, inside)
        self.born: dict[int, int] = {}  # outermost set -> time of its label
        self.since: dict[int, int] = {}  # vertex -> time of its label
        self.heap: list[tuple[int, int, int]] = []
        self.to_scan: list[int] = []
        label, since, born, heap, to_scan = self.label, self.since, self.born, self.heap, self.to_scan
        tight: list[tuple[int, int]] = []
        now = 0
        self._make_outer(owner[group[root]], None, now)
        while True:
            # Edges without slack come before the heap, and an unmatched end before everything.
            if to_scan:
                i = to_scan.pop()
                own = owner[group[i]]
                dual_i = dual[i] + now - since[i]
                for j, c in neighbours[i].items():
                    other = owner[group[j]]
                    if other == own:
                        continue
                    kind = label.get(other)
                    if kind is None:
                        slack = c - dual_i - dual[j]
                        if slack:
                            heappush(heap, (now + slack, i, j))
                        elif mate[base[other]] < 0:
                            self._finish(other, j, i, now)
                            return
                        else:
                            tight.append((i, j))
                    elif kind == OUTER:
                        slack = c - dual_i - dual[j] - now + since[j]
                        if slack:
                            heappush(heap, (now + slack // 2, i, j))
                        else:
                            tight.append((i, j))
                continue
            if tight:
                i, j = tight.pop()
                at = now
            elif heap:
                at, i, j = heappop(heap)
                if i < 0:  # an inner set's weight has run out
                    if label.get(j) == INNER and self.parts[j] and at == born[j] + weight[j] // 2:
                        now = at
                        self._settle(j, now)
                        self._open(j, now)
                    continue
            else:
                raise NoPerfectMatchingError([v for s in label for v in members[s]])
            own, other = owner[group[i]], owner[group[j]]
            kind = label.get(other)
            if own == other or kind == INNER:
                continue
            slack = neighbours[i][j] - dual[i] - dual[j] - (at - since[i])
            if kind is None:
                if slack:  # the entry is out of date: i was inner, or j in the tree, for a while
                    heappush(heap, (at + slack, i, j))
                    continue
                now = at
                if mate[base[other]] < 0:
                    self._finish(other, j, i, now)
                    return
                self._make_inner(other, (i, j), now)
                w = mate[base[other]]
                self._make_outer(owner[group[w]], (base[other], w), now)
            else:
                slack -= at - since[j]
                if slack:
                    heappush(heap, (at + slack // 2, i, j))
                    continue
                now = at
                self._contract(i, j, now)

    def _make_outer(self, s: int, entry: tuple[int, int] | None, now: int) -> None:
        self.label[s], self.entry[s], self.born[s] = OUTER, entry, now
        for v in self.members[s]:
            self.since[v] = now
        self.to_scan.extend(self.members[s])

    def _make_inner(self, s: int, entry: tuple[int, int], now: int) -> None:
        self.label[s], self.entry[s], self.born[s] = INNER, entry, now
        for v in self.members[s]:
            self.since[v] = now
        if s >= self.size:
            heappush(self.heap, (now + self.weight[s] // 2, -1, s))

    def _settle(self, s: int, now: int) -> None:
        """Write the duals of the labelled set s as they are now."""
        sign = 1 if self.label[s] == OUTER else -1
        for v in self.members[s]:
            self.dual[v] += sign * (now - self.since[v])
            self.since[v] = now
        if s >= self.size:
            self.weight[s] += 2 * sign * (now - self.born[s])
        self.born[s] = now

    def _finish(self, s: int, inside: int, outside: int, now: int) -> None:
        for t in self.label:
            self._settle(t, now)
        self._augment(s, inside, outside)
        for t, kind in self.label.items():
            if kind == OUTER and t >= self.size and not self.weight[t]:
                self.dissolve(t)

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
        """The edge i-j joins two outer sets of the tree: what lies between becomes one outer set."""
        meeting = self._meeting(i, j)
        left, left_edges = self._path(i, meeting)
        right, right_edges = self._path(j, meeting)
        parts = [meeting, *left[::-1], *right]  # links[k] joins parts[k] and parts[k + 1], round to the first
        links = [*left_edges[::-1], (i, j), *((inside, outside) for outside, inside in right_edges)]
        entry = self.entry[meeting]
        s = self.new_set()
        self.base[s], self.parts[s], self.links[s] = self.base[meeting], parts, links
        for part in parts:
            if self.label[part] == INNER:
                self._settle(part, now)
                self.to_scan.extend(self.members[part])
            elif part >= self.size:
                self.weight[part] += 2 * (now - self.born[part])
            del self.label[part], self.entry[part], self.born[part]
            self.parent[part] = s
        largest = max(parts, key=lambda part: len(self.members[part]))
        bucket = self.bucket[s] = self.bucket[largest]
        self.owner[bucket] = s
        gathered = self.members[largest]
        for part in parts:
            if part != largest:
                for v in self.members[part]:
                    self.group[v] = bucket
                gathered.extend(self.members[part])
                self.members[part] = []
        self.members[largest] = []
        self.members[s] = gathered
        self.label[s], self.entry[s], self.born[s] = OUTER, entry, now

    def _open(self, s: int, now: int) -> None:
        """An inner set of weight zero: its parts become outermost; those on the even way stay in the tree."""
        parts, links, entry = self.parts[s], self.links[s], self.entry[s]
        assert entry is not None
        del self.label[s], self.entry[s], self.born[s]
        for part in parts:
            for v in self.stand_alone(part):
                del self.since[v]
        self.free(s)
        count = len(parts)
        at = parts.index(self.outermost(entry[1]))
        step = -1 if at % 2 == 0 else 1
        kept = set()
        inner = True
        while True:
            part = parts[at]
            kept.add(part)
            if inner:
                self._make_inner(part, entry, now)
            else:
                self._make_outer(part, entry, now)
            if at == 0:
                break
            inner = not inner
            entry = links[at] if step == 1 else links[at - 1][::-1]
            at = (at + step) % count
        for part in parts:  # the others are out of the tree, and may be reached again
            if part in kept:
                continue
            for j in self.members[part]:
                for i, c in self.neighbours[j].items():
                    if self.label.get(self.outermost(i)) == OUTER:
                        slack = c - self.dual[j] - self.dual[i] - (now - self.since[i])
                        heappush(self.heap, (now + slack, i, j))

    # -- turning the matching round ------------------------------------------------------------------------

    def _augment(self, s: int, inside: int, outside: int) -> None:
        """s is unmatched and was reached by the tight edge outside-inside: change the matching up to the
        root.
        """
        mate = self.mate
        self.rebase(mate, s, inside)
        v, w = outside, inside
        while True:
            outer = self.outermost(v)
            to_inner = self.entry[outer]
            self.rebase(mate, outer, v)
            mate[v], mate[w] = w, v
            if to_inner is None:
                return
            inner = self.outermost(to_inner[0])
            to_outer = self.entry[inner]
            assert to_outer is not None
            self.rebase(mate, inner, to_outer[1])
            v, w = to_outer

"""The trees of Edmonds' method: alternating paths from unmatched vertices, grown, contracted, opened and turned round.

Duals are lazy: a vertex in a tree keeps the dual that it would have had at time 0, and the common clock tells the rest.
So do the weights of odd sets.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from heapq import heappush
from math import inf

from hub.pairing.matching.nested_sets import NestedSets

# Labels of an outermost set and its vertices: in no tree; an even number of steps from the root; an odd number.
APART, OUTER, INNER = 0, 1, 2


class Trees(NestedSets):
    """`neighbours[i]` maps each neighbour of vertex i to the cost of that edge; `dual` and `mate` are each vertex's."""

    def __init__(self, neighbours: Sequence[dict[int, int]], dual: list[int]) -> None:
        super().__init__(len(neighbours))
        self.neighbours = neighbours
        self.dual = dual
        self.mate = [-1] * self.size
        self.label = [APART] * self.size  # of each vertex
        # For each outermost set in a tree, its edge towards the root (outside, inside), and its root.
        self.entry: list[tuple[int, int] | None] = [None] * self.size
        self.root = [-1] * self.size
        self.trees: dict[int, list[int]] = {}  # root -> its sets (may contain stale entries)
        # (time, i, j): the edge i-j gets tight; (time, -1, s): the weight of the inner set s runs out.
        self.heap: list[tuple[int, int, int]] = []
        # For each vertex in no tree, the time of the one entry of the heap that takes it in.
        self.due: list[float] = [inf] * self.size
        self.to_scan: deque[int] = deque()
        self.tight: deque[tuple[int, int]] = deque()

    def new_set(self) -> int:
        s = super().new_set()
        if s == len(self.root):
            self.root.append(-1)
            self.entry.append(None)
        return s

    def _join(self, s: int, entry: tuple[int, int] | None, root: int) -> None:
        self.entry[s], self.root[s] = entry, root
        self.trees[root].append(s)

    def _make_outer(self, s: int, entry: tuple[int, int] | None, root: int, now: int) -> None:
        self._join(s, entry, root)
        self._relabel(s, OUTER, -now)
        self.to_scan.extend(self.members[s])

    def _make_inner(self, s: int, entry: tuple[int, int], root: int, now: int) -> None:
        self._join(s, entry, root)
        self._relabel(s, INNER, now)
        if s >= self.size:
            heappush(self.heap, (self.weight[s] // 2, -1, s))

    def _relabel(self, s: int, label: int, later: int) -> None:
        """Give the set s another label; its duals rise by `later`, so that they are right from now on."""
        for v in self.members[s]:
            self.label[v] = label
            self.dual[v] += later
        if s >= self.size:
            self.weight[s] += 2 * later

    def _settle(self, s: int, now: int) -> None:
        """Take the set s out of its tree, with its duals as they are now."""
        self._relabel(s, APART, now if self.label[self.base[s]] == OUTER else -now)

    def _reach_again(self, vertices: Iterable[int]) -> None:
        """Find the outer vertex that takes in each of these vertices first; they are in no tree now."""
        label, dual = self.label, self.dual
        for j in vertices:
            soonest, by = 0, -1
            for i, c in self.neighbours[j].items():
                if label[i] == OUTER:
                    at = c - dual[i]
                    if by < 0 or at < soonest:
                        soonest, by = at, i
            if by < 0:
                self.due[j] = inf
            else:
                self.due[j] = soonest = soonest - dual[j]
                heappush(self.heap, (soonest, by, j))

    # -- sets ----------------------------------------------------------------------------------------------

    def _path(self, v: int, end: int) -> tuple[list[int], list[tuple[int, int]]]:
        """Return the sets from v's own towards the root, up to but without `end`, and their edges (outside, inside)."""
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
        """Return the first set that the ways of i and j to the root have in common. Both ways are walked in turn."""
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
        """Make one outer set of the ring that the edge i-j closes between two outer sets of a tree."""
        meeting = self._meeting(i, j)
        left, left_edges = self._path(i, meeting)
        right, right_edges = self._path(j, meeting)
        parts = [meeting, *left[::-1], *right]
        links = [*left_edges[::-1], (i, j), *((inside, outside) for outside, inside in right_edges)]
        s = self.new_set()
        for part in parts:
            if self.label[self.base[part]] == INNER:
                self._relabel(part, OUTER, -2 * now)
                self.to_scan.extend(self.members[part])
            if part >= self.size:
                self.weight[part] += 2 * now
        self.gather(s, parts, links)
        self.weight[s] = -2 * now
        self._join(s, self.entry[meeting], self.root[meeting])

    def _open(self, s: int, now: int) -> None:
        """Expand an inner odd set whose weight runs out: its parts become outermost, and those on the even path
        stay."""
        self._settle(s, now)
        parts, links, entry, root = self.parts[s], self.links[s], self.entry[s], self.root[s]
        assert entry is not None
        for part in parts:
            self.stand_alone(part)
        self.free(s)
        index = parts.index(self.outermost(entry[1]))
        step = -1 if index % 2 == 0 else 1
        inner = True
        while True:
            if inner:
                self._make_inner(parts[index], entry, root, now)
            else:
                self._make_outer(parts[index], entry, root, now)
            if index == 0:
                break
            inner = not inner
            entry = links[index] if step == 1 else links[index - 1][::-1]
            index = (index + step) % len(parts)
        for part in parts:
            if self.label[self.base[part]] == APART:
                self._reach_again(self.members[part])

    # -- turning the matching round ------------------------------------------------------------------------

    def _augment(self, i: int, j: int, now: int) -> None:
        """Change the matching along the tight edge i-j up to the roots of both trees, which then end."""
        roots = [self.root[self.outermost(v)] for v in (i, j)]
        self._turn(i)
        self._turn(j)
        self.mate[i], self.mate[j] = j, i
        # Some sets are within others by now, and a number may have been used twice.
        ended = dict.fromkeys(
            s for root in roots for s in self.trees.pop(root) if self.root[s] == root and self.is_outermost(s)
        )
        vertices: list[int] = []
        for s in ended:
            self._settle(s, now)
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

"""Minimum-cost perfect matching on a sparse graph by Edmonds' method, exact for integers of any size, with its proof.

Trees grow from all unmatched vertices at once, in the order of a heap (as Dijkstra grows a path). Where two trees meet,
the matching is changed along both and they end. Every vertex has a dual number, every contracted odd set ("blossom") a
weight. Together they bound the cost of every perfect matching from below (see `hub.pairing.optimality`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import heappop, heappush
from math import inf

from flagfall.base.errors import FlagfallError


class NestedSets:
    """The odd sets that a matching contracts: nested, each an odd ring of parts, each with a weight.

    They are sets over the vertices 0..size-1; a vertex is a set of one, sets of several are numbered from `size` on.

    `parts[s]` are the sets in s, round the ring; `links[s][k]` is the edge that joins parts[k] and parts[k + 1].
    `base[s]` is the one vertex that is not matched inside s. `members[s]` is kept for outermost sets only.
    """

    def __init__(self, size: int) -> None:
        n = self.size = size
        # `group[v]` is a bucket of vertices, `owner[bucket]` the outermost set it stands for: so contracting has
        # to rename the small buckets only.
        self.group = list(range(n))
        self.owner = list(range(n))
        self.bucket = list(range(n))
        self.members: list[list[int]] = [[v] for v in range(n)]
        self.base = list(range(n))
        self.parent = [-1] * n
        self.parts: list[list[int]] = [[] for _ in range(n)]
        self.links: list[list[tuple[int, int]]] = [[] for _ in range(n)]
        self.weight = [0] * n
        self.unused: list[int] = []

    def odd_sets(self) -> Iterator[tuple[list[int], int]]:
        """Yield (members, weight) of every contracted set of positive weight, nested ones too."""
        for s in range(self.size, len(self.base)):
            if self.parts[s] and self.weight[s]:
                yield self.leaves(s), self.weight[s]

    def leaves(self, s: int) -> list[int]:
        """Return the vertices of s."""
        vertices, todo = [], [s]
        while todo:
            s = todo.pop()
            if s < self.size:
                vertices.append(s)
            else:
                todo.extend(self.parts[s])
        return vertices

    def outermost(self, v: int) -> int:
        """Return the outermost set that holds v."""
        return self.owner[self.group[v]]

    def is_outermost(self, s: int) -> bool:
        """Return True if s exists and is in no other set."""
        return self.outermost(self.base[s]) == s

    def new_set(self) -> int:
        """Return a new empty outermost set of weight 0."""
        if self.unused:
            s = self.unused.pop()
        else:
            s = len(self.base)
            for column in (self.base, self.parent, self.weight, self.bucket, self.owner):
                column.append(-1)
            self.parts.append([])
            self.links.append([])
            self.members.append([])
        self.parent[s], self.weight[s] = -1, 0
        return s

    def gather(self, s: int, parts: list[int], links: list[tuple[int, int]]) -> None:
        """Make s, new, the outermost set of these parts, the first of which holds its base."""
        self.base[s], self.parts[s], self.links[s] = self.base[parts[0]], parts, links
        largest = max(parts, key=lambda part: len(self.members[part]))
        bucket = self.bucket[s] = self.bucket[largest]
        self.owner[bucket] = s
        gathered = self.members[largest]
        for part in parts:
            self.parent[part] = s
            if part != largest:
                for v in self.members[part]:
                    self.group[v] = bucket
                gathered.extend(self.members[part])
            self.members[part] = []
        self.members[s] = gathered

    def free(self, s: int) -> None:
        """Let the number s be used again."""
        self.parts[s], self.links[s], self.members[s] = [], [], []
        self.unused.append(s)

    def stand_alone(self, s: int) -> list[int]:
        """Make s outermost again and return its vertices."""
        leaves = self.members[s] = self.leaves(s)
        self.bucket[s], self.owner[s], self.parent[s] = s, s, -1
        for v in leaves:
            self.group[v] = s
        return leaves

    def dissolve(self, s: int) -> None:
        """Undo the outermost set s of weight zero, and all such directly inside it."""
        todo = [s]
        while todo:
            s = todo.pop()
            if s >= self.size and not self.weight[s]:
                todo.extend(self.parts[s])
                self.free(s)
            else:
                self.stand_alone(s)

    def rebase(self, mate: list[int], s: int, v: int) -> None:
        """Make v the vertex of s that is matched outside s: turn `mate` round inside, in nested sets too."""
        todo = [(s, v)]
        while todo:
            s, v = todo.pop()
            if s < self.size or self.base[s] == v:
                continue
            part = v
            while self.parent[part] != s:
                part = self.parent[part]
            parts, links = self.parts[s], self.links[s]
            index, count = parts.index(part), len(parts)
            todo.append((part, v))
            for k in range(1, count, 2):
                p = (index + k) % count
                x, y = links[p]
                todo.append((parts[p], x))
                todo.append((parts[(p + 1) % count], y))
                mate[x], mate[y] = y, x
            self.parts[s] = parts[index:] + parts[:index]
            self.links[s] = links[index:] + links[:index]
            self.base[s] = v


# Labels of an outermost set and its vertices: in no tree; an even number of steps from the root; an odd number.
APART, OUTER, INNER = 0, 1, 2


class Trees(NestedSets):
    """The alternating paths from unmatched vertices: grown, contracted, opened and turned round.

    `neighbours[i]` maps each neighbour of vertex i to the cost of that edge; `dual` and `mate` are each vertex's. Duals
    are lazy: a vertex in a tree keeps the dual that it would have had at time 0, and the common clock tells the rest.
    So do the weights of odd sets.
    """

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


class NoPerfectMatching(FlagfallError):
    """The vertices of `trees` cannot all be matched at once."""

    def __init__(self, trees: list[int]) -> None:
        super().__init__(f"no perfect matching: {len(trees)} vertices cannot all be matched")
        self.trees = trees


class Matching(Trees):
    """The matching of a graph: `neighbours[i]` maps each neighbour of vertex i to the cost of that edge.

    Costs are **even** integers, both ways alike.

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

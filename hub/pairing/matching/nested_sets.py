"""The odd sets that a matching contracts: nested, each an odd ring of parts, each with a weight."""

from __future__ import annotations

from collections.abc import Iterator


class NestedSets:
    """Sets over the vertices 0..size-1; a vertex is a set of one, sets of several are numbered from `size` on.

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

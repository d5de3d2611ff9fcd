"""The Merkle tree of a record: its root, and proofs that others check (RFC 6962, RFC 9162).

A leaf is the bytes of one entry. A tree is given as the hashes of its leaves, in the order of the record; a hash is 32
bytes (SHA-256).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

HASH_BYTES = 32
_LEAF, _NODE = b"\x00", b"\x01"


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of one leaf (RFC 9162, 2.1.1)."""
    return hashlib.sha256(_LEAF + leaf).digest()


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the head of the tree with these leaves; that of no leaves is the hash of nothing (RFC 9162, 2.1.1)."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    level = list(hashes)
    while len(level) > 1:
        # A last node without a neighbour rises as it is: the left part of each tree is the largest power of two.
        pairs = [_node(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        level = [*pairs, level[-1]] if len(level) % 2 else pairs
    return level[0]


class Tree:
    """A tree that grows leaf by leaf, and knows its root and every path after each."""

    def __init__(self) -> None:
        # The hashes of the leaves, then the roots of all whole trees of two leaves, of four ...: as many again.
        self._levels: list[list[bytes]] = [[]]

    @property
    def hashes(self) -> Sequence[bytes]:
        return self._levels[0]

    def add(self, leaf: bytes) -> None:
        """Add a leaf, by its hash."""
        node = leaf
        for height, level in enumerate(self._levels):
            level.append(node)
            if len(level) % 2:
                return
            node = _node(level[-2], node)
            if height + 1 == len(self._levels):
                self._levels.append([])

    @property
    def root(self) -> bytes:
        return self.root_of(0, len(self.hashes)) if self.hashes else root(())

    def root_of(self, start: int, size: int) -> bytes:
        """Return the root of the tree of `size` leaves from `start`, a multiple of the first power of two from `size`
        on."""
        height = size.bit_length() - 1
        if size == 1 << height:
            return self._levels[height][start >> height]
        split = _split(size)
        return _node(self.root_of(start, split), self.root_of(start + split, size - split))


def inclusion_path(tree: Tree, index: int, leaves: int | None = None) -> tuple[bytes, ...]:
    """Return the hashes that lead from the leaf `index` (from 0) to the root of the first `leaves`; None: of all
    (RFC 9162, 2.1.3.1).

    IndexError if there is no such leaf.
    """
    start, size = 0, len(tree.hashes) if leaves is None else min(leaves, len(tree.hashes))
    if not 0 <= index < size:
        raise IndexError(f"expected a leaf from 0 to {size - 1}, got {index}")
    path: list[bytes] = []  # from the root
    while size > 1:
        split = _split(size)
        if index < start + split:
            path.append(tree.root_of(start + split, size - split))
            size = split
        else:
            path.append(tree.root_of(start, split))
            start, size = start + split, size - split
    return tuple(reversed(path))


def consistency_path(tree: Tree, size: int, later_size: int | None = None) -> tuple[bytes, ...]:
    """Return the hashes that lead from the tree of the first `size` leaves to that of the first `later_size`; None: of
    all (RFC 9162, 2.1.4.1).

    IndexError unless `size` is from 1 to `later_size`, and this at most the number of leaves.
    """
    start, leaves = 0, len(tree.hashes)
    whole = leaves if later_size is None else later_size
    if not 0 < size <= whole <= leaves:
        raise IndexError(f"expected a size from 1 to {min(whole, leaves)}, got {size}")
    path: list[bytes] = []  # from the root
    while start + whole > size:
        split = _split(whole)
        if size <= start + split:
            path.append(tree.root_of(start + split, whole - split))
            whole = split
        else:
            path.append(tree.root_of(start, split))
            start, whole = start + split, whole - split
    # The reader has the root of the first `size` leaves.
    own = (tree.root_of(start, whole),) if start else ()
    return (*own, *reversed(path))


def is_included(leaf: bytes, index: int, size: int, path: Sequence[bytes], head: bytes) -> bool:
    """Return whether `path` shows that the tree of `size` leaves with the root `head` has the leaf of this hash at
    `index` (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, reached = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if place % 2 or place == last:
            reached = _node(sibling, reached)
            while not place % 2 and place:
                place, last = place >> 1, last >> 1
        else:
            reached = _node(reached, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and reached == head


def is_consistent(size: int, head: bytes, later_size: int, later_head: bytes, path: Sequence[bytes]) -> bool:
    """Return whether `path` shows that the tree of `later_size` leaves begins with that of `size` (RFC 9162, 2.1.4.2).

    Without a leaf no tree proves anything: `size` 0 is never consistent.
    """
    if not 0 < size <= later_size:
        return False
    if size == later_size:
        return not path and head == later_head
    hashes = list(path)
    if size & (size - 1) == 0:
        hashes.insert(0, head)  # the whole of the earlier tree is a node of the later one
    if not hashes:
        return False
    place, last = size - 1, later_size - 1
    while place % 2:
        place, last = place >> 1, last >> 1
    earlier = later = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if place % 2 or place == last:
            earlier, later = _node(sibling, earlier), _node(sibling, later)
            while not place % 2 and place:
                place, last = place >> 1, last >> 1
        else:
            later = _node(later, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and earlier == head and later == later_head


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(_NODE + left + right).digest()


def _split(size: int) -> int:
    """Return the largest power of two below `size`, which is 2 or more."""
    return 1 << (size - 1).bit_length() - 1

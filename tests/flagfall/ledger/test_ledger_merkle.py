"""The Merkle tree of a record: vectors of the specification's reference code, and properties of its proofs."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.ledger import merkle
from flagfall.ledger.entry import EntryDraft, leaf, place
from flagfall.ledger.merkle import (
    Tree,
    consistency_path,
    inclusion_path,
    is_consistent,
    is_included,
    leaf_hash,
    root,
)

# The leaves and heads of the test data of Certificate Transparency's reference implementation (RFC 6962).
LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
HEADS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)
HASHES = [leaf_hash(leaf) for leaf in LEAVES]
SIZES = st.integers(1, 70)


def hashes_of(size: int) -> list[bytes]:
    return [leaf_hash(b"%d" % number) for number in range(size)]


def tree_of(hashes: list[bytes]) -> Tree:
    tree = Tree()
    for hashed in hashes:
        tree.add(hashed)
    return tree


@pytest.mark.parametrize("size", range(1, 9))
def test_the_heads_are_those_of_the_reference(size: int) -> None:
    assert root(HASHES[:size]).hex() == HEADS[size - 1]


def test_a_tree_without_leaves_has_the_hash_of_nothing() -> None:
    assert root([]) == hashlib.sha256(b"").digest()


def test_the_paths_are_those_of_the_reference() -> None:
    assert [step.hex() for step in inclusion_path(tree_of(HASHES[:8]), 0)] == [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]
    assert [step.hex() for step in consistency_path(tree_of(HASHES[:8]), 6)] == [
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]


@given(SIZES, st.data())
def test_each_leaf_is_shown_in_its_place_and_nowhere_else(size: int, data: st.DataObject) -> None:
    hashes = hashes_of(size)
    index = data.draw(st.integers(0, size - 1))
    path, head = inclusion_path(tree_of(hashes), index), root(hashes)
    assert is_included(hashes[index], index, size, path, head)
    for other in {data.draw(st.integers(-1, size + 1)), index + size} - {index}:
        assert not is_included(hashes[index], other, size, path, head)
    assert not is_included(leaf_hash(b"another"), index, size, path, head)
    assert not is_included(hashes[index], index, size, (*path, head), head)
    if path:
        at = data.draw(st.integers(0, len(path) - 1))
        assert not is_included(hashes[index], index, size, (*path[:at], bytes(32), *path[at + 1 :]), head)
        assert not is_included(hashes[index], index, size, path[:-1], head)


@given(SIZES, st.data())
def test_a_later_tree_begins_with_each_earlier_one(size: int, data: st.DataObject) -> None:
    hashes = hashes_of(size)
    earlier = data.draw(st.integers(1, size))
    path = consistency_path(tree_of(hashes), earlier)
    heads = root(hashes[:earlier]), root(hashes)
    assert is_consistent(earlier, heads[0], size, heads[1], path)
    assert not is_consistent(earlier, heads[0], size, heads[1], (*path, bytes(32)))
    assert not is_consistent(earlier, bytes(32), size, heads[1], path)
    assert not is_consistent(earlier, heads[0], size, bytes(32), path)
    if path:
        at = data.draw(st.integers(0, len(path) - 1))
        changed = (*path[:at], bytes(32), *path[at + 1 :])
        assert not is_consistent(earlier, heads[0], size, heads[1], changed)


@given(SIZES, st.data())
def test_a_path_to_a_head_before_the_present_one_is_that_of_the_record_then(
    size: int, data: st.DataObject
) -> None:
    hashes = hashes_of(size)
    later = data.draw(st.integers(1, size))
    earlier = data.draw(st.integers(1, later))
    assert consistency_path(tree_of(hashes), earlier, later) == consistency_path(
        tree_of(hashes[:later]), earlier
    )


@given(SIZES, st.data())
def test_no_path_leads_from_a_record_that_was_rewritten(size: int, data: st.DataObject) -> None:
    held, rewritten = hashes_of(size), hashes_of(size)
    rewritten[data.draw(st.integers(0, size - 1))] = leaf_hash(b"rewritten")
    later = [*rewritten, *hashes_of(data.draw(st.integers(0, 20)))]
    path = consistency_path(tree_of(later), size)
    assert not is_consistent(size, root(held), len(later), root(later), path)


def test_a_place_outside_the_tree_is_refused() -> None:
    with pytest.raises(IndexError, match="from 0 to 2, got 3"):
        inclusion_path(tree_of(hashes_of(3)), 3)
    for size in (0, 4):
        with pytest.raises(IndexError, match=f"from 1 to 3, got {size}"):
            consistency_path(tree_of(hashes_of(3)), size)
    for sizes in ((0, 2), (3, 2), (1, 4)):
        with pytest.raises(IndexError):
            consistency_path(tree_of(hashes_of(3)), *sizes)
    assert not is_consistent(0, root([]), 3, root(hashes_of(3)), ())
    assert not is_included(leaf_hash(b""), 0, 0, (), root([]))


@given(st.integers(0, 70))
def test_a_tree_that_grows_has_the_root_of_its_leaves(size: int) -> None:
    tree = tree_of(hashes_of(size))
    assert (tree.hashes, tree.root) == (hashes_of(size), root(hashes_of(size)))


def test_a_path_of_a_long_record_costs_a_few_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hub makes paths in its loop: at 100,000 entries all hashes anew took 165 ms."""
    tree = tree_of([b"%032d" % number for number in range(100_001)])
    joined: list[bytes] = []
    join = merkle._node
    monkeypatch.setattr(merkle, "_node", lambda left, right: joined.append(left) or join(left, right))
    for path in (inclusion_path(tree, 4_711), consistency_path(tree, 77_777)):
        assert len(path) > 10 and len(joined) < 100
        joined.clear()


def test_the_leaf_of_an_entry_is_the_canonical_json_of_all_its_fields() -> None:
    entry = place(
        EntryDraft("e1", "noted", 1, at="now", who="o", tournament="open", body=b'{"a":"\xc3\xa9"}'), ""
    )
    assert (
        leaf(entry)
        == (
            f'{{"at":"now","body":"{{\\"a\\":\\"é\\"}}","hash":"{entry.hash}","id":"e1","previous":"","tournament":"open",'
            '"type":"noted","version":1,"who":"o"}'
        ).encode()
    )

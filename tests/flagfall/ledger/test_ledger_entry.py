"""The chain: what the hash covers, and that nothing covered can change unseen."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from flagfall.ledger.entry import START, EntryDraft, canonical, chain, fault, hash_of, place, same_content

words = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
drafts = st.builds(EntryDraft, words, words, st.integers(0, 9), words, words, words, st.binary(max_size=8))


def test_the_first_entry_follows_the_start() -> None:
    draft = EntryDraft("g1.1", "result", 1, "2026-11-05T10:00:00", "t7", "woc", b"{}")
    (entry,) = chain([draft], START)
    assert entry.previous == ""
    assert all(getattr(entry, name) == getattr(draft, name) for name in EntryDraft.__struct_fields__)


@given(st.lists(drafts, min_size=1, max_size=6))
def test_a_chain_holds_together(many: list[EntryDraft]) -> None:
    entries = chain(many, START)
    heads = [START, *(entry.hash for entry in entries)]
    assert [fault(entry, head) for entry, head in zip(entries, heads, strict=False)] == [None] * len(many)


@given(drafts, drafts, words, words)
def test_two_different_entries_never_share_a_hash(
    draft: EntryDraft, other: EntryDraft, head: str, next_head: str
) -> None:
    same = (draft, head) == (other, next_head)
    assert (hash_of(draft, head) == hash_of(other, next_head)) == same


@given(words, words)
def test_moving_a_letter_between_neighbouring_fields_shows(left: str, right: str) -> None:
    draft = EntryDraft(left + "x", right, 1, "", "", "", b"")
    other = EntryDraft(left, "x" + right, 1, "", "", "", b"")
    assert hash_of(draft, START) != hash_of(other, START)


@given(drafts, st.sampled_from(["id", "type", "at", "who", "tournament"]))
def test_every_text_is_covered(draft: EntryDraft, field: str) -> None:
    entry = place(draft, START)
    changed = structs.replace(entry, **{field: getattr(entry, field) + "!"})
    assert fault(changed, START) == "its hash is not that of its content"


def test_version_body_and_predecessor_are_covered() -> None:
    entry = place(EntryDraft("1", "t", 1, "", "", "", b"x"), START)
    assert fault(structs.replace(entry, version=2), START)
    assert fault(structs.replace(entry, body=b"y"), START)
    assert fault(entry, "another head") == "does not follow the entry before it"


@given(drafts, words)
def test_the_label_of_time_is_no_content(draft: EntryDraft, at: str) -> None:
    assert same_content(draft, structs.replace(draft, at=at))
    assert not same_content(draft, structs.replace(draft, body=draft.body + b"x"))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(json_values)
def test_canonical_text_comes_back_and_is_one(value: object) -> None:
    assert json.loads(canonical(value)) == value
    assert canonical(json.loads(canonical(value))) == canonical(value)


def test_canonical_text_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": [1, {"d": 2, "c": "é"}]}) == '{"a":[1,{"c":"é","d":2}],"b":1}'.encode()


def test_what_is_not_json_has_no_canonical_text() -> None:
    with pytest.raises(ValueError):
        canonical({"a": float("nan")})

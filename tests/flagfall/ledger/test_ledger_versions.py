"""Old entries are lifted on reading; newer ones make the whole ledger read-only."""

from __future__ import annotations

from typing import Any

import pytest

from flagfall.ledger.entry import START, Entry, EntryDraft, canonical, place
from flagfall.ledger.store import LedgerError
from flagfall.ledger.versions import SchemaVersions


def named(body: dict[str, Any]) -> dict[str, Any]:
    return {**body, "name": "?"}


def renamed(body: dict[str, Any]) -> dict[str, Any]:
    return {"title": body["name"], **{key: value for key, value in body.items() if key != "name"}}


VERSIONS = SchemaVersions({"result": 1, "opened": 3}, {("opened", 1): named, ("opened", 2): renamed})


def entry(kind: str, version: int, body: bytes) -> Entry:
    return place(EntryDraft("1", kind, version, "", "", "woc", body), START)


@pytest.mark.parametrize(
    ("version", "body", "expected"),
    [
        (1, {"seed": 4}, {"seed": 4, "title": "?"}),
        (2, {"seed": 4, "name": "WOC"}, {"seed": 4, "title": "WOC"}),
        (3, {"seed": 4, "title": "WOC"}, {"seed": 4, "title": "WOC"}),
    ],
)
def test_each_version_is_read_in_the_present_form(
    version: int, body: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert VERSIONS.body(entry("opened", version, canonical(body))) == expected


@pytest.mark.parametrize(
    ("kind", "version", "words"),
    [
        ("opened", 4, "version 4 of type opened, this program knows up to 3"),
        ("opened", 0, "version 0"),
        ("merged", 1, "type merged"),
    ],
)
def test_what_is_newer_is_named_in_one_line(kind: str, version: int, words: str) -> None:
    newer = entry(kind, version, b"{}")
    with pytest.raises(LedgerError, match=words) as refused:
        VERSIONS.body(newer)
    assert "\n" not in str(refused.value)
    assert "read-only" in str(refused.value)


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 100_000, b"3"])
def test_a_body_that_is_no_object_is_named(body: bytes) -> None:
    with pytest.raises(LedgerError, match="entry 1 is not a JSON object"):
        VERSIONS.body(entry("result", 1, body))


def test_a_gap_in_the_way_up_is_found_at_once() -> None:
    with pytest.raises(ValueError, match="version 2 of opened"):
        SchemaVersions({"opened": 3}, {("opened", 1): named})

"""What releases have written is read as they meant it, and written anew as they wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.kept_ledgers import DATA, RELEASES, chains, digests, present_version

from flagfall.ledger.entry import START, fault
from hub.record.codec import ALL, draft, happening

STATES = json.loads((DATA / "ledger-states.json").read_text("utf-8"))
OLD, LAST = RELEASES


def test_the_ledgers_hold_each_kind_of_entry_in_chains_that_hold() -> None:
    for release in RELEASES:
        for chain in chains(release).values():
            previous = START
            for entry in chain:
                assert fault(entry, previous) is None
                previous = entry.hash
    kinds = {release: {e.type for chain in chains(release).values() for e in chain} for release in RELEASES}
    # An entry of a restored hub is written by a command that stops it.
    assert kinds[OLD] < kinds[LAST] | {"record_gap"} <= {kind.TYPE for kind in ALL}
    assert (len(kinds[OLD]), len(kinds[LAST])) == (29, 39)


@pytest.mark.parametrize("release", RELEASES)
def test_each_state_on_the_way_is_the_one_of_that_release(release: str) -> None:
    assert {event: [*digests(chain)] for event, chain in chains(release).items()} == STATES[release]


def test_each_entry_is_drafted_anew_with_the_same_bytes() -> None:
    entries = [entry for chain in chains(LAST).values() for entry in chain]
    again = [draft(happening(e), e.id, e.tournament, e.who, e.at) for e in entries]
    assert [(e.type, e.version, json.loads(e.body)) for e in again] == [
        (e.type, present_version(e.type, e.version, e.body), json.loads(e.body)) for e in entries
    ]
    # A whole number of minutes or seconds is written as it was given, and read as 20.0.
    others = {e.type for e, old in zip(again, entries, strict=True) if e.body != old.body}
    assert others <= {"pairing_published", "finals_published", "game_added"}


def test_an_older_entry_is_drafted_anew_with_what_later_versions_add_and_nothing_else() -> None:
    entries = [entry for chain in chains(OLD).values() for entry in chain]
    again = [draft(happening(e), e.id, e.tournament, e.who, e.at) for e in entries]
    pairs = [
        (json.loads(new.body), json.loads(old.body))
        for new, old in zip(again, entries, strict=True)
        if new.version == old.version
    ]
    assert [kept_of(new, old) for new, old in pairs] == [old for _, old in pairs]


def kept_of(present: Any, kept: Any) -> Any:
    """Return of a present body what the kept one has."""
    if isinstance(kept, dict):
        return {name: kept_of(present[name], value) for name, value in kept.items()}
    if isinstance(kept, list) and len(kept) == len(present):
        return [kept_of(item, value) for item, value in zip(present, kept, strict=True)]
    return present

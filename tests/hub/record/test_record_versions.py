"""An older hub never half understands a record: what it would overlook is written as of a later version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.hub_files import tournament_file
from helpers.kept_ledgers import present_version
from helpers.ledger_records import record

from flagfall.ledger.entry import START, EntryDraft, chain
from flagfall.ledger.opening import open_ledger
from flagfall.ledger.store import LedgerError
from flagfall.ledger.versions import SchemaVersions
from hub.record.acts.event import PlayersPagesSet
from hub.record.codec import ALL, draft
from hub.record.events import TournamentCreated
from hub.record.store import RecordedEntry, TournamentStore, Write
from hub.text import Refused

KINDS = {kind.TYPE: kind for kind in ALL}
GAME = {"game": "g", "table": 1, "black": "p1", "white": "p2"}
SCORE = {"game": "g", "score": [40, 24]}
# Entries as every version has written them.
PLAIN: dict[str, dict[str, Any]] = {
    "players_pages_set": {"pages": True, "results": True},
    "result_claimed": {**SCORE, "player": "p1"},
    "result_entered": SCORE,
    "conflict_resolved": SCORE,
    "correction_made": {
        "change": {"kind": "result", "round": 1, "player": "p1", **SCORE},
        "why": "misread",
        "seq": 1,
    },
    "pairing_published": {"round": 1, "games": [GAME], "conditions": {}, "seq": 1},
    "game_added": {"round": 1, "game": GAME, "conditions": {}, "seq": 1},
    "finals_published": {"games": [], "seq": 1},
    "transcript_entered": {"game": "g", "transcript": "f5d6"},
}
# Field -> something that an older hub would overlook.
SAYS = {
    "confirm": "desk",
    "no_photographs": True,
    "black": "p2",
    "at_tablet": True,
    "counts": False,
    "reason": "resigned",
    "position": "X" * 64,
    "from_a1": True,
    "turns": True,
    "byoyomi_s": 30,
    "player": "p1",
}
MUST_KNOW = [(kind.TYPE, path) for kind in ALL for path in kind.MUST_KNOW]


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in MUST_KNOW}))
def test_what_every_version_knows_is_written_as_it_was(kind: str) -> None:
    body = json.dumps(PLAIN[kind]).encode()
    assert present_version(kind, KINDS[kind].VERSION, body) == KINDS[kind].VERSION


@pytest.mark.parametrize(("kind", "path"), MUST_KNOW)
def test_what_an_older_hub_would_overlook_it_refuses_to_read(kind: str, path: str) -> None:
    body = json.loads(json.dumps(PLAIN[kind]))
    *outer, name = path.split(".")
    inner = body
    for part in outer:
        inner = inner[part]
    inner[name] = SAYS[name]
    known = KINDS[kind].VERSION
    for written in (known, known + 1):  # 0.3.1 wrote some of them as of the earlier version
        assert present_version(kind, written, json.dumps(body).encode()) == known + 1
    entry = EntryDraft("x", kind, known + 1, "", "", "open", json.dumps(body).encode())
    older = SchemaVersions({kind: known}, {(kind, version): dict for version in range(1, known)})
    with pytest.raises(LedgerError, match="opened read-only"):
        older.body(chain([entry], START)[0])


async def test_what_an_older_hub_has_written_is_not_written_again(tmp_path: Path) -> None:
    pages = PlayersPagesSet(pages=True, results=True, confirm="phones")
    file = TournamentCreated(file=tournament_file(4))
    written = [draft(file, "e1", "open", "one", ""), draft(pages, "e2", "open", "one", "")]
    of_the_older = EntryDraft("e2", written[1].type, 1, "", "one", "open", written[1].body)
    ledger = open_ledger(tmp_path / "ledger.sqlite")
    record(ledger, [written[0], of_the_older])
    ledger.close()
    store = await TournamentStore.opened(lambda: open_ledger(tmp_path / "ledger.sqlite"), lambda: "")
    again, misuse = await store.record(
        "open", [Write("e2", pages, "one"), Write("e2", PlayersPagesSet(pages=False), "one")]
    )
    assert isinstance(again, RecordedEntry) and not again.new
    assert isinstance(misuse, Refused)
    assert [entry.version for entry in await store.entries("open")] == [1, 1]
    await store.close()

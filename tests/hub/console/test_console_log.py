"""The log: what each kind of entry says, in every language; nothing of it in the program's own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hub.console.rendering import Translator
from hub.console.texts import TEXTS
from hub.console.views.log import EntryTexts
from hub.record.codec import happening
from hub.record.events import CorrectionMade, TournamentClosed
from hub.record.fold import fold
from ledger.entry import Entry
from link.words import all_words

LEDGER = Path(__file__).parents[2] / "data" / "ledger-0.1.0.jsonl"
WORDS = all_words(TEXTS)


def told(language: str) -> list[tuple[str, str]]:
    """Each entry of the sample ledger: its type and what the log says of it."""
    values = [json.loads(line) for line in LEDGER.read_text("utf-8").splitlines()]
    entries = [Entry(**{**value, "body": value["body"].encode()}) for value in values]
    state = fold(entries)
    say = Translator(WORDS[language], lambda player: f"<{player}>")
    numbers = {entry.id: number for number, entry in enumerate(entries, start=1)}
    telling = EntryTexts(state, WORDS[language], say, lambda player: f"<{player}>", numbers)
    return [(entry.type, telling(happening(entry))) for entry in entries]


@pytest.mark.parametrize("language", list(WORDS))
def test_every_kind_of_entry_says_something(language: str) -> None:
    lines = told(language)
    assert lines
    for kind, said in lines:
        assert bool(said) is (kind != TournamentClosed.TYPE), kind
        assert WORDS[language].has(f"entry.{kind}") and "{" not in said and "_" not in said, (kind, said)


def test_the_log_names_people_games_and_reasons() -> None:
    said = told("en")
    (correction,) = [line for kind, line in said if kind == CorrectionMade.TYPE]
    assert correction == "Played at each other's tables, Round 2, <p4>, <p5>, sat so"
    assert ("bans_set", "<p1> – <p2>") in said
    assert ("ruling_sent", "Give or take time, Tables 1, Black, Seconds 60") in said
    assert ("entry_undone", "# 13") in said
    assert ("player_withdrawn", "<p3>, Withdrawn after round 1") in said
    (resolved,) = [line for kind, line in said if kind == "conflict_resolved"]
    assert resolved.startswith("round 1, table 2: <p3> – <p4>, 20–44") and "both players agree" in resolved

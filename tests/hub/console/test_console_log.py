"""The log: what each kind of entry says, in every language; nothing of it in the program's own words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flagfall.base.words import all_words
from flagfall.ledger.entry import Entry
from hub.console.rendering import Translator
from hub.console.texts import TEXTS
from hub.console.views.log import EntryTexts
from hub.record.acts.event import EventChanged, TournamentClosed
from hub.record.codec import happening
from hub.record.events import CorrectionMade
from hub.record.fold import fold
from hub.tables.scribes import SCRIBE

LEDGER = Path(__file__).parents[2] / "data" / "ledger-0.2.0.jsonl"
WORDS = all_words()


def chains() -> dict[str, list[Entry]]:
    """Return the entries of the sample ledger by event."""
    chains: dict[str, list[Entry]] = {}
    for line in LEDGER.read_text("utf-8").splitlines():
        fields = json.loads(line)
        entry = Entry(**{**fields, "body": fields["body"].encode()})
        chains.setdefault(entry.tournament, []).append(entry)
    return chains


def lines_in(language: str) -> list[tuple[str, str]]:
    """Return the type of each entry of the sample ledger and what the log says of it."""
    lines = []
    for entries in chains().values():
        say = Translator(WORDS[language], lambda player: f"<{player}>")
        numbers = {entry.id: number for number, entry in enumerate(entries, start=1)}
        telling = EntryTexts(fold(entries), WORDS[language], say, lambda player: f"<{player}>", numbers)
        lines += [(entry.type, telling(happening(entry))) for entry in entries]
    return lines


@pytest.mark.parametrize("language", list(WORDS))
def test_every_kind_of_entry_says_something(language: str) -> None:
    lines = lines_in(language)
    assert lines
    for kind, line in lines:
        assert bool(line) is (kind != TournamentClosed.TYPE), kind
        assert f"entry.{kind}" in TEXTS and "{" not in line and "_" not in line, (kind, line)


def test_the_log_names_people_games_and_reasons() -> None:
    lines = lines_in("en")
    corrections = [line for kind, line in lines if kind == CorrectionMade.TYPE]
    assert "Exchange the tables of two games, Round 2, <p4>, <p5>, sat so" in corrections
    assert ("bans_set", "<p1> – <p2>") in lines
    assert ("ruling_sent", "Adjust the time, Tables 1, Black, Seconds 60") in lines
    assert ("entry_undone", "# 13") in lines
    assert ("player_withdrawn", "<p3>, Withdrawn after round 1") in lines
    (resolved,) = [line for kind, line in lines if kind == "conflict_resolved"]
    assert resolved.startswith("round 1, table 2: <p3> – <p4>, 20–44") and "both players agree" in resolved


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_the_log_has_no_value_in_the_programs_own_words_and_names_who_wrote(language: str) -> None:
    words = WORDS[language]
    state = fold(next(iter(chains().values())))
    say = Translator(words, lambda player: f"<{player}>")
    telling = EntryTexts(state, words, say, lambda player: f"<{player}>", {})
    changed = EventChanged(fields={"system": "round_robin", "rulebook": "jof", "tie_break": "difference"})
    line = telling(changed)
    for code in ("round_robin", "jof", " difference" if language != "en" else "tie."):
        assert code not in line
    assert words(TEXTS["system.round_robin"]) in line
    if language == "ja":
        assert "、" in line and ", " not in line
    assert telling.who("player p1") == "<p1>" and telling.who("Iris") == "Iris"
    assert telling.who("player Nobody Known") == "player Nobody Known"
    assert telling.who(SCRIBE) == words("Scribe")

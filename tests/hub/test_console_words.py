"""The console's words: every key that a page uses is there, in every language, with the same places."""

from __future__ import annotations

import re
import string
from importlib import resources
from pathlib import Path

import pytest

from hub.console.accounts import Role
from hub.console.downloads import DOWNLOADS
from hub.console.round_page import RULINGS
from hub.corrections import DoubleForfeit
from hub.events import ALL
from hub.hall import TableState
from hub.pairing.pairing import COST_FIELDS
from hub.ranking.format_rules import RULEBOOKS
from hub.ranking.systems import SYSTEMS
from hub.web.words import Words, WordsError, chosen_language, parse_words, words_of
from othello.game import ErrorState, IncidentType, Reason
from othello.inputs import Rule

WORDS = words_of("hub.console")
FOLDER = Path(str(resources.files("hub.console")))
SOURCES = [*FOLDER.glob("*.py"), *(FOLDER / "templates").glob("*.html")]


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_there_are_three_languages_english_first() -> None:
    assert list(WORDS) == ["en", "fr", "ja"]


@pytest.mark.parametrize("language", list(WORDS))
def test_every_language_has_the_same_keys_and_places(language: str) -> None:
    first, other = WORDS["en"].entries, WORDS[language].entries
    assert set(other) == set(first)
    assert {key for key in first if places(first[key]) != places(other[key])} == set()


def test_every_word_of_a_page_is_in_the_catalogue() -> None:
    used = {
        key for path in SOURCES for key in re.findall(r'\b(?:w|words)\("([^"]+)"(?! ~)', path.read_text())
    }
    used |= {key for path in SOURCES for key in re.findall(r'"(matter_\w+)"', path.read_text())}
    assert len(used) > 250 and used <= set(WORDS["en"].entries)


def test_every_family_is_whole() -> None:
    families = {
        "state": [state.name.lower() for state in TableState],
        "rule": [*RULINGS, "start", *Rule],
        "incident": list(IncidentType),
        "error_state": list(ErrorState),
        "download": DOWNLOADS,
        "role": [role.word for role in Role],
        "role_may": [role.word for role in Role],
        "entry": [kind.TYPE for kind in ALL],
        "cost": COST_FIELDS,
        "system": SYSTEMS,
        "reason": list(Reason),
        "step": [
            f"{step}_title" for step in ("start", "play", "draft", "conflict", "finals", "close", "closed")
        ],
        "source": ["outstanding", "conflict", "decided", "confirmed", "signed", "unsigned", "closed", "desk"],
        "answer": ["waits", "applied", "refused", "expired", "no device"],
        "device": ["fit", "unfit", "offline", "unheard", "bare"],
        "change": ["result", "penalty", "award", "draw", "colours", DoubleForfeit.__struct_config__.tag],
        "stage": ["qualifying", "playoff", "semi-final", "third-place", "final"],
        "title": ["open", "women", "young", "teams"],
        "rules": RULEBOOKS,
    }
    for family, keys in families.items():
        assert {f"{family}.{key}" for key in keys} <= set(WORDS["en"].entries), family


def test_a_catalogue_that_is_none_is_refused() -> None:
    with pytest.raises(WordsError, match="xx: expected TOML"):
        parse_words("xx", "a = ")
    with pytest.raises(WordsError, match=r"xx: a\.b: expected text, got 3"):
        parse_words("xx", "[a]\nb = 3")
    assert parse_words("xx", 'a = "1 {n}"\n[b]\nc = "2"').entries == {"a": "1 {n}", "b.c": "2"}


def test_the_reader_chooses_his_language() -> None:
    known = {name: Words(name, {}) for name in ("en", "fr", "ja")}
    assert chosen_language(known, "ja", "fr") == "ja"
    assert chosen_language(known, "xx", "de, ja;q=0.5, fr-CH;q=0.9") == "fr"
    assert chosen_language(known, "", "en;q=x, *;q=0.1") == "en"

"""One word for one thing, in what people read: the pages and the texts of the programs (docs/words.md)."""

from __future__ import annotations

import re

import pytest
from catalogues import extracted, forms_of
from helpers.documented import PAGES, ROOT

pytestmark = pytest.mark.tree

# Words that others use (a pattern), and ours.
OTHERS = {
    r"stones?": "disc",
    r"captur\w+|turned over|turn over|unturned": "flip",
    r"arbiters?|umpires?": "judge, director",
    r"participants?|competitors?": "player",
    r"move list|scoresheets?": "transcript, score sheet",
}


def found_in(text: str) -> list[str]:
    # Code, names of files and what stands in backticks have their own reasons.
    running = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.M | re.S)
    return [
        f"{hit[0]}: ours is {ours}"
        for others, ours in OTHERS.items()
        for hit in re.finditer(rf"\b(?:{others})\b", running, re.I)
    ]


def test_pages_and_catalogues_say_it_in_our_words() -> None:
    for file in PAGES:
        assert found_in(file.read_text("utf-8")) == [], file
    for message in extracted():
        assert found_in(" ".join(forms_of(message.id))) == [], message.locations


def test_another_word_is_found() -> None:
    assert found_in("Each stone that is captured is turned over.") == [
        "stone: ours is disc",
        "captured: ours is flip",
        "turned over: ours is flip",
    ]
    assert found_in("A `stone` in code, ```sh\n") == []


def test_every_word_of_the_table_is_used_in_the_code() -> None:
    page = (ROOT / "docs" / "words.md").read_text("utf-8")
    words = [word for row in re.findall(r"^\| ([^|]+) \|", page, re.M) for word in row.split(", ")][2:]
    assert len(words) > 30
    code = "\n".join(
        path.read_text("utf-8")
        for folder in ("flagfall", "table_app", "hub")
        for path in (ROOT / folder).rglob("*.py")
    )
    for word in words:
        assert re.search(rf"\b{word.replace('-', '[-_]').replace(' ', '[ _]')}s?\b", code, re.I), word

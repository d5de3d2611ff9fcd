"""Names are found and ordered without their marks, and a page's script finds what the server finds."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from helpers.prepared import NODE
from helpers.waiting import PATIENCE_S
from hypothesis import given
from hypothesis import strategies as st

import hub.web
from hub.model.letters import has_words, plain_letters
from hub.model.players import Player, alphabetical

SCRIPT = Path(hub.web.__file__).parent / "static" / "letters.js"
# What is typed at the door, the name on the list, and whether it is found.
DOOR = [
    ("Lukasz", "Łukasz Nowak-Test", True),
    ("ŁUKASZ", "Łukasz Nowak-Test", True),
    ("nowak‐test", "Łukasz Nowak-Test", True),
    ("Soren", "Søren Prøve", True),
    ("prove soren", "Søren Prøve", True),
    ("isik", "Işık Deneme", True),
    ("IŞIK", "Işık Deneme", True),
    ("ipek", "İpek Deneme", True),
    ("İPEK", "ipek deneme", True),
    ("O’Brien", "Nora O'Brien-Test", True),
    ("o'brien", "Nora O’Brien-Test", True),
    ("obrien", "Nora O‘Brien-Test", True),
    ("Þora", "Thora Probe", True),
    ("strasse", "Max Straße", True),
    ("４０", "Probe Person 40", True),
    ("Ａｄａ", "Ada Probe", True),
    ("たなか", "タナカ テスト", True),
    ("ﾀﾅｶ", "たなか てすと", True),
    ("見本", "見本 花子", True),
    ("花", "見本 太郎", False),
    ("Lukas", "Luis Probe", False),
]


def in_script(calls: list[tuple[str, ...]]) -> list[object]:
    """Return what the script's functions return: name of the function, then its arguments."""
    program = (
        f"import {json.dumps(SCRIPT.as_uri())};"
        "let text = ''; for await (const part of process.stdin) text += part;"
        "console.log(JSON.stringify(JSON.parse(text).map(([name, ...rest]) => letters[name](...rest))));"
    )
    done = subprocess.run(
        [NODE / "node", "--input-type=module", "-e", program],
        input=json.dumps(calls),
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    answers: list[object] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize(("typed", "name", "is_found"), DOOR)
def test_a_name_is_found_without_its_marks(typed: str, name: str, is_found: bool) -> None:
    assert has_words(name, typed) is is_found


def test_the_script_finds_what_the_server_finds() -> None:
    assert in_script([("hasWords", name, typed) for typed, name, _ in DOOR]) == [found for *_, found in DOOR]


def test_the_script_takes_the_same_marks_off_every_letter() -> None:
    # Python and the browser may know different editions of Unicode: letters from after Python 3.11's are left out.
    known = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co") and not 0x3400 <= code < 0xD800
    ]
    lines = ["".join(known[at : at + 64]) for at in range(0, len(known), 64)]
    answers = in_script([("plainLetters", line) for line in lines])
    differing = [
        (line, plain_letters(line), answer)
        for line, answer in zip(lines, answers, strict=True)
        if plain_letters(line) != answer
    ]
    assert not differing


@given(st.text(max_size=20))
def test_letters_without_marks_stay_as_they_are(text: str) -> None:
    assert plain_letters(plain_letters(text)) == plain_letters(text)


@given(st.text(max_size=20))
def test_every_name_is_found_by_itself(text: str) -> None:
    assert has_words(text, text)


def test_lists_are_ordered_by_plain_letters_and_then_by_marks() -> None:
    names = ["Zoë", "Łukasz", "Luis", "Zoe", "Åsa", "Øst", "Ada", "İpek", "Ian", "Otto", "Çelik", "Cem"]
    players = [Player(str(number), name) for number, name in enumerate(names)]
    assert [player.name for player in alphabetical(players)] == [
        *("Ada", "Åsa", "Çelik", "Cem", "Ian", "İpek"),
        *("Luis", "Łukasz", "Øst", "Otto", "Zoe", "Zoë"),
    ]

"""The languages that a browser prefers (RFC 9110, 12.5.4)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.web.pages import chosen_language

KNOWN = ("en", "fr", "ja")


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("de, fr; q=0.9, en; q=0.8", "fr"),
        ("de, ja;q=0.5, fr-CH;q=0.9", "fr"),
        ("fr;q=0.2,JA;q=0.7", "ja"),
        ("fr;q=0, *;q=0.1", "en"),
        ("de", "en"),
        ("", "en"),
        ("en;q=x, *;q=0.1", "en"),
        ("\x00;q=, ,;;,=", "en"),
    ],
)
def test_the_first_of_those_that_there_are(accepted: str, language: str) -> None:
    assert chosen_language(KNOWN, "", accepted) == language


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh_Hans"),
        ("zh-TW,zh;q=0.9,en-US;q=0.8", "zh_Hant"),
        ("zh-HK", "zh_Hant"),
        ("zh-Hant-MO", "zh_Hant"),
        ("zh-Hans-TW", "zh_Hans"),
        ("zh-SG", "zh_Hans"),
        ("zh", "zh_Hans"),
        ("yue, ja;q=0.3", "ja"),
        ("es-419, es;q=0.9", "es"),
    ],
)
def test_chinese_is_read_in_the_script_of_its_region(accepted: str, language: str) -> None:
    assert chosen_language((*KNOWN, "es", "zh_Hans", "zh_Hant"), "", accepted) == language


def test_chinese_falls_to_the_next_language_where_it_is_not_known() -> None:
    assert chosen_language(KNOWN, "", "zh-TW, zh;q=0.9, ja;q=0.5") == "ja"


def test_what_he_chose_goes_before() -> None:
    assert chosen_language(KNOWN, "ja", "fr") == "ja"
    assert chosen_language(KNOWN, "xx", "fr") == "fr"


def test_a_long_header_is_not_read() -> None:
    assert chosen_language(KNOWN, "", "fr," * 1_000_000) == "en"
    assert chosen_language(KNOWN, "", "fr," * 100) == "fr"


@given(st.text(max_size=60) | st.text(alphabet="frjaen;q=,.*\"'019 \x00é", max_size=120))
def test_whatever_a_browser_sends_gets_a_language(accepted: str) -> None:
    assert chosen_language(KNOWN, "", accepted) in KNOWN

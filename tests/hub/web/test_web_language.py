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


def test_what_he_chose_goes_before() -> None:
    assert chosen_language(KNOWN, "ja", "fr") == "ja"
    assert chosen_language(KNOWN, "xx", "fr") == "fr"


def test_a_long_header_is_not_read() -> None:
    assert chosen_language(KNOWN, "", "fr," * 1_000_000) == "en"
    assert chosen_language(KNOWN, "", "fr," * 100) == "fr"


@given(st.text(max_size=60) | st.text(alphabet="frjaen;q=,.*\"'019 \x00é", max_size=120))
def test_whatever_a_browser_sends_gets_a_language(accepted: str) -> None:
    assert chosen_language(KNOWN, "", accepted) in KNOWN

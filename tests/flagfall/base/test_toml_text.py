"""The texts written as TOML: Python's own reader reads the same values."""

from __future__ import annotations

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from flagfall.base.toml_text import toml_text

TEXTS = st.text(st.characters(codec="utf-8"))
KEYS = st.text("abcdefghijklmnopqrstuvwxyz_-0123456789", min_size=1, max_size=8)
VALUES = (
    TEXTS
    | st.integers(-(2**63), 2**63 - 1)
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
)
TABLES = st.dictionaries(KEYS, VALUES | st.lists(TEXTS, max_size=3), max_size=5)


@given(TABLES, st.dictionaries(KEYS, TABLES, max_size=3))
def test_what_is_written_is_read_again(values: dict[str, object], tables: dict[str, object]) -> None:
    table = {**values, **tables}
    assert tomllib.loads(toml_text(table)) == table


def test_characters_that_a_text_of_several_lines_cannot_hold_are_escaped() -> None:
    for text in ("a\r\nb", "a\n\x00b", "a\n\x7f", "'''\n", "a\n''", "\n\n"):
        assert tomllib.loads(toml_text({"key": text})) == {"key": text}


def test_a_text_of_several_lines_stays_one() -> None:
    assert toml_text({"key": "a\nb\n"}) == "key = '''\na\nb\n'''\n"


def test_a_table_follows_the_values_under_its_name() -> None:
    text = toml_text({"minutes": {"final": 30}, "title": "Blitz"})
    assert text == 'title = "Blitz"\n\n[minutes]\nfinal = 30\n'

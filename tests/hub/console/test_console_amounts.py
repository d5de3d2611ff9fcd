"""Amounts of prizes in one line: any mark for thousands is understood, and what has two readings is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hub.desk.amounts import cents_in, wholes_in
from hub.model.lists import amount_text
from hub.text import Refused


@pytest.mark.parametrize(
    ("typed", "amounts"),
    [
        ("300 200 100.50", "300 200 100.50"),
        ("1 000", "1000"),
        ("1 000 500 250", "1000 500 250"),
        ("2 500 1 000 500", "2500 1000 500"),
        ("1 500 1 500 1 000", "1500 1500 1000"),
        ("100 000 50 000 1 000", "100000 50000 1000"),
        ("1\u00a0000 500", "1000 500"),
        ("1\u202f000\u00a0000", "1000000"),
        ("1'000 500", "1000 500"),
        ("1’000.50 500", "1000.50 500"),
        ("1,000 500", "1000 500"),
        ("1,000.50", "1000.50"),
        ("1.000 500", "1000 500"),
        ("1.000,50 12,5", "1000.50 12.50"),
        ("1.000.000", "1000000"),
        ("12,50", "12.50"),
        ("500,00 250,00", "500 250"),
        ("１０００　５００", "1000 500"),
        ("１，０００ ５００．５０", "1000 500.50"),
        ("300, 200, 100", "300 200 100"),
        ("1 000; 500; 0", "1000 500 0"),
        ("10 0 0", "10 0 0"),
        ("", ""),
    ],
)
def test_every_mark_for_thousands_is_understood(typed: str, amounts: str) -> None:
    assert " ".join(map(amount_text, cents_in(typed, "money"))) == amounts


@pytest.mark.parametrize(
    "typed",
    ["300,200,100", "300,200", "500 600", "0.500", "000", "-5", "1e3", "x", "1''000", "1 00", "1,00,0"],
)
def test_what_has_no_one_meaning_is_refused_by_its_field(typed: str) -> None:
    with pytest.raises(Refused) as refused:
        cents_in(typed, "prizes-open-money")
    assert refused.value.message.field == "prizes-open-money"


def test_points_are_whole() -> None:
    assert wholes_in("1 000 10 7", "points") == (1000, 10, 7)
    for typed in ("7.5", "5 7", "7 x"):
        with pytest.raises(Refused):
            wholes_in(typed, "points")


@given(
    st.lists(st.integers(0, 9_999_999), max_size=8).map(lambda amounts: sorted(amounts, reverse=True)),
    st.sampled_from(["'", "\u00a0", "\u202f", "’"]),
)
def test_amounts_written_with_a_mark_read_as_they_are(amounts: list[int], mark: str) -> None:
    typed = " ".join(f"{amount:,}".replace(",", mark) for amount in amounts)
    assert wholes_in(typed, "points") == tuple(amounts)

"""Grades of players (dan and kyu) beside their names: on the public standings, in print and in the spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import Any

import pytest
from helpers.console_director import director_at
from helpers.hub_files import tournament_file

from hub.formats.spreadsheets.csv_file import write_csv


def file(*grades: str) -> dict[str, Any]:
    """Return an event of two players with these grades; one round, won by the first."""
    value = tournament_file(2, rulebook="jof", system="swiss", rounds_planned=1)
    for player, grade in zip(value["players"], grades, strict=True):
        if grade:
            player["grade"] = grade
    black, white = (player["id"] for player in value["players"])
    return value | {"rounds": [{"games": [{"black": black, "white": white, "score": [40, 24]}]}]}


@pytest.mark.parametrize(
    ("language", "shown"), [("en", ("Grade", "3 dan")), ("fr", ("Grade", "3")), ("ja", ("段級位", "3段"))]
)
async def test_everybody_sees_the_grades(served: Any, language: str, shown: tuple[str, str]) -> None:
    async with director_at(served, file("3dan", "")) as director:
        for where in ("/t/open", "/t/open/standings", "/print/open/standings", "/print/open/lists"):
            page = await director.page(where, lang=language)
            head, cell = shown
            assert f'<th scope="col">{head}</th>' in page, where
            assert cell in page.split(f">{head}</th>")[1]


async def test_without_grades_no_page_has_their_column(served: Any) -> None:
    async with director_at(served, file("", "")) as director:
        for where in ("/t/open/standings", "/print/open/standings", "/print/open/lists"):
            assert ">Grade</th>" not in await director.page(where)
        assert "grade" not in write_csv(director.state.tournament, "standings").splitlines()[0]


async def test_the_spreadsheets_of_standings_and_lists_have_them(served: Any) -> None:
    async with director_at(served, file("3dan", "2kyu")) as director:
        for table in ("standings", "lists"):
            text = write_csv(director.state.tournament, table)
            rows = list(
                csv.DictReader(io.StringIO(text if isinstance(text, str) else text.decode("utf-8-sig")))
            )
            assert [row["grade"] for row in rows] == ["3dan", "2kyu"]

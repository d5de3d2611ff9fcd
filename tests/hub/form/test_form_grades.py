"""Dan and kyu grades of players: as people write them, in files and in spreadsheets."""

from __future__ import annotations

from typing import Any

import pytest

from flagfall.othello.colour_choice import grade_rank, written_grade
from hub.form.tournament import tournament_from_json
from hub.formats.spreadsheets.cells import PLAYER_CELLS
from hub.formats.tournament_file import tournament_to_json
from hub.text import FormatError


def players(**fields: Any) -> dict[str, Any]:
    return {
        "format": "flagfall-tournament/1",
        "rulebook": "jof",
        "players": [{"id": "1", **fields}, {"id": "2"}],
        "rounds": [],
    }


@pytest.mark.clause("jof J1")
@pytest.mark.parametrize(
    ("text", "grade"),
    [
        *(("3dan", "3dan"), ("2kyu", "2kyu"), ("3 Dan", "3dan"), ("10-dan", "10dan"), ("２級", "2kyu")),
        *(("初段", "1dan"), ("四段", "4dan"), ("十段", "10dan"), ("7級", "7kyu"), ("4段", "4dan")),
        *(("", None), ("dan", None), ("0dan", None), ("三", None), ("3", None), ("3danish", None)),
    ],
)
def test_a_grade_is_read_as_people_write_it(text: str, grade: str | None) -> None:
    assert written_grade(text) == grade
    assert grade is None or grade_rank(grade)
    assert PLAYER_CELLS["grade"](text) == (grade or text)


@pytest.mark.clause("jof J1")
def test_a_grade_is_kept_in_the_tournament_file_and_another_word_is_named() -> None:
    read = tournament_from_json(players(grade="三段"))
    assert [player.grade for player in read.players] == ["3dan", ""]
    assert tournament_to_json(read)["players"] == [{"id": "1", "grade": "3dan"}, {"id": "2"}]
    with pytest.raises(
        FormatError, match=r'players\[0\].grade: expected a grade as "3dan" or "2kyu", got "strong"'
    ):
        tournament_from_json(players(grade="strong"))

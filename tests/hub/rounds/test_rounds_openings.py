"""Openings of an event: the list, the draw of one for each round, and their way to tables, pairings and files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import parse_opening, square_name, squares_of, stages
from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import read_tournament, tournament_to_json, write_tournament
from hub.rounds.openings import draw, list_hash, read_list
from hub.text import FormatError


def _some(count: int) -> list[str]:
    """Return so many openings of four moves."""
    openings: list[str] = []
    lines: list[tuple[int, ...]] = [()]
    while len(openings) < count:
        moves = lines.pop(0)
        last = stages(moves)[-1]
        if len(moves) == 4:
            openings.append("".join(map(square_name, moves)))
            continue
        assert last.black_to_move is not None
        lines += [(*moves, square) for square in squares_of(last.position.legal(last.black_to_move))]
    return openings


LIST = _some(40)


def test_a_list_has_one_opening_a_line_in_any_letters_and_each_counts_once() -> None:
    text = "F5D6C4D3C2B3B4B5\r\n\n  f5d6c4d3c2b3b4b5\n" + LIST[0] + "\n"
    assert read_list(text) == ("f5d6c4d3c2b3b4b5", LIST[0])
    assert read_list("") == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("f5d6\nf5d7", "opening_list: expected line 2: move 2: expected a legal move, got d7, got f5d7"),
        ("f5", "opening_list: expected line 1: expected Black to move after the opening, got 'f5', got f5"),
        ("\n" * 20_001, "opening_list: expected at most 20000 openings, got more"),
    ],
)
def test_a_line_that_is_no_opening_is_named(text: str, line: str) -> None:
    with pytest.raises(FormatError) as fault:
        read_list(text)
    assert str(fault.value) == line


@given(st.integers(0, 2**63 - 1), st.integers(0, 13), st.integers(0, 13))
def test_a_draw_is_seeded_has_no_repeat_and_keeps_what_was_played(
    seed: int, rounds: int, played: int
) -> None:
    used = draw(LIST, (), min(played, rounds), 7)
    drawn = draw(LIST, used, rounds, seed)
    assert drawn == draw(LIST[::-1], used, rounds, seed)
    assert drawn[: len(used)] == used
    assert len(drawn) == len(set(drawn)) == rounds and set(drawn) <= set(LIST)


def test_a_list_that_is_too_short_is_refused() -> None:
    with pytest.raises(FormatError, match="at least 3 openings that were not played yet, got 2"):
        draw(LIST[:2], (), 3, 1)
    assert list_hash(LIST) == list_hash(LIST[::-1]) != list_hash(LIST[1:])


def _file(**fields: object) -> dict[str, object]:
    file = {"format": "flagfall-tournament/1", "rulebook": "open", "players": [], "rounds": []}
    return file | fields


def test_the_tournament_file_has_an_opening_for_each_round() -> None:
    tournament = tournament_from_json(_file(openings=LIST[:3], opening_draw={"seed": 5}))
    assert tournament.openings == tuple(LIST[:3])
    assert read_tournament(write_tournament(tournament)) == tournament
    assert tournament_to_json(tournament)["openings"] == LIST[:3]
    assert "openings" not in tournament_to_json(tournament_from_json(_file()))
    assert all(map(parse_opening, tournament.openings or ()))


@pytest.mark.parametrize(
    ("openings", "line"),
    [
        (["f5d7"], r"openings\[0\]: expected legal moves after which Black is to move, got move 2"),
        ([LIST[0], LIST[0]], r"openings\[1\]: expected an opening once in an event, got .* again"),
        ("f5d6", r"openings: expected a list"),
    ],
)
def test_an_opening_of_a_file_that_cannot_be_played_is_named(openings: object, line: str) -> None:
    with pytest.raises(FormatError, match=line):
        tournament_from_json(_file(openings=openings))

"""Openings of an event: the list, the draw of one for each round, and their way to tables, pairings and files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flagfall.othello.board import parse_opening, square_name, squares_of, stages
from hub.form.tournament import tournament_from_json
from hub.formats.tournament_file import read_tournament, tournament_to_json, write_tournament
from hub.rounds.openings import OpeningList, draw, list_hash, most_for_finals, read_list, text_of_file
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
    assert read_list(text) == OpeningList(("f5d6c4d3c2b3b4b5", LIST[0]))
    assert read_list("") == OpeningList(())


def test_every_line_that_cannot_be_used_is_named_and_the_others_are_read() -> None:
    text = "f5d6c4d3c2b3b4b5\nf5d7\nf5\nf5d6\n" + "x" * 100 + "\n\nF5D6\nc4e3\n"
    listed = read_list(text)
    assert listed.openings == ("f5d6c4d3c2b3b4b5", "f5d6")
    assert [str(note) for note in listed.notes] == [
        "2: move 2: expected a legal move, got d7 (in f5d7)",
        "3: expected Black to move after the opening, got 'f5' (in f5)",
        f"5: expected at most 20 moves, got 50 (in {'x' * 40})",
        "8: the same position as line 4, the board turned or not",
    ]


@pytest.mark.parametrize("turn", ["f5d6c3d3c4f4", "c4e3f6e6f5c5", "d3c5f6f5e6e3", "e6f4c3c4d3d6"])
def test_an_opening_and_its_turned_forms_are_one(turn: str) -> None:
    first = "f5d6c3d3c4f4"
    listed = read_list(f"{first}\n{turn}")
    assert listed.openings == (first,) and len(listed.notes) == (turn != first)


@given(st.permutations(LIST))
def test_no_two_openings_that_are_read_come_to_one_position(lines: list[str]) -> None:
    reached = {
        stages(parse_opening(opening))[-1].position for opening in read_list("\n".join(lines)).openings
    }
    assert len(reached) == len(read_list("\n".join(lines)).openings)


@pytest.mark.parametrize("text", ["\n" * 20_001, "f" * 600_001])
def test_a_list_that_is_too_long_is_not_read(text: str) -> None:
    with pytest.raises(FormatError) as fault:
        read_list(text)
    assert str(fault.value) == "opening_list: expected at most 20000 openings, got more"


def test_a_file_is_text_and_not_too_long() -> None:
    assert text_of_file(b"\xef\xbb\xbff5d6\r\n") == "f5d6\r\n"
    with pytest.raises(FormatError, match=r"opening_file: expected a text file .* got byte 3"):
        text_of_file(b"f5\xff")
    with pytest.raises(FormatError, match="at most 20000 openings"):
        text_of_file(b"f" * 600_001)


@given(st.text(alphabet="abcdefgh12345678\n x", max_size=300))
def test_any_text_is_read_line_by_line(text: str) -> None:
    listed = read_list(text)
    assert all(map(parse_opening, listed.openings))
    assert read_list("\n".join(listed.openings)) == OpeningList(listed.openings)


@given(st.integers(0, 2**63 - 1), st.integers(0, 13), st.integers(0, 13))
def test_a_draw_is_seeded_has_no_repeat_and_leaves_out_what_was_played(
    seed: int, count: int, played: int
) -> None:
    used = draw(LIST, (), played, 7)
    drawn = draw(LIST, used, count, seed)
    assert drawn == draw(LIST[::-1], used, count, seed)
    assert len(drawn) == len(set(drawn)) == count and set(drawn) <= set(LIST) - set(used)


def test_a_list_that_is_too_short_is_refused() -> None:
    with pytest.raises(FormatError, match="at least 3 openings that were not played yet, got 2"):
        draw(LIST[:2], (), 3, 1)
    assert list_hash(LIST) == list_hash(LIST[::-1]) != list_hash(LIST[1:])


def test_finals_have_what_the_rounds_leave_of_the_list() -> None:
    assert most_for_finals(LIST, LIST[:2], 3) == 20
    assert [most_for_finals(LIST[:5], LIST[:1], rounds) for rounds in (2, 4, 5)] == [2, 0, 0]


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

"""The board: counted against published perft numbers, and properties of moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.table.law_speed import perft
from flagfall.othello.board import (
    START,
    Position,
    flips,
    format_position,
    legal_moves,
    parse_position,
    parse_square,
    parse_transcript,
    square_name,
    squares_of,
    stages,
)

# Published by several engine authors, the same everywhere; depth 9 has the first passes.
PERFT = {1: 4, 2: 12, 3: 56, 4: 244, 5: 1396, 6: 8200, 7: 55092, 8: 390216, 9: 3005288}


@pytest.mark.clause("usoa 2.1", "woc-2019 I.4.5", "woc-2017 I.4.5", "cc-2024 I.3.5")
def test_the_starting_position() -> None:
    assert format_position(START) == "-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27


@pytest.mark.parametrize(
    ("depth", "nodes"),
    [pytest.param(*counted, marks=pytest.mark.long if counted[0] == 9 else ()) for counted in PERFT.items()],
)
def test_perft(depth: int, nodes: int) -> None:
    assert perft(START.black, START.white, depth) == nodes


def plain_flips(mover: int, opponent: int, square: int) -> int:
    """Apply the rule word by word (usoa 3.2): eight lines of the opponent's discs ending in a disc of the mover's."""
    turned = 0
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            row, column, line = square // 8 + down, square % 8 + right, 0
            while (down or right) and 0 <= row < 8 and 0 <= column < 8 and opponent >> (8 * row + column) & 1:
                line |= 1 << (8 * row + column)
                row, column = row + down, column + right
            if line and 0 <= row < 8 and 0 <= column < 8 and mover >> (8 * row + column) & 1:
                turned |= line
    return turned


words = st.integers(0, 2**64 - 1)


@pytest.mark.clause("usoa 3.2", "usoa 3.3")
@given(words, words)
def test_moves_and_flips_are_those_of_the_rule(mover: int, other: int) -> None:
    opponent = other & ~mover
    legal = 0
    for square in range(64):
        if (mover | opponent) >> square & 1:
            continue
        expected = plain_flips(mover, opponent, square)
        assert flips(mover, opponent, square) == expected
        if expected:
            legal |= 1 << square
    assert legal_moves(mover, opponent) == legal


@given(words, words, words)
def test_positions_are_written_and_read_back(black: int, white: int, unknown: int) -> None:
    position = Position(black & ~white & ~unknown, white & ~unknown, unknown)
    assert parse_position(format_position(position)) == position
    assert position.black | position.white | position.unknown | position.empty == 2**64 - 1


@pytest.mark.parametrize("text", ["", "X" * 63, "X" * 65, "x" * 64, "Z" + "-" * 63])
def test_a_wrong_position_says_what_was_expected(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        parse_position(text)


def test_squares() -> None:
    assert [square_name(s) for s in (0, 7, 8, 63)] == ["a1", "h1", "a2", "h8"]
    assert [parse_square(square_name(s)) for s in range(64)] == list(range(64))
    assert list(squares_of(0b1011)) == [0, 1, 3]


@pytest.mark.parametrize(("text", "why"), [("f5d", "two characters"), ("f5i9", "move 2"), ("f5-6", "a1..h8")])
def test_a_wrong_transcript_names_the_move(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        parse_transcript(text)


def test_a_transcript_may_be_written_in_capitals() -> None:
    assert parse_transcript(" F5D6 ") == parse_transcript("f5d6")


@pytest.mark.clause("usoa 3.2")
@pytest.mark.parametrize("length", range(1, 7))
@pytest.mark.parametrize(("across", "down"), [(1, 0), (0, 1), (1, 1), (-1, 1)])
@pytest.mark.parametrize("forwards", [True, False])
def test_a_line_of_up_to_six_discs_is_flipped_in_each_direction(
    length: int, across: int, down: int, forwards: bool
) -> None:
    begin = 0 if across >= 0 else 7
    line = [begin + step * (8 * down + across) for step in range(length + 2)]
    first, *between, last = line if forwards else line[::-1]
    opponent = sum(1 << square for square in between)
    assert legal_moves(1 << last, opponent) >> first & 1
    assert flips(1 << last, opponent, first) == opponent


def test_each_stage_of_a_transcript_counts_its_moves() -> None:
    assert [stage.count for stage in stages(parse_transcript("f5d6c3"))] == [0, 1, 2, 3]

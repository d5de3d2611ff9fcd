"""Photographs in the conditions of clubs: full boards, bare lamps and what they mirror, notation, travel sets."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from benchmarks.boards.club_photographs import position_of
from benchmarks.boards.club_scenes import KINDS
from benchmarks.boards.eye import Readings, game_of, positions
from benchmarks.boards.eye_photographs import read_one
from benchmarks.boards.phone_pictures import PhonePainter
from benchmarks.boards.phone_scenes import photographed
from eye.squares import soft_faces
from eye.surface import CELL, MARGIN, SIDE

SIZE = (1280, 960)
GLOSSY = "lamps mirrored in a glossy board"


def read_kind(kind: str, seed: int) -> Readings:
    position = position_of(seed)
    painter = PhonePainter(*KINDS[kind](seed, SIZE, position))
    return read_one(painter.jpeg(position), position, painter.corners)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind == GLOSSY else pytest.mark.long) for kind in KINDS]
)
def test_a_board_in_the_conditions_of_clubs_is_found_and_nothing_is_read_wrong(kind: str) -> None:
    reading = read_kind(kind, 9104)
    assert (reading.not_found, reading.elsewhere, reading.wrong) == (0, 0, 0)
    assert reading.unknown <= 2


# Discs without a circle in dim light (7009), and discs that cover their squares' corners (7010).
@pytest.mark.parametrize(
    ("seed", "most_unknown"), [(7009, 6), pytest.param(7010, 26, marks=pytest.mark.long)]
)
def test_a_full_board_is_read_where_hardly_any_of_the_surface_is_seen(seed: int, most_unknown: int) -> None:
    position = positions(game_of(seed))[-1]
    painter = PhonePainter(*photographed(seed, (2000, 1500)))
    reading = read_one(painter.jpeg(position), position, painter.corners)
    assert (reading.not_found, reading.elsewhere, reading.wrong) == (0, 0, 0)
    assert reading.unknown <= most_unknown


def picture_of(sharp: list[tuple[int, int]], soft: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, int]:
    """Return a straightened gray picture of white discs and one soft light, the middles, and all of them as bits."""
    gray: np.ndarray = np.full((SIDE, SIDE), 80, np.uint8)
    middles = np.stack(np.meshgrid(np.arange(0.5, 8), np.arange(0.5, 8)), axis=-1)
    squares = 0
    for row, column in [soft, *sharp]:
        place = [int(MARGIN + part * CELL) for part in middles[row, column]]
        cv2.circle(gray, place, round(0.42 * CELL), 230, -1, cv2.LINE_AA)
        if (row, column) == soft:
            gray = cv2.GaussianBlur(gray, (0, 0), 4.0)
        squares |= 1 << (8 * row + column)
    return gray, middles, squares


def test_a_white_disc_with_a_much_softer_edge_than_the_others_is_doubted() -> None:
    gray, middles, squares = picture_of([(0, 0), (3, 5), (6, 2)], (4, 1))
    assert soft_faces(gray, middles, squares) == 1 << (8 * 4 + 1)


def test_a_picture_out_of_focus_makes_no_disc_doubtful() -> None:
    gray, middles, squares = picture_of([(0, 0), (3, 5), (6, 2)], (4, 1))
    blurred = cv2.GaussianBlur(gray, (0, 0), 5.0)
    assert soft_faces(blurred, middles, squares & ~(1 << (8 * 4 + 1))) == 0


def test_two_discs_do_not_show_how_sharp_edges_are() -> None:
    gray, middles, squares = picture_of([(0, 0)], (4, 1))
    assert soft_faces(gray, middles, squares) == 0

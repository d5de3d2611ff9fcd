"""Positions read from pictures: one real photograph, and scenes drawn with nothing of the reader's own."""

from __future__ import annotations

import random
from pathlib import Path

import cv2
import numpy as np
import pytest

from eye.find import Found, confirmed, find
from eye.ruling import moved
from eye.sources import decoded
from eye.squares import NOTHING, Reading, read_squares
from eye.surface import Straightener, pixels_of
from othello.board import START, Position
from othello.notation import format_position
from simulator.eye.picture import Painter
from simulator.eye.scene import drawn, plain
from simulator.recorded import DEMO_GAMES, read_games, replayed

PHOTO = Path(__file__).parents[1] / "data" / "photos" / "dim-from-aside.jpg"
PHOTO_SHOWS = "-XXXXXXX--XOOXOO-XXXOOOXXXXOXOOXXXOXOOO-XOXOXO----XXXX---XXXXX--"
SMALL = (640, 480)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


def read(picture: np.ndarray, found: Found) -> Reading:
    straightener = Straightener(found.placement)
    faces, spots = straightener.straight(picture)
    pixels = pixels_of(faces, spots, straightener.spots)
    return NOTHING if pixels is None else read_squares(pixels)


def seen(painter: Painter, position: Position) -> np.ndarray:
    picture = decoded(painter.jpeg(position))
    assert picture is not None
    return picture


def somewhere(seed: int) -> Position:
    """A position of a recorded game."""
    chance = random.Random(seed)
    plies = replayed(read_games(DEMO_GAMES)[seed].squares).plies
    position, black = START, True
    for square in plies[: chance.randrange(20, len(plies))]:
        position = position if square is None else position.played(black, square)
        black = not black
    return position


def test_every_square_of_a_real_photograph() -> None:
    picture = decoded(PHOTO.read_bytes())
    assert picture is not None
    found = find(picture)
    assert found is not None
    assert format_position(read(picture, found).position) == PHOTO_SHOWS
    corners = np.array([(247, 446), (1067, 446), (1168, 1350), (40, 1278)]) * 750 / 1200
    assert np.abs(found.placement.corners - corners).max() < 12


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_boards_of_other_makes_are_found_and_nothing_is_read_wrong(seed: int) -> None:
    painter = Painter(drawn(seed, SMALL))
    found = find(seen(painter, START))
    assert found is not None
    position = somewhere(seed)
    told = read(seen(painter, position), found).position
    assert told.differences(position) == 0
    assert told.unknown.bit_count() <= 1


def test_a_disc_between_two_squares_belongs_to_neither() -> None:
    painter = Painter(plain(3))
    found = find(seen(painter, START))
    assert found is not None
    position = Position(START.black | 1 << 10, START.white)
    painter.picture(position)
    painter.put_beside(10, painter.scene.board.square / 2, 0)
    told = read(seen(painter, position), found).position
    assert told.unknown == 1 << 10 | 1 << 11
    assert told.differences(position) == 0


def test_a_board_is_not_taken_for_the_one_a_row_beside() -> None:
    """Seed 50045 was: the comb of lines lay two rows away, and was moved by one."""
    painter = Painter(drawn(50_045))
    found = find(seen(painter, START))
    assert found is not None
    assert read(seen(painter, START), found).position == START
    beside = moved(found.placement, 0, 1)
    assert confirmed(seen(painter, START), beside, (0.1,)) is None


def test_a_picture_without_a_board_has_none() -> None:
    noise = np.random.default_rng(1)
    assert find(np.full((480, 640, 3), 90, np.uint8)) is None
    assert find(noise.integers(0, 255, (480, 640, 3)).astype(np.uint8)) is None


@pytest.mark.long
def test_many_boards_and_not_one_square_of_the_wrong_colour() -> None:
    unknown = squares = 0
    for seed in range(1000, 1150):
        painter = Painter(drawn(seed))
        found = find(seen(painter, START))
        assert found is not None, seed
        for number in range(5):
            position = somewhere((seed * 7 + number) % 400)
            told = read(seen(painter, position), found).position
            assert told.differences(position) == 0, (seed, number)
            squares += 64
            unknown += told.unknown.bit_count()
    assert unknown <= squares / 100

"""Positions read from pictures: one real photograph, and scenes drawn with nothing of the reader's own."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.night import by_night, rows_by_night

from benchmarks.boards.eye import Readings, game_of, positions
from benchmarks.boards.eye_photographs import (
    _SIZES,
    hard_photograph,
    overexposed_photograph,
    photograph,
    read_one,
    screen,
    shining_photograph,
    sleeved_photograph,
)
from benchmarks.boards.phone_pictures import PhonePainter
from benchmarks.boards.phone_scenes import photographed, shining
from eye.find import Found, _settle, confirm, find
from eye.lines import shift
from eye.placement import placement_of
from eye.sources import decode_picture
from eye.squares import NOTHING, PictureReading, read_squares
from eye.still import Doubt, read_picture
from eye.surface import Straightener, pixels_of
from flagfall.othello.board import FULL, START, Position, parse_position
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import BOARDS, Scene, draw_scene, plain
from simulator.recorded import DEMO_GAMES, read_games, replayed

PHOTO = Path(__file__).parents[1] / "data" / "photos" / "dim-from-aside.jpg"
PHOTO_SHOWS = "-XXXXXXX--XOOXOO-XXXOOOXXXXOXOOXXXOXOOO-XOXOXO----XXXX---XXXXX--"
SMALL = (640, 480)


@pytest.fixture(autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


def read(picture: np.ndarray, board: Found) -> PictureReading:
    straightener = Straightener(board.placement)
    faces, spots = straightener.straight(picture)
    pixels = pixels_of(faces, spots)
    return NOTHING if pixels is None else read_squares(pixels)


def seen(painter: ScenePainter, position: Position) -> np.ndarray:
    picture = decode_picture(painter.jpeg(position))
    assert picture is not None
    return picture


def somewhere(seed: int) -> Position:
    """Return a position of a recorded game."""
    chance = random.Random(seed)
    plies = replayed(read_games(DEMO_GAMES)[seed].squares).plies
    position, black = START, True
    for square in plies[: chance.randrange(20, len(plies))]:
        position = position if square is None else position.played(black, square)
        black = not black
    return position


@pytest.mark.parametrize(
    ("lamp", "coloured", "most_unknown"),
    [((1, 1, 1), True, 0), ((1, 1, 1), False, 16), *rows_by_night(((0.25, 0.5, 0.8), True, 1))],
    ids=["as it is", "grey", "dim and warm"],
)
def test_a_real_photograph_is_read_with_and_without_its_colours(
    lamp: tuple[float, ...], coloured: bool, most_unknown: int
) -> None:
    # Outlines and brightness tell where colours do not.
    picture = decode_picture(PHOTO.read_bytes())
    assert picture is not None
    picture = (picture * np.array(lamp)).astype(np.uint8)
    if not coloured:
        picture = cv2.cvtColor(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), cv2.COLOR_GRAY2BGR)
    answer = read_picture(picture)
    assert answer is not None
    assert answer.position.differences(parse_position(PHOTO_SHOWS)) == 0
    assert answer.position.unknown.bit_count() <= most_unknown


def test_black_discs_as_bright_as_the_board_around_them_are_not_told_as_empty_squares() -> None:
    # A lamp's light lies over them and over the board.
    picture = decode_picture(PHOTO.read_bytes())
    assert picture is not None
    down, right = np.indices(picture.shape[:2]) / np.array(picture.shape[:2]).reshape(2, 1, 1)
    light = 120 * np.exp(-(((right - 0.3) / 0.12) ** 2) - ((down - 0.5) / 0.2) ** 2)
    answer = read_picture(np.clip(picture + light[..., None], 0, 255).astype(np.uint8))
    assert answer is not None
    assert answer.position.differences(parse_position(PHOTO_SHOWS)) == 0
    assert answer.position.unknown.bit_count() <= 8


@pytest.mark.parametrize("seed", [0, *by_night(2, 4)])
def test_boards_of_other_makes_are_found_and_nothing_is_read_wrong(seed: int) -> None:
    painter = ScenePainter(draw_scene(seed, SMALL))
    board = find(seen(painter, START))
    assert board is not None
    position = somewhere(seed)
    reading = read(seen(painter, position), board).position
    assert reading.differences(position) == 0
    assert reading.unknown.bit_count() <= 1


@pytest.mark.parametrize("seed", [200, 205, 211])
@pytest.mark.long
def test_boards_that_people_photograph_are_found_whatever_lies_on_and_around_them(seed: int) -> None:
    # Turned, far aside, white lines, a rim of the board's colour, warm light, spare discs, papers, a shadow's edge.
    position, painter = somewhere(seed), PhonePainter(*photographed(seed, (1024, 768)))
    read = read_one(painter.jpeg(position), position, painter.corners)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)
    assert read.unknown <= 2


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        (photograph, 0),
        (photograph, 83),
        (photograph, 178),
        (photograph, 382),
        (hard_photograph, 14),
        (hard_photograph, 1049),
        (hard_photograph, 9093),
        (screen, 2),
    ],
)
@pytest.mark.long
def test_the_hardest_pictures_are_read_too(kind: Callable[[int], Readings], seed: int) -> None:
    # A full board whose lines the discs hide; one whose white discs are yellower than it is green; black discs that
    # show no outline; ones brighter than the board; faint lines in grain, and lines that hardly show; a place two rows
    # beside that looks nearly as likely; a printed table beside, which is ruled more clearly; a program's picture.
    read = kind(seed)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)
    assert read.unknown <= 5


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        (photograph, 355),
        *(
            (hard_photograph, seed)
            for seed in (74, 137, 3013, 3033, 3095, 3112, 4032, 4147, 7089, 7115, 9190, 31040)
        ),
    ],
)
@pytest.mark.long
def test_what_looks_like_a_disc_in_bad_light_is_not_told_as_one(
    kind: Callable[[int], Readings], seed: int
) -> None:
    # Dark squares between white lines look like black discs, black discs that a lamp's glare covers like white; where
    # dark ones lie nearly everywhere they are taken for the surface. A glare's own edge is round; what it lies on keeps
    # the tint of its corners. Beside bright lines a camera that sharpens makes the surface darker than its middles.
    read = kind(seed)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)


@pytest.mark.parametrize("seed", [0, 8])
@pytest.mark.long
def test_a_board_with_too_much_light_on_faint_lines_is_found_at_the_second_look(seed: int) -> None:
    read = overexposed_photograph(seed)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)


@pytest.mark.parametrize("seed", [4, 9])
@pytest.mark.long
def test_black_discs_that_mirror_a_bright_room_are_told_by_their_lack_of_colour(seed: int) -> None:
    # They are as bright as the board or brighter, and each as much as its place.
    read = shining_photograph(seed)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)
    assert read.unknown <= 4


@pytest.mark.parametrize("seed", [19, 23])
@pytest.mark.long
def test_black_discs_as_bright_as_white_ones_are_doubted_and_not_told_as_white(seed: int) -> None:
    # They were told as white. White faces are even and alike; a room that is mirrored in black ones is neither.
    read = shining_photograph(seed)
    assert (read.not_found, read.elsewhere, read.wrong) == (0, 0, 0)
    picture, position = shining_picture(seed)
    answer = read_picture(picture)
    assert answer is not None
    assert answer.doubts[Doubt.SHINES].bit_count() >= 6
    assert answer.position.white.bit_count() > 0.7 * position.white.bit_count()


def shining_picture(seed: int) -> tuple[np.ndarray, Position]:
    """Return a picture of shining discs and the position in it."""
    position = random.Random(seed).choice(positions(game_of(seed)))
    return seen(PhonePainter(*shining(seed, _SIZES[seed % 4])), position), position


@pytest.mark.long
def test_the_second_look_does_not_find_a_board_a_row_beside() -> None:
    # The frame has the surface's colour and no line: of the place a row beside all lines but the uppermost are seen.
    read = photograph(138)
    assert (read.elsewhere, read.wrong) == (0, 0)


def test_a_black_sleeve_is_not_told_as_black_discs() -> None:
    assert sleeved_photograph(7).wrong == 0
    picture = decode_picture(PHOTO.read_bytes())
    assert picture is not None
    # From the right edge over the fifth and sixth rows.
    sleeve = np.array([(330, 500), (750, 480), (750, 690), (330, 650)])
    cv2.fillPoly(picture, [sleeve.reshape(-1, 1, 2)], (24, 22, 22))
    answer = read_picture(picture)
    assert answer is not None
    assert answer.position.differences(parse_position(PHOTO_SHOWS)) == 0
    assert not answer.position.discs_on(0xF0F0 << 32)
    assert Doubt.SLEEVE in answer.doubts
    # Nothing in the four upper rows but the square that the sleeve's edge cuts, and nothing in the lowest.
    assert (answer.position.unknown & 0xFF00_0000_FFFF_FFFF).bit_count() <= 2


def test_each_square_that_is_not_known_has_one_reason() -> None:
    picture = decode_picture(PHOTO.read_bytes())
    assert picture is not None
    answer = read_picture(picture[:, :640])
    assert answer is not None
    assert answer.doubts[Doubt.CUT] & 0x8080_8080_8080_8080 == 0x8080_8080_8080_8080
    squares = 0
    for doubted in answer.doubts.values():
        assert doubted
        assert squares & doubted == 0
        squares |= doubted
    assert squares == answer.position.unknown


def on_a_stand() -> tuple[ScenePainter, Found]:
    """Return a board that was found once, and a painter of the test's own, to lay discs with."""
    return ScenePainter(plain(3, SMALL)), _board_on_a_stand()


@cache
def _board_on_a_stand() -> Found:
    board = find(seen(ScenePainter(plain(3, SMALL)), START))
    assert board is not None
    return board


def test_a_disc_between_two_squares_belongs_to_neither() -> None:
    painter, board = on_a_stand()
    position = Position(START.black | 1 << 10, START.white)
    painter.picture(position)
    painter._beside[10], painter._still = (painter.scene.board.square / 2, 0), None
    reading = read(seen(painter, position), board).position
    assert reading.unknown == 1 << 10 | 1 << 11
    assert reading.differences(position) == 0


@pytest.mark.parametrize("strong", [1.5, 3.0])
def test_a_lamp_mirrored_on_an_empty_square_is_no_disc(strong: float) -> None:
    painter, board = on_a_stand()
    picture = seen(painter, START)
    (spot,) = board.placement.project(np.array([(2.5, 1.5)]))
    x, y = np.meshgrid(np.arange(SMALL[0]), np.arange(SMALL[1]))
    wide = 0.4 * board.placement.pixels_per_square / np.sqrt(np.log(1.3 * strong))
    lamp = 255 * strong * np.exp(-((x - spot[0]) ** 2 + (y - spot[1]) ** 2) / wide**2)
    reading = read(np.clip(picture + lamp[:, :, None], 0, 255).astype(np.uint8), board).position
    assert reading.unknown == 1 << 10
    assert reading.differences(START) == 0


def test_black_and_white_are_told_in_light_of_any_colour() -> None:
    painter, board = on_a_stand()
    position = somewhere(4)
    picture = seen(painter, position)
    for lamp in ((0.6, 0.9, 1.2), (1.1, 0.9, 0.6), (0.9, 1.3, 2.0)):
        reading = read(np.clip(picture * np.array(lamp), 0, 255).astype(np.uint8), board).position
        assert reading.differences(position) == 0
        # One black disc mirrors the lamp; where white is overexposed nothing tells that lamp's colour.
        assert reading.unknown.bit_count() <= 1


def test_a_board_is_not_taken_for_the_one_a_row_beside() -> None:
    # A comb of lines that lay two rows away was once moved by one only.
    painter, board = on_a_stand()
    picture = seen(painter, START)
    assert confirm(picture, shift(board.placement, 0, 1), (0.1,)) is None
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    for columns, rows in ((0, 2), (-2, 1)):
        settled = _settle(picture, gray, shift(board.placement, columns, rows))
        assert settled is not None
        assert np.abs(settled.corners - board.placement.corners).max() < 1.5


def test_scenes_are_of_every_kind_that_clubs_have() -> None:
    scenes = [draw_scene(seed) for seed in range(300)]
    colours = np.array([scene.board.colour for scene in scenes])
    for colour in BOARDS.values():
        assert (np.abs(colours / np.array(colour) - 1).max(axis=1) < 0.12).any()
    of_each: list[Callable[[Scene], bool]] = [
        lambda scene: scene.camera.tilt < 2,
        lambda scene: scene.camera.tilt > 35,
        lambda scene: scene.board.folds,
        lambda scene: not scene.board.folds,
        lambda scene: scene.discs.thick > 6.7,
        lambda scene: scene.discs.gloss > 0.45,
        lambda scene: scene.board.line < 1,
        lambda scene: scene.board.frame < 5,
        lambda scene: scene.light.level < 0.6,
        lambda scene: scene.light.warm > 0.12,
        lambda scene: scene.light.shadow > 0.45,
        lambda scene: scene.camera.bend < -0.2,
        lambda scene: scene.camera.quality < 65,
    ]
    assert all(any(kind(scene) for scene in scenes) for kind in of_each)


@pytest.mark.parametrize("seed", [9171, 4145, 12083])
@pytest.mark.long
def test_what_is_no_board_is_not_read_as_one(seed: int) -> None:
    # A table on a sheet of paper; eight columns over the six that a picture shows; a frame's side as a column. The
    # second look finds the board beside it.
    read = hard_photograph(seed)
    assert (read.elsewhere, read.wrong) == (0, 0)


def test_a_picture_without_a_board_has_none() -> None:
    noise = np.random.default_rng(1)
    assert find(np.full((240, 320, 3), 90, np.uint8)) is None
    assert find(noise.integers(0, 255, (240, 320, 3)).astype(np.uint8)) is None


@pytest.mark.parametrize("faint", [60, pytest.param(215, marks=pytest.mark.long)])
def test_no_look_finds_a_disc_where_there_is_none(faint: int) -> None:
    # Grain, and a table of eight by eight on a sheet of paper.
    noise = np.random.default_rng(2)
    grain = np.clip(noise.normal(170, 12, (300, 400, 3)), 0, 255).astype(np.uint8)
    assert read_picture(grain) is None
    sheet = np.clip(noise.normal(230, 4, (480, 640, 3)), 0, 255).astype(np.uint8)
    for at in range(9):
        cv2.line(sheet, (120 + 45 * at, 60), (120 + 45 * at, 420), (faint,) * 3, 1)
        cv2.line(sheet, (120, 60 + 45 * at), (480, 60 + 45 * at), (faint,) * 3, 1)
    answer = read_picture(sheet)
    assert answer is None or not answer.position.discs_on(FULL)


@pytest.mark.long
def test_many_boards_and_not_one_square_of_the_wrong_colour() -> None:
    unknown = squares = 0
    for seed in range(1000, 1150):
        painter = ScenePainter(draw_scene(seed))
        board = find(seen(painter, START))
        assert board is not None, seed
        for number in range(5):
            position = somewhere((seed * 7 + number) % 400)
            reading = read(seen(painter, position), board).position
            assert reading.differences(position) == 0, (seed, number)
            squares += 64
            unknown += reading.unknown.bit_count()
    assert unknown <= squares / 100


@pytest.mark.parametrize(("strength", "most_unknown"), [(60, 1), *rows_by_night((110, 3))])
def test_a_lamp_mirrored_in_the_board_is_no_disc_and_hides_few_squares(
    strength: float, most_unknown: int
) -> None:
    # Light is added to the surface: its tint stays. One witness alone (a gap of brightness) once told such light as a
    # black disc.
    position, painter = somewhere(4), ScenePainter(draw_scene(4, (1600, 1200)))
    picture = seen(painter, position)
    placement = placement_of(painter.corners, (1600, 1200))
    spots = [square for square in range(64) if position.empty >> square & 1][:4]
    middles = placement.project(np.array([(square % 8 + 0.5, square // 8 + 0.5) for square in spots]))
    down, right = np.indices(picture.shape[:2])
    light = np.zeros(picture.shape[:2])
    for x, y in middles:
        reach = 0.45 * placement.pixels_per_square
        light += strength * np.exp(-((right - x) ** 2 + (down - y) ** 2) / (2 * reach**2))
    answer = read_picture(np.clip(picture + light[..., None], 0, 255).astype(np.uint8))
    assert answer is not None
    assert answer.position.differences(position) == 0
    assert answer.position.unknown.bit_count() <= most_unknown

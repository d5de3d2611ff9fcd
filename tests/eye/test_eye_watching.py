"""Picture after picture: hands, sleeves, darkness, a board pushed aside, a camera that stands at another side."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import cv2
import numpy as np
import pytest
from helpers.eye_start import SMALL, S, at_start, of_start
from helpers.night import by_night

from eye.eye import faults
from eye.squares import beyond
from eye.watcher import Sight, Watcher, quarter_turned
from flagfall.othello.board import FULL, START, Position
from simulator.eye.picture import SKINS, SLEEVES, Hand, ScenePainter
from simulator.eye.scene import BOARDS, draw_scene, plain

MOVED = Position(START.black | 1 << 19 | 1 << 27, START.white & ~(1 << 27))


@pytest.fixture(autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


@pytest.fixture
def painter() -> ScenePainter:
    return of_start()[0]


def twice(
    watcher: Watcher, painter: ScenePainter, position: Position, at_ns: int, *hands: Hand
) -> tuple[Sight, Position]:
    """Return what is seen when two pictures show the same."""
    watcher.see(painter.picture(position, hands), at_ns)
    seen = watcher.see(painter.picture(position, hands), at_ns + S // 10)
    return seen.sight, seen.reading.position


def test_a_free_and_still_board_is_clear_and_a_moving_one_is_not(painter: ScenePainter) -> None:
    watcher = at_start()
    assert watcher.see(painter.picture(MOVED), S).sight is Sight.HIDDEN
    assert watcher.see(painter.picture(MOVED), 2 * S).sight is Sight.CLEAR


def test_a_camera_that_weighs_its_colours_anew_hides_nothing() -> None:
    scene = plain(5, SMALL)
    painter = ScenePainter(replace(scene, board=replace(scene.board, frame=4.0), table=(170, 175, 180)))
    watcher, at_edge = Watcher(), Position(START.black | 1 << 3, START.white)
    assert twice(watcher, painter, START, 0) == (Sight.CLEAR, START)
    for number in range(2):
        tinted = painter.picture(at_edge) * (0.85, 1.0, 1.15)
        seen = watcher.see(tinted.clip(0, 255).astype(np.uint8), S + number * S // 10)
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, at_edge)


def test_noise_in_one_colour_is_no_movement(painter: ScenePainter) -> None:
    watcher, noise = at_start(), np.random.default_rng(1)
    for number in range(4):
        picture = painter.picture(START).astype(np.int16)
        picture[..., 0] += noise.normal(0, 40, picture.shape[:2]).astype(np.int16)
        seen = watcher.see(picture.clip(0, 255).astype(np.uint8), S + number * S // 10)
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, START)


def test_a_resting_hand_hides_whatever_its_colour(painter: ScenePainter) -> None:
    watcher = at_start()
    for number, (skin, sleeve) in enumerate(product(SKINS, SLEEVES), start=1):
        hand = Hand((10, -20), (60, 420), skin, sleeve)
        assert twice(watcher, painter, MOVED, S + number * S // 2, hand)[0] is Sight.HIDDEN, (skin, sleeve)


def test_a_hand_of_the_boards_own_colour_hides() -> None:
    scene = plain(5, SMALL)
    painter = ScenePainter(replace(scene, board=replace(scene.board, colour=BOARDS["brown"])))
    watcher = Watcher()
    assert twice(watcher, painter, START, 0)[0] is Sight.CLEAR
    hand = Hand((10, -20), (60, 420), BOARDS["brown"], BOARDS["brown"])
    assert twice(watcher, painter, START, S, hand)[0] is Sight.HIDDEN


def test_a_hand_as_bright_as_the_frame_hides() -> None:
    scene = plain(5, SMALL)
    painter = ScenePainter(replace(scene, board=replace(scene.board, frame=40.0, frame_colour=(45, 80, 30))))
    watcher = Watcher()
    assert twice(watcher, painter, START, 0) == (Sight.CLEAR, START)
    hand = Hand((10, 120), (60, 420), SKINS[3], SLEEVES[3])
    assert twice(watcher, painter, START, S, hand)[0] is Sight.HIDDEN


def test_a_hand_hides_that_comes_over_the_pictures_edge() -> None:
    # The picture ends where the board does: nothing of the table is seen there.
    painter, watcher = ScenePainter(plain(5, SMALL)), Watcher()
    watcher.see(painter.picture(START), 0)
    assert watcher.placement is not None
    bottom = int(watcher.placement.corners[:, 1].max()) + 2
    watcher = Watcher()
    hand = Hand((20, 120), (70, 420), SKINS[0], SLEEVES[0])
    for at_ns, hands, sight in ((0, (), Sight.CLEAR), (S, (hand,), Sight.HIDDEN)):
        picture = np.ascontiguousarray(painter.picture(START, hands)[:bottom])
        watcher.see(picture, at_ns)
        assert watcher.see(picture, at_ns + S // 10).sight is sight


@pytest.mark.parametrize("row", [0, 3])
def test_discs_in_a_lamps_reflection_are_unknown_and_hide_nothing_else(row: int) -> None:
    # Two black ones side by side are as large as fingers over the edge.
    squares = (8 * row + 6, 8 * row + 7)
    position = Position(START.black | sum(1 << square for square in squares), START.white)
    painter, watcher = ScenePainter(plain(5, SMALL)), at_start()
    painter.picture(position)
    for square in squares:
        painter._beside[square], painter._still = (0, 0), None
    picture = painter.picture(position)
    assert watcher.placement is not None
    for square in squares:
        (spot,) = watcher.placement.project(np.array([(square % 8 + 0.5, row + 0.5)]), 0.15)
        cv2.circle(picture, (round(spot[0]), round(spot[1])), 8, (110, 110, 110), -1, cv2.LINE_AA)
    for number in range(3):
        seen = watcher.see(picture, S + number * S // 10)
    assert seen.sight is Sight.CLEAR
    assert seen.reading.position == Position(START.black, START.white, sum(1 << square for square in squares))


def test_the_frame_beyond_a_tilted_boards_far_edge_is_no_hand() -> None:
    tilted = ScenePainter(draw_scene(85, SMALL))
    assert twice(Watcher(), tilted, START, 0) == (Sight.CLEAR, START)


def test_darkness_is_said_and_over_when_there_is_light(painter: ScenePainter) -> None:
    watcher = at_start()
    assert watcher.see(painter.picture(START) // 32, S).sight is Sight.DARK
    assert twice(watcher, painter, START, 2 * S) == (Sight.CLEAR, START)


@pytest.mark.parametrize("why", [Sight.BLURRED, Sight.COVERED, Sight.NO_BOARD])
def test_why_no_board_is_seen_is_said_and_nothing_read(painter: ScenePainter, why: Sight) -> None:
    watcher, picture = at_start(), painter.picture(START)
    shown = cv2.GaussianBlur(picture, (0, 0), 9)
    if why is Sight.COVERED:
        shown = np.full_like(picture, (60, 90, 160))
    if why is Sight.NO_BOARD:
        # The board was taken away, the table is seen where it lay.
        around = (painter.corners - painter.corners.mean(0)) * 1.3 + painter.corners.mean(0)
        shown = cv2.fillConvexPoly(picture.copy(), around.astype(int), picture[5, 5].tolist())
    sights = [watcher.see(shown, S + number * S // 2).sight for number in range(6)]
    assert set(sights) == {Sight.HIDDEN, why}
    for number in range(12):
        seen = watcher.see(painter.picture(START), 5 * S + number * S // 5)
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, START)


@pytest.mark.parametrize("side", ["left", *by_night("right", "top")])
def test_a_square_that_the_pictures_edge_cuts_is_unknown_whatever_is_seen_of_it(
    painter: ScenePainter, side: str
) -> None:
    checks = 0xAA55AA55AA55AA55
    whole = painter.picture(Position(checks & ~0xFF00, ~checks & FULL & ~0xFF00))
    watcher = Watcher(quarter=False)
    whole_seen = [watcher.see(whole, number * S) for number in range(3)][-1]
    assert whole_seen.sight is Sight.CLEAR and watcher.placement is not None
    corners, half = watcher.placement.corners, 0.45 * watcher.placement.pixels_per_square
    left, top = (int(corners[:, axis].min() + half) for axis in (0, 1))
    right = int(corners[:, 0].max() - half)
    cuts = {"left": whole[:, left:], "right": whole[:, :right], "top": whole[top:]}
    watcher = Watcher(quarter=False)
    cut = np.ascontiguousarray(cuts[side])
    seen = [watcher.see(cut, number * S) for number in range(3)][-1]
    assert seen.sight is not Sight.NO_BOARD and "cut" in faults(watcher, seen)
    assert watcher.placement is not None
    known = FULL & ~seen.reading.position.unknown
    edge = {"left": 0x0101010101010101, "right": 0x8080808080808080, "top": 0xFF}[side]
    assert not known & edge & beyond(watcher.placement) and beyond(watcher.placement) & edge
    assert (
        seen.reading.position.with_squares(FULL & ~known, whole_seen.reading.position)
        == whole_seen.reading.position
    )


def test_without_a_board_there_is_none_and_later_it_is_found(painter: ScenePainter) -> None:
    watcher = Watcher()
    assert watcher.see(np.full((480, 640, 3), 120, np.uint8), 0).sight is Sight.NO_BOARD
    assert twice(watcher, painter, START, 5 * S) == (Sight.CLEAR, START)


@pytest.mark.parametrize("aside_mm", [60.0, *by_night(4.0)])
def test_a_board_pushed_aside_is_found_again(painter: ScenePainter, aside_mm: float) -> None:
    watcher = at_start()
    scene = painter.scene
    far = 620.0 if aside_mm > 9 else 520.0
    camera = replace(scene.camera, aim=(aside_mm, 0.6 * aside_mm), far=far)
    pushed = ScenePainter(replace(scene, camera=camera))
    for second in range(2, 9):
        sight, position = twice(watcher, pushed, MOVED, second * S)
    assert (sight, position) == (Sight.CLEAR, MOVED)


def test_a_camera_a_quarter_turned_is_known_by_the_start_position(painter: ScenePainter) -> None:
    watcher = Watcher()
    turned = [
        cv2.rotate(painter.picture(position), cv2.ROTATE_90_CLOCKWISE)
        for position in (START, START, MOVED, MOVED)
    ]
    seen = [watcher.see(picture, number * S) for number, picture in enumerate(turned)]
    assert watcher.quarter
    assert seen[1].reading.position == START
    # The picture's top row is the board's first column: a1 or h8, which of the two the table asks.
    once = quarter_turned(quarter_turned(MOVED))
    assert seen[3].reading.position in (MOVED, once)


def test_four_quarters_are_none() -> None:
    position = MOVED
    for _ in range(4):
        position = quarter_turned(position)
    assert position == MOVED

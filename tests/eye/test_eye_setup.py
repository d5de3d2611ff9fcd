"""Setting an eye up: what it shows of itself, what it finds wrong, and corners that somebody drags."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from helpers.eye_start import SMALL, S, at_start, of_start, watched

from eye.eye import EVERY_NS, KeptCorners, Showing, faults, view_of
from eye.watcher import Sight
from flagfall.link.board.eye_view import LARGEST_BYTES, EyeView, packed, place_of, unpacked
from flagfall.othello.board import FULL, START, Position, format_position
from simulator.eye.picture import SKINS, SLEEVES, Hand, ScenePainter


@pytest.fixture(autouse=True)
def one_thread() -> None:
    cv2.setNumThreads(1)


@pytest.fixture
def painter() -> ScenePainter:
    return of_start()[0]


@pytest.fixture
def picture() -> np.ndarray:
    return of_start()[1]


def test_a_good_place_is_fit_and_everything_is_shown(picture: np.ndarray) -> None:
    watcher, seen = at_start(), of_start()[3]
    view = unpacked(packed(view_of(picture, watcher, seen)))
    assert view is not None
    assert (view.faults, view.start, view.a1) == ((), True, 0)
    assert view.squares == format_position(START)
    assert watcher.placement is not None
    corners = watcher.placement.corners / SMALL
    assert np.abs(np.array(view.corners) - corners).max() < 1e-6
    assert len(view.pixels) == 3 * view.width * view.height


def test_what_is_wrong_with_a_place_is_named(painter: ScenePainter, picture: np.ndarray) -> None:
    assert faults(*watched(picture // 40)) == ("dark",)
    nothing = np.full((240, 320, 3), 120, np.uint8)
    assert faults(*watched(nothing)) == ("no_board",)
    dim = picture // 4
    assert "dim" in faults(*watched(dim))
    hand = painter.picture(START, (Hand((10, -20), (60, 420), SKINS[0], SLEEVES[0]),))
    watcher = at_start()
    assert faults(watcher, watcher.see(hand, S)) == ("hidden",)
    scene = painter.scene
    far = ScenePainter(replace(scene, camera=replace(scene.camera, far=1300.0))).picture(START)
    assert "small" in faults(*watched(far))
    near = ScenePainter(replace(scene, camera=replace(scene.camera, far=430.0, aim=(70.0, 0.0)))).picture(
        START
    )
    assert "cut" in faults(*watched(near))


def test_a_place_with_squares_that_cannot_be_read_is_not_fit(picture: np.ndarray) -> None:
    # A lamp's image over a line of the board.
    watcher = at_start()
    assert watcher.placement is not None
    x, y = watcher.placement.project(np.array([[6.0, 2.5]]))[0]
    lit = cv2.circle(picture.copy(), (round(x), round(y)), 14, (255, 255, 255), -1)
    for number in range(12):
        seen = watcher.see(lit, S + number * S // 10)
    assert faults(watcher, seen) == ("unclear",)


def test_corners_that_are_dragged_near_their_places_are_found_by_the_lines(picture: np.ndarray) -> None:
    watcher = at_start()
    assert watcher.placement is not None
    true = watcher.placement.corners
    beside = np.array([(8, -6), (-7, 5), (6, 8), (-5, -7)])
    watcher.say((true + beside) / SMALL)
    seen = [watcher.see(picture, S + number * S // 10) for number in range(3)][-1]
    assert np.abs(watcher.placement.corners - true).max() < 1.5
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, START)


def test_corners_beside_the_board_are_not_believed(picture: np.ndarray) -> None:
    watcher = at_start()
    assert watcher.placement is not None
    true = watcher.placement.corners
    watcher.say((true + np.array([(0, 0), (60, 40), (0, 0), (0, 0)])) / SMALL)
    watcher.see(picture, S)
    assert np.abs(watcher.placement.corners - true).max() < 1.5


def test_the_view_is_written_whole_seldom_and_not_left_behind(picture: np.ndarray, tmp_path: Path) -> None:
    path = place_of(str(tmp_path / "board"))
    watcher, seen = at_start(), of_start()[3]
    showing = Showing(path)
    showing.stop()
    showing.show(picture, watcher, seen, S)
    first = path.read_bytes()
    assert unpacked(first) is not None
    assert len(first) < LARGEST_BYTES
    showing.show(picture // 2, watcher, seen, S + EVERY_NS - 1)
    assert path.read_bytes() == first
    showing.show(picture // 2, watcher, seen, S + EVERY_NS)
    assert path.read_bytes() != first
    showing.stop()
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_view_is_none() -> None:
    view = EyeView(2, 1, bytes(6))
    assert unpacked(packed(view)) == view
    for wrong in (
        replace(view, width=3),
        replace(view, grid=((0.0, 0.0),)),
        replace(view, squares="X" * 63),
        replace(view, a1=4),
        replace(view, width=100_000),
    ):
        assert unpacked(packed(wrong)) is None
    for data in (b"", b"\xc1", b"\x91" * 100_000, packed(view)[:-1]):
        assert unpacked(data) is None


def test_corners_are_kept_from_start_to_start_and_damage_is_none(tmp_path: Path) -> None:
    file = tmp_path / "place.json"
    place, corners = KeptCorners(str(file)), np.array([(0.1, 0.1), (0.9, 0.1), (0.9, 0.9), (0.1, 0.9)])
    assert place.read() is None
    place.keep(corners)
    kept = KeptCorners(str(file)).read()
    assert kept is not None and np.array_equal(kept, corners)
    place.keep(None)
    assert place.read() is None
    for damaged in (b"[1, 2]", b"\xff", b"[" * 900, b'{"a": 1}', b"[[0,0],[0,0],[0,0],[0,null]]"):
        file.write_bytes(damaged)
        assert place.read() is None
    KeptCorners(None).keep(corners)
    assert KeptCorners(None).read() is None


def test_a_hand_at_the_edge_is_no_disc_and_a_disc_there_is_one(painter: ScenePainter) -> None:
    # Fingertips over a square of the edge can look like a disc of one colour: what comes over the edge tells.
    watcher = at_start()
    at_ns = S
    for square in (59, 60, 57):
        for skin in SKINS:
            x, y = painter.centre(square)
            hand = Hand((x, y), (x * 0.3, 420.0), skin, SLEEVES[0])
            for _ in range(3):
                at_ns += S // 10
                seen = watcher.see(painter.picture(START, (hand,)), at_ns)
                assert seen.sight is Sight.HIDDEN or seen.reading.position == START
    laid = Position(START.black | 1 << 59, START.white)
    for _ in range(3):
        at_ns += S // 10
        seen = watcher.see(painter.picture(laid), at_ns)
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, laid)


def test_a_thing_laid_beside_the_board_belongs_to_the_table_soon(painter: ScenePainter) -> None:
    watcher = at_start()
    assert watcher.placement is not None

    def with_a_box(position: Position) -> np.ndarray:
        picture = painter.picture(position)
        assert watcher.placement is not None
        corners = watcher.placement.project(np.array([(2.0, 8.3), (5, 8.3), (5, 9.5), (2, 9.5)]))
        cv2.fillPoly(picture, [np.round(corners).astype(np.int32)], (230, 230, 230))
        return picture

    laid = Position(START.black | 1 << 59, START.white)
    for number in range(2):
        seen = watcher.see(with_a_box(laid), S + number * S // 10)
    # Box and disc came together: the disc might be a part of what came.
    assert seen.sight is Sight.HIDDEN
    assert seen.reading.position.unknown & 1 << 59
    for number in range(30):
        seen = watcher.see(with_a_box(START), 2 * S + number * S // 10)
    assert seen.sight is Sight.CLEAR
    for number in range(2):
        seen = watcher.see(with_a_box(laid), 6 * S + number * S // 10)
    assert (seen.sight, seen.reading.position) == (Sight.CLEAR, laid)
    assert laid.unknown & FULL == 0

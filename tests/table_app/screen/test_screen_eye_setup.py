"""An eye set up on the table's screen: its picture, what it finds wrong, corners that a finger drags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.touchscreen import texts

from flagfall.base.words import languages
from flagfall.link.board.eye_view import EyeView, packed, place_of
from flagfall.othello.board import START, format_position
from table_app.board.setup import EyeShown, SetupTouch, SetupView
from table_app.events import CornersPlaced, Event, ScreenRequest
from table_app.judge_pin import Pins
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import FRESH_FOR_NS, ScreenController
from table_app.screen.extras import PICTURE_NS, EyeWindow
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.scene import Hit, Line, Pixels, Rect, Scene, bounds
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.board_setup import DragCorner, SetUp, eye_scene, picture_place
from table_app.table_view import TableView
from table_app.texts import TEXTS

GRID = tuple((0.2 + 0.6 * column / 8, 0.1 + 0.8 * row / 8) for row in range(9) for column in range(9))
SEEN = EyeView(40, 30, bytes(3600), GRID, 0, format_position(START), (), True)
SIZES = [(800, 480), (480, 320), (1920, 1080), (480, 800)]


def look(language: str = "en", unit: float = 1.0) -> Look:
    return Look(load_theme("light"), load_words(language), unit)


def scene(view: EyeView | None, turned: bool | None = False, size: tuple[int, int] = (800, 480)) -> Scene:
    unit = min(max(size) / 800, min(size) / 480)
    return eye_scene(SetupView(turned=turned), EyeShown(view), Rect(0, 0, *size), look(unit=unit))


def test_a_board_that_is_seen_well_is_called_fit() -> None:
    drawn = scene(SEEN)
    assert "Fit to play" in texts(drawn)
    assert sum(isinstance(item, Pixels) for item in drawn) == 1
    assert sum(isinstance(item, Line) for item in drawn) == 2 * 9 * 8
    assert "Fit to play" not in texts(scene(SEEN, turned=None))
    assert "Fit to play" not in texts(scene(None))
    assert "Lay out the start position" in texts(scene(replace(SEEN, start=False)))
    for fault in ("no_board", "dark", "blurred", "covered", "cut", "small", "hidden", "dim", "unclear"):
        shown = texts(scene(replace(SEEN, faults=(fault,))))
        assert look().words(TEXTS[f"eye_fault_{fault}"]) in shown
        assert "Fit to play" not in shown


@pytest.mark.parametrize(
    ("a1", "turned", "corner"), [(0, False, 0), (1, False, 1), (0, True, 2), (1, True, 3)]
)
def test_a1_stands_at_its_corner(a1: int, turned: bool, corner: int) -> None:
    drawn = scene(replace(SEEN, a1=a1), turned)
    (name,) = [item for item in drawn if getattr(item, "text", "") == "a1"]
    on = picture_place(Rect(0, 0, 800, 480), look())
    x, y = SEEN.corners[corner]
    place = bounds(name)
    assert abs(place.x + place.w / 2 - on.x - x * on.w) < 40
    assert abs(place.y + place.h / 2 - on.y - y * on.h) < 20


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("language", languages())
def test_it_fits_on_every_screen_in_every_language(size: tuple[int, int], language: str) -> None:
    unit = min(max(size) / 800, min(size) / 480)
    for setup in (SetupView(), SetupView(turned=False)):
        view = replace(SEEN, faults=("cut", "small", "unclear"))
        drawn = eye_scene(setup, EyeShown(view), Rect(0, 0, *size), look(language, unit))
        whole = Rect(0, 0, *size)
        for item in drawn:
            at = bounds(item)
            assert at.x >= 0 and at.y >= 0 and at.right <= whole.right and at.bottom <= whole.bottom, item
        hits = [item.rect for item in drawn if isinstance(item, Hit)]
        assert not any(rect.meets(other) for rect in hits for other in hits if rect is not other)


@pytest.fixture
def at_screen(tmp_path: Path) -> tuple[ScreenController, list[Event], Path, Callable[[int], None]]:
    now = [10 * FRESH_FOR_NS]
    events: list[Event] = []
    path = place_of(str(tmp_path / "board"))
    path.write_bytes(packed(SEEN))
    desk = ScreenController(
        ScreenSetup(look(), Layout(), Pins()),
        events.append,
        lambda: now[0],
        eye=EyeWindow(path, lambda: now[0]),
    )
    desk.see(TableView(board_setup=SetupView(turned=False, eye=EyeShown())))

    def wait(ns: int) -> None:
        now[0] += ns
        desk.scene(800, 480)

    desk.scene(800, 480)
    wait(FRESH_FOR_NS)
    return desk, events, path, wait


def test_a_dragged_corner_is_told_where_the_finger_leaves_it(
    at_screen: tuple[ScreenController, list[Event], Path, Callable[[int], None]],
) -> None:
    desk, events, _, wait = at_screen
    on = picture_place(Rect(0, 0, 800, 480), look())
    x, y = on.x + round(0.8 * on.w), on.y + round(0.1 * on.h)
    desk.down(x + 10, y - 5)
    assert desk.dragging
    desk.moved(x + 30, y + 20)
    wait(PICTURE_NS)
    desk.up()
    assert not desk.dragging
    (placed,) = events
    assert isinstance(placed, CornersPlaced)
    assert placed.corners[1] == pytest.approx(((x + 30 - on.x) / on.w, (y + 20 - on.y) / on.h))
    assert [placed.corners[i] for i in (0, 2, 3)] == [SEEN.corners[i] for i in (0, 2, 3)]
    desk.up()
    assert len(events) == 1


def test_a_finger_in_the_middle_or_beyond_the_picture_drags_no_corner_away(
    at_screen: tuple[ScreenController, list[Event], Path, Callable[[int], None]],
) -> None:
    desk, events, _, _ = at_screen
    on = picture_place(Rect(0, 0, 800, 480), look())
    desk.down(on.x + on.w // 2, on.y + on.h // 2)
    assert not desk.dragging
    desk.down(on.x + round(0.2 * on.w), on.y + round(0.1 * on.h))
    desk.moved(-500, 2000)
    desk.up()
    (placed,) = events
    assert isinstance(placed, CornersPlaced)
    assert placed.corners[0] == (0.0, 1.0)


def test_the_newest_picture_is_drawn_and_none_when_it_is_gone(
    at_screen: tuple[ScreenController, list[Event], Path, Callable[[int], None]],
) -> None:
    desk, events, path, wait = at_screen
    path.write_bytes(packed(replace(SEEN, faults=("dark",))))
    wait(PICTURE_NS)
    assert look().words(TEXTS["eye_fault_dark"]) in texts(desk.scene(800, 480))
    path.write_bytes(b"rubbish")
    wait(PICTURE_NS)
    assert "Waiting for a picture" in texts(desk.scene(800, 480))
    path.unlink()
    wait(PICTURE_NS)
    assert "Waiting for a picture" in texts(desk.scene(800, 480))
    assert 0 < desk.next_ns() <= PICTURE_NS
    later = [
        item for item in desk.scene(800, 480) if isinstance(item, Hit) and item.tap == SetUp(SetupTouch.CLOSE)
    ]
    desk.down(later[0].rect.x + 5, later[0].rect.y + 5)
    assert [(request.name, request.detail) for request in events if isinstance(request, ScreenRequest)] == [
        ("board_setup", "close")
    ]
    assert all(item.tap != DragCorner() for item in desk.scene(800, 480) if isinstance(item, Hit))

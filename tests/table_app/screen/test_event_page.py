"""The event's page on the table's screen between games: read back from its picture."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pygame
import pytest
from helpers.touchscreen import LOOK, PINS, SIZE, named
from samples.screens import SAMPLES, new, sample_scene

from flagfall.othello.game import SECOND_NS, State
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Close, Hit, Meaning, Scene
from table_app.screen.kit.theme import built_in_themes, dimmed, load_theme
from table_app.screen.kit.widgets import Look
from table_app.table_view import TableView

PAGE = "http://flagfall-hub.local:8000/t/club-evening"
IDLE, SIGNED = SAMPLES["idle"](), SAMPLES["transcript"]()
SIZES = [(800, 480), (1024, 600), (1280, 800), (480, 800), (480, 320)]


def with_page(view: TableView, page: str = PAGE) -> TableView:
    return replace(view, tournament="club", page=page)


def codes(scene: Scene, look: Look = LOOK, size: tuple[int, int] = SIZE) -> list[str]:
    pygame.font.init()
    surface = pygame.Surface(size)
    Painter(surface, look.theme).paint(scene)
    picture = np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1)[:, :, ::-1])
    text, _, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    return [text] if text else []


def taps(scene: Scene) -> set[str]:
    return {named(item.tap) for item in scene if isinstance(item, Hit)}


@pytest.mark.parametrize("size", SIZES)
def test_a_table_without_a_game_shows_the_code(size: tuple[int, int]) -> None:
    scene = sample_scene(replace(IDLE, view=with_page(IDLE.view)), LOOK, *size)
    assert codes(scene, size=size) == [PAGE]
    assert codes(sample_scene(IDLE, LOOK, *size), size=size) == []


@pytest.mark.parametrize("theme", built_in_themes())
def test_it_is_read_in_every_theme_at_the_least_light(theme: str) -> None:
    look = Look(dimmed(load_theme(theme), 55), LOOK.words, 1.0)
    assert codes(sample_scene(replace(IDLE, view=with_page(IDLE.view)), look, *SIZE), look) == [PAGE]


def test_no_game_in_progress_shows_it_or_a_way_to_it() -> None:
    for name, make in SAMPLES.items():
        sample = make()
        game = sample.view.game
        if game is None or game.state is State.SIGNED:
            continue
        scene = sample_scene(replace(sample, view=with_page(sample.view)), LOOK, *SIZE)
        assert codes(scene) == [] and "event_page" not in taps(scene), name


@pytest.mark.parametrize("face_to_face", [False, True])
@pytest.mark.parametrize("size", SIZES)
def test_after_both_signatures_one_touch_shows_it_until_the_next_game(
    size: tuple[int, int], face_to_face: bool
) -> None:
    now_ns = SIGNED.now_ns
    layout = Layout(face_to_face=face_to_face)
    desk = ScreenController(ScreenSetup(LOOK, layout, PINS), lambda _: None, lambda: now_ns)
    desk.see(replace(SIGNED.view, page=""))
    assert "event_page" not in taps(desk.scene(*size))
    desk.see(with_page(SIGNED.view))

    def touched(tap: Meaning) -> Scene:
        nonlocal now_ns
        now_ns += 2 * SECOND_NS
        hit = next(item for item in desk.scene(*size) if isinstance(item, Hit) and item.tap == tap)
        now_ns += 2 * SECOND_NS
        desk.scene(*size)
        desk.down(hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2)
        desk.up()
        return desk.scene(*size)

    desk.scene(*size)
    assert codes(touched(Tap(Button.EVENT_PAGE)), size=size) == [PAGE]
    assert codes(touched(Close()), size=size) == []
    assert codes(touched(Tap(Button.EVENT_PAGE)), size=size) == [PAGE]
    desk.see(with_page(SIGNED.view, ""))
    assert desk.dialog.sheet is None, "the address was taken back"
    desk.see(with_page(SIGNED.view))
    touched(Tap(Button.EVENT_PAGE))
    desk.see(with_page(new("club", judged=False).view()))
    assert codes(desk.scene(*size), size=size) == [] and desk.dialog.sheet is None

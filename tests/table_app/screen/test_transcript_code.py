"""A signed game's transcript on the screen: read back from its picture, and never there before the signatures."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pygame
import pytest
from helpers.touchscreen import LOOK, PINS, SIZE, named
from numpy.typing import NDArray
from samples.screens import SAMPLES, new, sample_scene

from flagfall.othello.board import parse_transcript, stages
from flagfall.othello.game import SECOND_NS, State
from flagfall.othello.inputs import Rule, Ruling
from table_app.screen.compose import Layout, ScreenSetup
from table_app.screen.controller import ScreenController
from table_app.screen.kit.face_buttons import Button, Tap
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.player_face import face_of
from table_app.screen.kit.scene import Close, Fill, Hit, Meaning, Rect, Scene
from table_app.screen.kit.theme import built_in_themes, dimmed, load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.sheets.transcript import Transcript, transcript_scene, transcript_text

Picture = NDArray[np.uint8]
SIGNED = SAMPLES["transcript"]()
FACE = face_of(SIGNED.view, SIGNED.now_ns)
GAME = SIGNED.view.game
assert GAME is not None
_HEADER = replace(
    GAME.header,
    black=replace(GAME.header.black, name="ქართული სახელი " * 2),
    white=replace(GAME.header.white, name="見" * 40),
)
LONGEST = replace(SIGNED, view=replace(SIGNED.view, game=replace(GAME, header=_HEADER)))


def pixels(scene: Scene, look: Look, size: tuple[int, int]) -> Picture:
    pygame.font.init()
    surface = pygame.Surface(size)
    Painter(surface, look.theme).paint(scene)
    return np.ascontiguousarray(pygame.surfarray.array3d(surface).swapaxes(0, 1)[:, :, ::-1])


def read(picture: Picture) -> str:
    text, corners, _ = cv2.QRCodeDetector().detectAndDecode(picture)
    assert corners is not None, "no code found"
    return text


@pytest.mark.parametrize("size", [(800, 480), (1024, 600), (1280, 800), (480, 800), (480, 320)])
def test_the_code_holds_names_score_and_moves(size: tuple[int, int]) -> None:
    text = read(pixels(sample_scene(SIGNED, LOOK, *size), LOOK, size))
    first, moves = text.splitlines()
    assert first == "Amina Okonkwo-Reyes 19-45 見本 花子"
    assert parse_transcript(moves) == GAME.moves
    assert stages(GAME.moves)[-1].position == GAME.shown


@pytest.mark.parametrize("theme", built_in_themes())
def test_the_longest_names_fit_in_every_theme_at_the_least_light(theme: str) -> None:
    look = Look(dimmed(load_theme(theme), 55), LOOK.words, 1.0)
    face = face_of(LONGEST.view, LONGEST.now_ns)
    assert read(pixels(sample_scene(LONGEST, look, *SIZE), look, SIZE)) == transcript_text(face, look)


def test_it_is_read_from_aslant_and_out_of_focus() -> None:
    """A telephone sees it a sixth narrower at the far side, blurred, in uneven light."""
    picture = pixels(sample_scene(SIGNED, LOOK, *SIZE), LOOK, SIZE)
    w, h = SIZE
    seen = np.array([[70, 50], [w - 30, 20], [w - 60, h - 10], [20, h - 40]], np.float32)
    turn = cv2.getPerspectiveTransform(np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32), seen)
    aslant = cv2.GaussianBlur(cv2.warpPerspective(picture, turn, SIZE), (3, 3), 0)
    light = np.linspace(0.6, 1.0, w)[None, :, None]
    assert read((aslant * light).astype(np.uint8)) == transcript_text(FACE, LOOK)


def code_in(scene: Scene) -> bool:
    return sum(isinstance(item, Fill) and item.colour == "disc_black" for item in scene) > 300


@pytest.mark.parametrize("name", SAMPLES)
def test_before_both_have_signed_there_is_no_code_and_no_way_to_one(name: str) -> None:
    """Even if the sheet stood open, as after a touch from the game before."""
    sample = SAMPLES[name]()
    forced = replace(sample, dialog=replace(sample.dialog, sheet=Transcript()))
    scene = sample_scene(forced, LOOK, *SIZE)
    game = sample.view.game
    signed = game is not None and game.state is State.SIGNED
    assert code_in(scene) is signed
    if not signed:
        taps = [named(item.tap) for item in sample_scene(sample, LOOK, *SIZE) if isinstance(item, Hit)]
        assert "transcript" not in taps


def test_without_known_moves_none_is_offered() -> None:
    played = new(judged=False, sensors=False).start()
    played.give(Ruling(played.now_ns, Rule.SET_SCORE, score=(40, 24)))
    assert transcript_scene(face_of(played.view(), 0), Rect(0, 0, *SIZE), LOOK) == ()


def test_one_touch_opens_it_and_the_next_game_closes_it() -> None:
    now_ns = SIGNED.now_ns
    desk = ScreenController(ScreenSetup(LOOK, Layout(self_start=True), PINS), lambda _: None, lambda: now_ns)
    desk.see(SIGNED.view)

    def touched(tap: Meaning) -> Scene:
        nonlocal now_ns
        now_ns += 2 * SECOND_NS
        hit = next(item for item in desk.scene(*SIZE) if isinstance(item, Hit) and item.tap == tap)
        now_ns += 2 * SECOND_NS
        desk.scene(*SIZE)
        desk.down(hit.rect.x + hit.rect.w // 2, hit.rect.y + hit.rect.h // 2)
        desk.up()
        return desk.scene(*SIZE)

    desk.scene(*SIZE)
    assert code_in(touched(Tap(Button.TRANSCRIPT)))
    assert not code_in(touched(Close()))
    assert code_in(touched(Tap(Button.TRANSCRIPT)))
    desk.see(new("club", judged=False).view(tournament=""))
    assert not code_in(desk.scene(*SIZE)) and desk.dialog.sheet is None

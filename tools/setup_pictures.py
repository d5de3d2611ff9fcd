"""`python tools/setup_pictures.py DIR`: a card's first question, and an eye's set-up with what a real eye reads."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
from small_png import small_png

from card.asking import Questions
from eye.showing import viewed
from eye.watcher import Watcher
from othello.board import START
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import plain
from table_app.board.setup import EyeShown, SetupView
from table_app.screen.child import FACE_SIZE
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Rect, Scene
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.eye_setup import eye_scene


def eye_setup() -> Scene:
    camera, watcher = ScenePainter(plain(3, (640, 480))), Watcher()
    for number in range(4):
        picture = camera.picture(START)
        seen = watcher.see(picture, number * 100_000_000)
    shown = EyeShown(viewed(picture, watcher, seen))
    return eye_scene(SetupView(), shown, Rect(0, 0, *FACE_SIZE), Look(load_theme(), load_words(), 1.0))


def main(folder: Path) -> None:
    pygame.font.init()
    for name, scene in (("card-setup", Questions("").scene(*FACE_SIZE)), ("eye-setup", eye_setup())):
        surface, file = pygame.Surface(FACE_SIZE), folder / f"{name}.png"
        Painter(surface, load_theme()).paint(scene)
        pygame.image.save(surface, file)
        file.write_bytes(small_png(file.read_bytes()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""`python tools/eye_picture.py FILE`: the set-up of an eye on the table's screen, what it shows read by a real one."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
from small_png import small_png

from eye.showing import viewed
from eye.watcher import Watcher
from othello.board import START
from simulator.eye.picture import ScenePainter as Camera
from simulator.eye.scene import plain
from table_app.board.setup import EyeShown, SetupView
from table_app.screen.child import FACE_SIZE
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import ScenePainter
from table_app.screen.kit.scene import Rect
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.eye_setup import eye_scene


def main(file: Path) -> None:
    camera, watcher = Camera(plain(3, (640, 480))), Watcher()
    for number in range(4):
        picture = camera.picture(START)
        seen = watcher.see(picture, number * 100_000_000)
    shown = EyeShown(viewed(picture, watcher, seen))
    pygame.font.init()
    surface, look = pygame.Surface(FACE_SIZE), Look(load_theme(), load_words("en"), 1.0)
    ScenePainter(surface, look.theme).paint(eye_scene(SetupView(), shown, Rect(0, 0, *FACE_SIZE), look))
    pygame.image.save(surface, file)
    file.write_bytes(small_png(file.read_bytes()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

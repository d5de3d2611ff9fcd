"""`python tools/card_picture.py FILE`: the first page of a card that asks what it is, as its screen shows it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ["SDL_VIDEODRIVER"] = "dummy"
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
from small_png import small_png

from card.asking import Questions
from table_app.screen.child import FACE_SIZE
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.theme import load_theme


def main(file: Path) -> None:
    pygame.font.init()
    surface = pygame.Surface(FACE_SIZE)
    Painter(surface, load_theme()).paint(Questions("").scene(*FACE_SIZE))
    pygame.image.save(surface, file)
    file.write_bytes(small_png(file.read_bytes()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

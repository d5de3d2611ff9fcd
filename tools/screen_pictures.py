"""Pictures of screens.

python tools/screen_pictures.py DIR [--only NAME,NAME] [--language en] [--size 800x480]
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")

import pygame
from card.asking import Questions
from samples.screens import SAMPLES, sample_scene
from small_png import small_png

from eye.eye import view_of
from eye.watcher import Watcher
from flagfall.base.errors import Invalid
from flagfall.othello.board import START
from simulator.eye.picture import ScenePainter
from simulator.eye.scene import plain
from table_app.board.setup import EyeShown, SetupView
from table_app.screen.kit.catalogue import load_words
from table_app.screen.kit.painter import Painter
from table_app.screen.kit.scene import Rect, Scene
from table_app.screen.kit.theme import load_theme
from table_app.screen.kit.widgets import Look
from table_app.screen.scenes.board_setup import eye_scene


def eye_setup(look: Look, width: int, height: int) -> Scene:
    """Return the screen of the eye's set-up, as a real eye reads a drawn board."""
    camera, watcher = ScenePainter(plain(3, (640, 480))), Watcher()
    for number in range(4):
        picture = camera.picture(START)
        seen = watcher.see(picture, number * 100_000_000)
    shown = EyeShown(view_of(picture, watcher, seen))
    return eye_scene(SetupView(), shown, Rect(0, 0, width, height), look)


# The first question of a card and the set-up of an eye: drawn where they are named.
OF_THE_SETUP: dict[str, Callable[[Look, int, int], Scene]] = {
    "card-setup": lambda look, width, height: Questions("").scene(width, height),
    "eye-setup": eye_setup,
}


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python tools/screen_pictures.py", description="A picture of every screen."
    )
    parser.add_argument("directory", type=Path)
    parser.add_argument("--language", default="en")
    parser.add_argument("--theme", default="light")
    parser.add_argument("--size", default="800x480", help="WIDTHxHEIGHT")
    parser.add_argument("--only", metavar="NAME,NAME", help="some of the screens; all if left out")
    options = parser.parse_args(arguments)
    names = [name.strip() for name in options.only.split(",")] if options.only else list(SAMPLES)
    known = (*SAMPLES, *OF_THE_SETUP)
    if unknown := [name for name in names if name not in known]:
        print(f"--only: expected some of {', '.join(known)}, got {unknown[0]!r}", file=sys.stderr)
        return 2
    try:
        width, height = (int(part) for part in options.size.split("x"))
        if not (160 <= width <= 4096 and 160 <= height <= 4096):
            raise ValueError
    except ValueError:
        print(f"--size: expected WIDTHxHEIGHT from 160 to 4096, got {options.size!r}", file=sys.stderr)
        return 2
    try:
        look = Look(load_theme(options.theme), load_words(options.language), 1.0)
        options.directory.mkdir(parents=True, exist_ok=True)
    except (Invalid, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    pygame.font.init()
    surface = pygame.Surface((width, height))
    painter = Painter(surface, look.theme)
    for name in names:
        setup, sample = OF_THE_SETUP.get(name), SAMPLES.get(name)
        if setup is not None:
            painter.paint(setup(look, width, height))
        elif sample is not None:
            painter.paint(sample_scene(sample(), look, width, height))
        picture = io.BytesIO()
        pygame.image.save(surface, picture, "screen.png")
        (options.directory / f"{name}.png").write_bytes(small_png(picture.getvalue()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
